"""Sitemaps and feeds, parsed as a stream: no tree, no entities, a limit on entries. Pure.

bytes → expat, 64 KiB at a time → <loc> of <url> and <sitemap>, <link> of feeds
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from xml.parsers import expat

from kensaku.fetch.limits import MIB

MAX_ENTRIES = 50_000  # the most that the protocol allows in one file
MAX_CHARS = 2_048  # of one address
MAX_BYTES = 20 * MIB  # unpacked
_STEP = 64 * 1024


@dataclass(slots=True)
class Sitemap:
    """The URLs in a sitemap: pages, and further sitemaps."""

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    truncated: bool = False  # over a limit, or broken


class _Full(Exception):
    """Stop parsing: a limit is reached."""


def read_sitemap(data: bytes, *, limit: int = MAX_ENTRIES) -> Sitemap:
    """Read the URLs of a sitemap, a sitemap index, an RSS or Atom feed, or a plain list."""
    sitemap = Sitemap()
    if data[:2] == b"\x1f\x8b":
        data = _gunzip(data, sitemap)
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_plain(data, sitemap, limit)
    parser = expat.ParserCreate()
    handlers = _Handlers(parser, sitemap, min(limit, MAX_ENTRIES))
    try:
        for at in range(0, len(data), _STEP):
            parser.Parse(data[at : at + _STEP], at + _STEP >= len(data))
    except (_Full, expat.ExpatError):
        sitemap.truncated = True
    finally:
        handlers.release()
    return sitemap


class _Handlers:
    def __init__(self, parser: expat.XMLParserType, sitemap: Sitemap, limit: int) -> None:
        self._parser, self._sitemap, self._limit = parser, sitemap, limit
        self._into: list[str] | None = None
        self._text: list[str] = []
        self._size = 0
        self._inside = ""
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity

    def release(self) -> None:
        """Break the reference cycle between the parser and its handlers."""
        self._parser.StartElementHandler = self._parser.EndElementHandler = None
        self._parser.CharacterDataHandler = self._parser.EntityDeclHandler = None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2].lower()
        if tag in ("url", "sitemap", "item", "entry"):
            self._inside = tag
        elif tag == "loc" and self._inside in ("url", "sitemap") and name.count(":") == 0:
            self._into = (
                self._sitemap.sitemaps if self._inside == "sitemap" else self._sitemap.pages
            )
        elif tag == "link" and self._inside == "item":
            self._into = self._sitemap.pages
        elif tag == "link" and self._inside == "entry":
            if attributes.get("rel", "alternate") != "alternate":
                return
            self._add(self._sitemap.pages, attributes.get("href", ""))
        self._text, self._size = [], 0

    def _characters(self, text: str) -> None:
        if self._into is not None and self._size <= MAX_CHARS:
            self._text.append(text)
            self._size += len(text)

    def _end(self, name: str) -> None:
        if self._into is not None:
            self._add(self._into, "".join(self._text))
            self._into = None

    def _add(self, into: list[str], address: str) -> None:
        address = address.strip()
        if address and len(address) <= MAX_CHARS:
            into.append(address)
        if len(self._sitemap.pages) + len(self._sitemap.sitemaps) >= self._limit:
            raise _Full

    def _entity(self, *_: object) -> None:
        raise _Full  # a sitemap has no use for entities of its own; a bomb has


def _read_plain(data: bytes, sitemap: Sitemap, limit: int) -> Sitemap:
    for line in data[: 2 * MIB].decode("utf-8", "replace").splitlines():
        if line.strip().startswith(("http://", "https://")) and len(line) <= MAX_CHARS:
            sitemap.pages.append(line.strip())
            if len(sitemap.pages) >= min(limit, MAX_ENTRIES):
                sitemap.truncated = True
                break
    return sitemap


def _gunzip(data: bytes, sitemap: Sitemap) -> bytes:
    """Decompress `sitemap.xml.gz`: gzip as a file format, not as a content encoding."""
    try:
        inner = zlib.decompressobj(31)
        plain = inner.decompress(data, MAX_BYTES)
    except zlib.error:
        sitemap.truncated = True
        return b""
    sitemap.truncated = not inner.eof
    return plain
