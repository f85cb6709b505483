"""One argument of a tool: its JSON schema for the model, and the check of what the model sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kensaku.errors import InvalidQuery
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.short import short_repr

Kind = Literal["string", "integer", "number", "boolean", "array", "objects"]


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a tool: its description for the model, and the bounds that we check."""

    name: str
    kind: Kind
    about: str | Mapping[str, str]  # a message, or language → description
    required: bool = False
    default: Any = None
    minimum: int | None = None  # of a number, of a text's length, of a list's length
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()  # the texts in each of several objects; others may be there

    def schema(self, language: str) -> dict[str, Any]:
        """Return its part of the JSON schema: flat and without references."""
        low, high = _BOUNDS[self.kind]
        kind = "array" if self.kind == "objects" else self.kind
        out: dict[str, Any] = {"type": kind, "description": in_language(self.about, language)}
        if self.kind == "array":
            out["items"] = {"type": "string"}
        if self.kind == "objects":
            texts = {name: {"type": "string"} for name in self.fields}
            out["items"] = {"type": "object", "properties": texts}
        if self.choices:
            out["enum"] = list(self.choices)
        if self.minimum is not None:
            out[low] = self.minimum
        if self.maximum is not None:
            out[high] = self.maximum
        if self.default is not None:
            out["default"] = self.default
        return out

    def check(self, value: Any) -> Any:
        """Return the value, coerced. Raises `InvalidQuery`, which names the value and the bound."""
        value = _coerce(self.kind, value)
        if not _IS[self.kind](value):
            raise InvalidQuery(
                msg(
                    "{name} must be {article}, not {short_repr}",
                    name=self.name,
                    article=_ARTICLE[self.kind],
                    short_repr=short_repr(value),
                )
            )
        if self.choices and value not in self.choices:
            raise InvalidQuery(
                msg(
                    "{name} is {short_repr}; it must be one of {choices}",
                    name=self.name,
                    short_repr=short_repr(value),
                    choices=", ".join(self.choices),
                )
            )
        size = value if self.kind in ("integer", "number") else _size(value)
        if size is not None and not self._within(size):
            raise InvalidQuery(self._out_of_bounds(value, size))
        return value

    def _within(self, size: float) -> bool:
        low = self.minimum is None or size >= self.minimum
        return low and (self.maximum is None or size <= self.maximum)

    def _out_of_bounds(self, value: Any, size: float) -> str:
        """Name what is out of its bounds, and the bounds."""
        what = self.name if size is value else msg("the length of {name}", name=self.name)
        said: dict[str, Any] = {
            "what": what,
            "value": short_repr(size),
            "low": self.minimum,
            "high": self.maximum,
        }
        if self.maximum is None:
            return msg("{what} is {value}; it must be at least {low}", **said)
        if self.minimum is None:
            return msg("{what} is {value}; it must be at most {high}", **said)
        return msg("{what} is {value}; it must be {low} to {high}", **said)


_BOUNDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "objects": ("minItems", "maxItems"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "boolean": ("minimum", "maximum"),
}
_ARTICLE = {
    "string": "a text",
    "array": "a list of texts",
    "objects": "a list of objects",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_IS = {
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list) and all(isinstance(i, str) for i in v),
    "objects": lambda v: isinstance(v, list) and all(isinstance(i, Mapping) for i in v),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
}


def _coerce(kind: Kind, value: Any) -> Any:
    """Accept what models really send: "5" for 5, one text for a list of one, 5.0 for 5."""
    if kind == "integer" and isinstance(value, str) and value.strip().lstrip("-").isdigit():
        return int(value) if len(value) < 20 else value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "array" and isinstance(value, str):
        return [value]
    if kind in ("array", "objects") and isinstance(value, tuple):
        return list(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def _size(value: Any) -> int | None:
    if isinstance(value, str):
        return len(value.strip())
    return len(value) if isinstance(value, list) else None


def in_language(texts: str | Mapping[str, str], language: str) -> str:
    """Return the text in that language, or in English: a message of ours, or a tool's own table."""
    if isinstance(texts, str):
        return translator(language)(texts)
    return texts.get(language) or texts.get("en", "")
