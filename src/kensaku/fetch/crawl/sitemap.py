"""Sitemaps and feeds, read as a stream: no tree, no entities, and never more than so many entries.

bytes → expat, 64 KiB at a time → <loc> of <url> and <sitemap>, <link> of feeds
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from xml.parsers import expat

from kensaku.fetch.limits import MIB

MAX_ENTRIES = 50_000  # what the protocol lets one file hold
MAX_CHARS = 2_048  # of one address
MAX_BYTES = 20 * MIB  # unpacked
_STEP = 64 * 1024


@dataclass(slots=True)
class Sitemap:
    """What a sitemap lists: pages, and further sitemaps."""

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    cut: bool = False  # there was more, or it broke off


class _Full(Exception):
    pass


def read_sitemap(data: bytes, *, limit: int = MAX_ENTRIES) -> Sitemap:
    """The addresses in a sitemap, a sitemap index, an RSS or Atom feed, or a plain list."""
    found = Sitemap()
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data, found)
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _plain(data, found, limit)
    parser = expat.ParserCreate()
    reader = _Reader(parser, found, min(limit, MAX_ENTRIES))
    try:
        for at in range(0, len(data), _STEP):
            parser.Parse(data[at : at + _STEP], at + _STEP >= len(data))
    except (_Full, expat.ExpatError):
        found.cut = True
    finally:
        reader.release()
    return found


class _Reader:
    def __init__(self, parser: expat.XMLParserType, found: Sitemap, limit: int) -> None:
        self._parser, self._found, self._limit = parser, found, limit
        self._into: list[str] | None = None
        self._text: list[str] = []
        self._size = 0
        self._inside = ""
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity

    def release(self) -> None:
        """Cut the circle between the parser and its handlers."""
        self._parser.StartElementHandler = self._parser.EndElementHandler = None
        self._parser.CharacterDataHandler = self._parser.EntityDeclHandler = None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2].lower()
        if tag in ("url", "sitemap", "item", "entry"):
            self._inside = tag
        elif tag == "loc" and self._inside in ("url", "sitemap") and name.count(":") == 0:
            self._into = self._found.sitemaps if self._inside == "sitemap" else self._found.pages
        elif tag == "link" and self._inside == "item":
            self._into = self._found.pages
        elif tag == "link" and self._inside == "entry":
            if attributes.get("rel", "alternate") != "alternate":
                return
            self._keep(self._found.pages, attributes.get("href", ""))
        self._text, self._size = [], 0

    def _characters(self, text: str) -> None:
        if self._into is not None and self._size <= MAX_CHARS:
            self._text.append(text)
            self._size += len(text)

    def _end(self, name: str) -> None:
        if self._into is not None:
            self._keep(self._into, "".join(self._text))
            self._into = None

    def _keep(self, into: list[str], address: str) -> None:
        address = address.strip()
        if address and len(address) <= MAX_CHARS:
            into.append(address)
        if len(self._found.pages) + len(self._found.sitemaps) >= self._limit:
            raise _Full

    def _entity(self, *_: object) -> None:
        raise _Full  # a sitemap has no use for entities of its own; a bomb has


def _plain(data: bytes, found: Sitemap, limit: int) -> Sitemap:
    for line in data[: 2 * MIB].decode("utf-8", "replace").splitlines():
        if line.strip().startswith(("http://", "https://")) and len(line) <= MAX_CHARS:
            found.pages.append(line.strip())
            if len(found.pages) >= min(limit, MAX_ENTRIES):
                found.cut = True
                break
    return found


def _unpacked(data: bytes, found: Sitemap) -> bytes:
    """`sitemap.xml.gz`: gzip as a file format, not as an encoding of the answer."""
    try:
        inner = zlib.decompressobj(31)
        plain = inner.decompress(data, MAX_BYTES)
    except zlib.error:
        found.cut = True
        return b""
    found.cut = not inner.eof
    return plain
