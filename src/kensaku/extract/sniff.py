"""Detect the kind of a document by its first bytes; headers only break ties between texts."""

from __future__ import annotations

import re
from typing import Literal

from kensaku.errors import Unparsable
from kensaku.extract.charset import decode_wide
from kensaku.messages import msg

Kind = Literal[
    "html", "pdf", "docx", "xlsx", "pptx", "odf", "xml", "json", "csv", "markdown", "text"
]

_NO_TEXT = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"), (b"GIF89a", "a GIF image"), (b"BM", "a bitmap image"),
    (b"II*\x00", "a TIFF image"), (b"MM\x00*", "a TIFF image"), (b"\x00\x00\x01\x00", "an icon"),
    (b"OggS", "an Ogg recording"), (b"ID3", "an MP3 recording"), (b"fLaC", "a FLAC recording"),
    (b"\x1a\x45\xdf\xa3", "a Matroska video"), (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"), (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"), (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"), (b"\x7fELF", "a program"), (b"MZ", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"), (b"wOFF", "a font"), (b"wOF2", "a font"),
    (b"\x00\x01\x00\x00", "a font"), (b"OTTO", "a font"), (b"SQLite format 3", "a database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document of before 2007"),
    (b"{\\rtf", "an RTF document"), (b"%!PS", "a PostScript document"),
)  # fmt: skip
_CONTAINER_MARKS = {
    b"ftyp": "a video or a photograph",
    b"WEBP": "a WebP image",
    b"WAVE": "a WAV recording",
}
_CONTROLS = bytes(b for b in range(27) if b < 9 or b > 13)
_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|script|meta|link|style|div|p|a|table|h[1-6]|ul|br|span"
    rb"|main|article|section|b|i|img|center|font)\b",
    re.IGNORECASE,
)
_XML = re.compile(
    rb"\s*<(?:\?xml|rss\b|feed\b|rdf:RDF\b|urlset\b|sitemapindex\b|opml\b)", re.IGNORECASE
)
_XHTML = re.compile(rb"<!doctype\s+html|<html\b", re.IGNORECASE)


def sniff(data: bytes, content_type: str = "") -> Kind:
    """Return the kind of a document; raise `Unparsable`, naming the kind, when it holds no text."""
    head = data[:1024]
    if b"%PDF-" in head:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _archive_kind(data)
    for magic, name in _NO_TEXT:
        if head.startswith(magic) and not (len(magic) == 2 and _is_text(head)):
            raise Unparsable(
                msg("the document is {name}, from which no text can be had", name=name)
            )
    for at, width in ((4, 8), (8, 12)):
        if name := _CONTAINER_MARKS.get(head[at:width], ""):
            raise Unparsable(
                msg("the document is {name}, from which no text can be had", name=name)
            )
    if (text := decode_wide(data)) is not None:
        data = text.encode("utf-8", "replace")
    elif not _is_text(data[:4096]):
        raise Unparsable(msg("the document is of an unknown binary form"))
    return _text_kind(data, content_type.partition(";")[0].strip().lower())


def _is_text(head: bytes) -> bool:
    controls = len(head) - len(head.translate(None, _CONTROLS))
    # Browsers skip a stray NUL in markup; elsewhere it is the sign of a binary file.
    return controls <= len(head) / 50 and (b"\x00" not in head or head.lstrip()[:1] == b"<")


def _text_kind(data: bytes, declared: str) -> Kind:
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if _XML.match(head):
        return "html" if _XHTML.search(head) else "xml"
    if head[:1] in b"{[" and head and (declared.endswith("json") or _looks_like_json(data)):
        return "json"
    if declared in ("text/markdown", "text/x-markdown"):
        return "markdown"
    if declared in ("text/csv", "text/tab-separated-values"):
        return "csv"
    if declared == "text/plain":
        # Servers send HTML under this type; it is recognised by its beginning.
        return (
            "html" if re.match(rb"\s*<(?:!doctype\s+html|html\b)", head, re.IGNORECASE) else "text"
        )
    if head.startswith(b"<") or declared in ("text/html", "application/xhtml+xml"):
        return "html"
    if len(_HTML.findall(data[:65536])) >= 3:
        return "html"
    return "text"


def _looks_like_json(data: bytes) -> bool:
    return bool(
        re.match(rb"\s*(?:\{\s*(?:\"|\})|\[\s*(?:[\[{\"\]\d-]|true|false|null))", data[:200])
    ) and (data.rstrip()[-1:] in b"}]")


def _archive_kind(data: bytes) -> Kind:
    from kensaku.extract.formats.office import archive_names

    names = archive_names(data)
    if "word/document.xml" in names:
        return "docx"
    if "xl/workbook.xml" in names:
        return "xlsx"
    if "ppt/presentation.xml" in names:
        return "pptx"
    if "content.xml" in names and "mimetype" in names:
        return "odf"
    raise Unparsable(msg("the document is a zip archive, not a document"))
