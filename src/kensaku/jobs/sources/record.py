"""The values between a source and the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from kensaku.errors import KensakuError
from kensaku.foreign_json import is_deep
from kensaku.models import Document

MIB = 2**20
MAX_RECORD = 20 * MIB  # bytes of one record; longer ones are rejected without being held
MAX_URL = 4_096  # characters
_FIELDS = ("title", "published", "language", "metadata")
_TEXTS = ("text", "content", "contents", "body", "markdown")
_HTML = ("html", "raw_html")


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a source that one worker reads. `files` are its files, or its addresses."""

    format: str
    files: tuple[str, ...]
    size: int = 0  # bytes, or records where nobody knows the bytes
    start: int = 0  # bytes, or row groups
    end: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The shard, ready for JSON."""
        return asdict(self) | {"files": list(self.files)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Shard:
        """The shard that `to_dict` wrote."""
        return cls(**{**values, "files": tuple(values["files"])})


class RawPage(NamedTuple):
    """A document that has still to be extracted."""

    url: str
    data: bytes
    content_type: str


class Address(NamedTuple):
    """A page that has still to be fetched."""

    url: str


class Rejected(NamedTuple):
    """A record that cannot be used, and why in a few words."""

    reason: str
    where: str


Record = Document | RawPage | Address | Rejected


class Item(NamedTuple):
    """A record, and how much of the shard has been read with it."""

    record: Record
    done: int


def to_record(row: Any, where: str) -> Record:
    """Return what a row of JSON or Parquet says: a document, or HTML that is one."""
    if not isinstance(row, Mapping):
        return Rejected("not an object", where)
    url = row.get("url")
    if not isinstance(url, str) or not url.strip():
        return Rejected("without url", where)
    if len(url) > MAX_URL:
        return Rejected("url too long", where)
    text = next((row[name] for name in _TEXTS if row.get(name)), None)
    html = next((row[name] for name in _HTML if row.get(name)), None)
    if text is None and html is not None:
        data = html.encode("utf-8", "replace") if isinstance(html, str) else html
        if not isinstance(data, bytes):
            return Rejected("html is no text", where)
        return RawPage(url, data, "text/html")
    if not isinstance(text, str) or not text.strip():
        return Rejected("without text", where)
    return _document(url, text, row, where)


def _document(url: str, text: str, row: Mapping[str, Any], where: str) -> Record:
    values = {name: row[name] for name in _FIELDS if row.get(name) is not None}
    for name in ("title", "published", "language"):
        if name in values:
            values[name] = str(values[name])
    if not isinstance(values.get("metadata", {}), Mapping) or is_deep(values.get("metadata")):
        return Rejected("metadata is no object", where)
    try:
        return Document(url=url, text=text, **{"title": "", **values})
    except (KensakuError, ValueError, TypeError):
        return Rejected("not a document", where)
