"""Content in the form of a schema: filled from the best sentence of each property, or checked.

    schema → a question for each property → best sentence → a value of its type | null
    model's values + basis → quote stands in its source, type fits → value | null

What is missing is null and listed: a made-up value is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.answers.check import clean_line, clean_quote, stands_in
from kensaku.answers.questions import keywords
from kensaku.answers.weigh import best_sentences
from kensaku.errors import Unreadable
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.context import Citation
    from kensaku.answers.evidence import Evidence, Reference
    from kensaku.answers.score import Sentence

ITEMS = 5  # of an array that is filled from sentences
MAX_STRING = 10_000
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])-?\d+(?:\.\d+)?")


@dataclass(slots=True)
class Filled:
    """Values of a schema, what each rests on, and what is missing."""

    content: dict[str, Any] = field(default_factory=dict)
    basis: dict[str, Any] = field(default_factory=dict)  # property → {"source", "quote"}
    missing: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)


def fill_by_extract(schema: Mapping[str, Any], topic: str, evidence: Evidence) -> Filled:
    """Fill each property from the sentences that answer to its name and description."""
    filled = Filled()
    filled.content = _fill_object(schema, keywords(topic), evidence, filled, "")
    return filled


def check_filled(
    schema: Mapping[str, Any], said: Mapping[str, Any], sources: Mapping[int, Reference]
) -> Filled:
    """Keep the properties that have the type of the schema and a quote of their source.

    `said` are the content and the basis of a model. Raises `Unreadable` without content.
    """
    content, basis = said.get("content"), said.get("basis")
    if not isinstance(content, dict):
        raise Unreadable("llm", msg("the model's JSON has no content"))
    filled = Filled()
    for name, wanted in schema["properties"].items():
        source, quote = _ground(basis.get(name) if isinstance(basis, dict) else None, sources)
        value = _cleaned(fit_type(wanted, content.get(name)), sources)
        if value is None or source is None:
            filled.content[name] = None
            filled.missing.append(name)
            continue
        filled.content[name] = value
        filled.basis[name] = {"source": source, "quote": quote}
    return filled


def _cleaned(value: Any, sources: Mapping[int, Reference]) -> Any:
    """Return a value whose texts were cleaned as every text of a model."""
    if isinstance(value, str):
        return clean_line(value, sources)
    if isinstance(value, list):
        return [_cleaned(item, sources) for item in value]
    if isinstance(value, dict):
        return {name: _cleaned(item, sources) for name, item in value.items()}
    return value


def _quoted(value: Any, addresses: Collection[str]) -> Any:
    """Return a value out of sentences of the sources, with no other link than to a source."""
    if isinstance(value, list):
        return [_quoted(item, addresses) for item in value]
    return clean_quote(value, addresses) if isinstance(value, str) else value


def fit_type(schema: Mapping[str, Any], value: Any) -> Any:
    """Return the value if it has the type of the schema, without what the schema does not know."""
    kind = kind_of(schema)
    if "enum" in schema and value not in schema["enum"]:
        return None
    if kind == "object" and isinstance(value, Mapping):
        return {n: fit_type(s, value.get(n)) for n, s in schema.get("properties", {}).items()}
    if kind == "array" and isinstance(value, list):
        items = [fit_type(schema.get("items", {"type": "string"}), item) for item in value]
        return [item for item in items if item is not None]
    if kind == "boolean" or isinstance(value, bool):
        return value if kind == "boolean" and isinstance(value, bool) else None
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    types: dict[str, Any] = {"string": str, "integer": int, "number": (int, float)}
    fits = kind in types and isinstance(value, types[kind])
    return value[:MAX_STRING] if fits and isinstance(value, str) else value if fits else None


def kind_of(schema: Mapping[str, Any]) -> str:
    """Return the type of a schema; one with properties is an object."""
    kind: str = schema.get("type", "object" if "properties" in schema else "string")
    return kind


def _fill_object(
    schema: Mapping[str, Any], topic: str, evidence: Evidence, filled: Filled, path: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, wanted in schema["properties"].items():
        at = f"{path}{name}"
        if kind_of(wanted) == "object":
            values[name] = _fill_object(wanted, topic, evidence, filled, f"{at}.")
            continue
        label = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", name)
        about = " ".join(filter(None, (str(wanted.get("description") or ""), label)))
        query = f"{about} {topic}"[:1_000]
        citations = evidence.citations(query)
        sentences = best_sentences(query, citations, count=ITEMS)
        value, used = _value(wanted, sentences, query)
        values[name] = _quoted(value, {c.url for c in citations})
        if used is None:
            filled.missing.append(at)
            continue
        filled.basis[at] = {"source": used.citation, "quote": used.text}
        filled.citations += [c for c in citations if c.n == used.citation]
    return values


def _value(
    schema: Mapping[str, Any], sentences: list[Sentence], query: str
) -> tuple[Any, Sentence | None]:
    """Return a value of the type out of the sentences, and the sentence that it is from."""
    kind = kind_of(schema)
    if kind == "array":
        items = schema.get("items", {"type": "string"})
        pairs = [_value(items, [s], query) for s in sentences]
        found = [(v, s) for v, s in pairs if s is not None]
        return ([v for v, _ in found], found[0][1]) if found else (None, None)
    for sentence in sentences:
        value = _scalar(schema, kind, sentence.text, query)
        if value is not None:
            return value, sentence
    return None, None


def _scalar(schema: Mapping[str, Any], kind: str, text: str, query: str) -> Any:
    if isinstance(schema.get("enum"), list):
        return next((v for v in schema["enum"] if str(v).lower() in text.lower()), None)
    if kind == "string":
        return text
    if kind not in ("integer", "number"):
        return None
    for figure in _NUMBER.findall(text):
        if figure in query:
            continue
        number = float(figure.replace(",", ""))
        if kind == "number":
            return int(number) if number.is_integer() else number
        if number.is_integer():
            return int(number)
    return None


def _ground(ground: Any, sources: Mapping[int, Reference]) -> tuple[int | None, str]:
    if not isinstance(ground, Mapping):
        return None, ""
    number, quote = ground.get("source"), ground.get("quote")
    source = sources.get(number) if isinstance(number, int) else None
    if source is None or not isinstance(quote, str) or not stands_in(quote, source):
        return None, ""
    return source.n, quote
