"""What a run is asked to do: checked values, ready for JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from kensaku.answers.report.attachments import Attachment, read_files
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.models import Query
from kensaku.text.short import short_repr

Effort = Literal["mini", "pro", "auto"]
Length = Literal["short", "standard", "long"]
CitationFormat = Literal["numbered", "mla", "apa", "chicago"]

MAX_INPUT = 10_000
MAX_DOMAINS = 20
MAX_SECONDS = 3_600.0
MAX_SCHEMA = 20_000  # characters of the schema as JSON
MAX_DEPTH = 5
TYPES = ("object", "string", "integer", "number", "array", "boolean")


@dataclass(frozen=True, slots=True)
class ResearchRequest:
    """The parameters of a run. The constructor checks every value."""

    input: str = field(repr=False)
    model: Effort = "auto"  # how many questions, rounds and pages
    output_length: Length = "standard"
    citation_format: CitationFormat = "numbered"
    output_schema: Mapping[str, Any] | None = field(default=None, hash=False)
    include_domains: tuple[str, ...] = ()  # preferred
    exclude_domains: tuple[str, ...] = ()  # never used
    files: tuple[Attachment, ...] = ()
    route: tuple[str, ...] | None = None
    collection: str | None = None
    timeout: float = 300.0

    def __post_init__(self) -> None:
        new = {
            "input": _text(self.input),
            "include_domains": _domains("include_domains", self.include_domains),
            "exclude_domains": _domains("exclude_domains", self.exclude_domains),
            "files": read_files(self.files),
            "route": _route(self.route),
        }
        for name, value in new.items():
            object.__setattr__(self, name, value)
        for name, kind in _CHOICES.items():
            _check_choice(name, getattr(self, name), get_args(kind))
        _check_seconds(self.timeout)
        if self.output_schema is not None:
            check_schema(self.output_schema)
        Query("x", collection=self.collection)

    def to_dict(self) -> dict[str, Any]:
        """The request, ready for JSON."""
        return {
            "input": self.input,
            "model": self.model,
            "output_length": self.output_length,
            "citation_format": self.citation_format,
            "output_schema": self.output_schema,
            "include_domains": list(self.include_domains),
            "exclude_domains": list(self.exclude_domains),
            "files": [file.to_dict() for file in self.files],
            "route": None if self.route is None else list(self.route),
            "collection": self.collection,
            "timeout": self.timeout,
        }


_CHOICES = {"model": Effort, "output_length": Length, "citation_format": CitationFormat}


def check_schema(schema: Any, depth: int = 1, *, name: str = "output_schema") -> None:
    """Raise `InvalidQuery` for a schema that is too large, too deep or not one of ours."""
    if depth == 1:
        try:
            size = len(json.dumps(schema))
        except (TypeError, ValueError, RecursionError):
            raise InvalidQuery(msg("{name} is not JSON", name=name)) from None
        if size > MAX_SCHEMA:
            raise InvalidQuery(
                msg(
                    "{name} has {size:,} characters; at most {max_schema:,} are taken",
                    name=name,
                    size=size,
                    max_schema=MAX_SCHEMA,
                )
            )
    if not isinstance(schema, Mapping):
        raise InvalidQuery(msg("{name} and each of its properties must be an object", name=name))
    if depth > MAX_DEPTH:
        raise InvalidQuery(
            msg("{name} is nested deeper than {max_depth} levels", name=name, max_depth=MAX_DEPTH)
        )
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if depth > 1:
        _check_choice(f"a type in {name}", kind, TYPES)
    if kind == "object" or depth == 1:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            raise InvalidQuery(
                msg("{name} needs properties, an object that is not empty", name=name)
            )
        for inner in properties.values():
            check_schema(inner, depth + 1, name=name)
    elif kind == "array" and "items" in schema:
        check_schema(schema["items"], depth + 1, name=name)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidQuery(msg("the input must be text, not {name}", name=type(value).__name__))
    text = value.strip()
    if not text:
        raise InvalidQuery(msg("the input is empty"), remedy=msg("say what to find out"))
    if len(text) > MAX_INPUT:
        raise InvalidQuery(
            msg(
                "the input has {count:,} characters; at most {max_input:,} are taken",
                count=len(text),
                max_input=MAX_INPUT,
            ),
            remedy=msg("put long texts into files"),
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidQuery(msg("the input has characters that are not valid Unicode")) from None
    return text


def _domains(name: str, value: Any) -> tuple[str, ...]:
    checked = Query("x", **{name: value})  # the bounds of a host name are those of a search
    hosts: tuple[str, ...] = getattr(checked, name)
    if len(hosts) > MAX_DOMAINS:
        raise InvalidQuery(
            msg(
                "{name} has {count} entries; at most {max_domains} are taken",
                name=name,
                count=len(hosts),
                max_domains=MAX_DOMAINS,
            )
        )
    return hosts


def _route(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Iterable):
        raise InvalidQuery(msg("route must be a name or a list of names"))
    return tuple(str(name).strip() for name in names)


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        shown = short_repr(value)
        raise InvalidQuery(
            msg(
                "{name} is {shown}; it must be one of {allowed}",
                name=name,
                shown=shown,
                allowed=", ".join(allowed),
            )
        )


def _check_seconds(value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= MAX_SECONDS:  # type: ignore[operator]
        raise InvalidQuery(
            msg(
                "timeout is {short_repr}; it must be more than 0 and at most {max_seconds:g} s",
                short_repr=short_repr(value),
                max_seconds=MAX_SECONDS,
            )
        )
