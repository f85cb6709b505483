"""Find text, title and address in the payload of a point that another application wrote. Pure.

    {"question": …, "answer": …, "source": "faq.csv"} → text: the answer, title: the question

Applications agree on no names. The names of the settings come first, then those that are common:
LangChain's `page_content` and `metadata`, LlamaIndex's `_node_content`, Haystack's `meta`,
questions with answers, and plain `text` or `content`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kensaku.foreign_json import decode_json

_TEXT = ("content", "text", "answer", "page_content", "body", "chunk", "passage", "document")
_TITLE = ("title", "name", "heading", "question", "subject")
_URL = ("url", "link", "source_url", "uri", "href", "source", "file_path", "file_name")
_DATE = ("published", "published_at", "published_date", "date")
_NESTED = ("payload", "metadata", "meta")  # objects that hold some of the fields


@dataclass(frozen=True, slots=True)
class PayloadFields:
    """Which fields of other applications' payloads to read; empty: guess.

    A dot reaches into an object: `metadata.title`. `vector` is the name of the vector to search,
    where a point has several.
    """

    text: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    vector: str = ""


class PayloadText(NamedTuple):
    """The texts of a payload. Missing fields are empty."""

    text: str
    title: str
    url: str  # an address, or the name of a file
    published: str


GUESS = PayloadFields()


def read_payload(payload: Mapping[str, Any], fields: PayloadFields = GUESS) -> PayloadText:
    """Return what a payload says."""
    nodes = [payload, *_nested(payload)]
    return PayloadText(
        text=_first(nodes, (*fields.text, *_TEXT)) or _longest(payload),
        title=_first(nodes, (*fields.title, *_TITLE)),
        url=_first(nodes, (*fields.url, *_URL)),
        published=_first(nodes, _DATE),
    )


def _nested(payload: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    for name in _NESTED:
        if isinstance(inner := payload.get(name), Mapping):
            yield inner
            yield from _nested(inner)
    if isinstance(node := payload.get("_node_content"), str):  # JSON inside JSON
        try:
            parsed = decode_json(node)
        except ValueError:
            return
        if isinstance(parsed, Mapping):
            yield parsed
            yield from _nested({n: v for n, v in parsed.items() if n in _NESTED})


def _first(nodes: Iterable[Mapping[str, Any]], names: Iterable[str]) -> str:
    found = (_at(node, name) for name in names for node in nodes)
    return next((value for value in found if value), "")


def _at(node: Any, name: str) -> str:
    for part in [name] if isinstance(node, Mapping) and name in node else name.split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    return node.strip() if isinstance(node, str) else ""


def _longest(payload: Mapping[str, Any]) -> str:
    texts = (v.strip() for n, v in payload.items() if isinstance(v, str) and not n.startswith("_"))
    return max(texts, key=len, default="")
