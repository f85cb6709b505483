"""Documents that are made to break whoever reads them: HTML, XML, PDF and Office (gate G7).

Each is built when it is asked for: `BOMBS["pdf: 100,000 pages"]()` → bytes. All of them are small
enough to be handed to a parser; what they ask of it is not.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

from tests.extract.pdf_bombs import MIB, PDF, ZEROS

# --- HTML: the eight of security.md, section 3, and shapes of our own

HTML: dict[str, Callable[[], bytes]] = {
    "100,000 nested div": lambda: b"<div>" * 100_000 + b"x",
    "25,000 nested b and i": lambda: b"<b><i>" * 25_000 + b"x",
    "1,000,000 paragraphs": lambda: b"<p>x</p>" * 1_000_000,
    "200,000 attributes": lambda: (
        b"<p " + b" ".join(b'a%d="%d"' % (n, n) for n in range(200_000)) + b">x"
    ),
    "5,000 nested tables": lambda: b"<table><tr><td>" * 5_000 + b"x",
    "2,000,000 entities in entities": lambda: b"<p>" + b"&amp;amp;" * 2_000_000,
    "20 MB of one text": lambda: b"<p>" + b"word " * 4_000_000,
    "300,000 links that are not closed": lambda: b"<a href=/x>" * 300_000 + b"x",
    "a style sheet of 300,000 rules": lambda: (
        b"<style>" + b"".join(b".a%d p{display:none}" % n for n in range(300_000)) + b"</style><p>x"
    ),
    "rules that look back from every element": lambda: (
        b"<style>"
        + b"".join(b"p:not(.a%d) ~ p ~ p ~ p{display:none}" % n for n in range(3_000))
        + b"</style>"
        + b"<p>x</p>" * 30_000
    ),
    "450,000 list items": lambda: b"<ul>" + b"<li><a href=/x>x</a>" * 225_000,
    "9 MB of JSON-LD": lambda: (
        b"<script type=application/ld+json>"
        + b'{"@type":"Article","author":' * 300_000
        + b"</script><p>x"
    ),
}

# --- XML

XML: dict[str, Callable[[], bytes]] = {
    "a billion laughs": lambda: (
        '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
        + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
        + "]><l>&j;</l>"
    ).encode(),
    "a quadratic entity": lambda: (
        f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "{"x" * 50_000}">]><l>{"&a;" * 50_000}</l>'
    ).encode(),
    "an entity of a file": lambda: (
        b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>'
    ),
    "100,000 deep": lambda: b'<?xml version="1.0"?>' + b"<a>" * 100_000,
    "a sitemap of 200,000 entries": lambda: (
        b'<?xml version="1.0"?><urlset>' + b"<url><loc>https://example.org/a</loc></url>" * 200_000
    ),
    "one element of 200,000 attributes": lambda: (
        b'<?xml version="1.0"?><a '
        + b" ".join(b'a%d="%d"' % (n, n) for n in range(200_000))
        + b"/>"
    ),
    "laughs in EBCDIC": lambda: (
        b'<?xml version="1.0" encoding="cp037"?>'
        + XML["a billion laughs"]().decode().partition("?>")[2].encode("cp037")
    ),
    "laughs in UTF-16": lambda: XML["a billion laughs"]().decode().encode("utf-16"),
    "a feed in one entry": lambda: (
        b"<rss><channel><item>" + b"<description>&lt;p&gt;x</description>" * 240_000
    ),
}

# --- Office

W = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
WORD, SHEET = "word/document.xml", "xl/worksheets/sheet1.xml"


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _workbook(rows: bytes, shared: bytes = b"<sst/>") -> bytes:
    book = b'<workbook><sheets><sheet name="A"/></sheets></workbook>'
    sheet = b"<worksheet><sheetData>" + rows + b"</sheetData></worksheet>"
    return zipped({"xl/workbook.xml": book, "xl/sharedStrings.xml": shared, SHEET: sheet})


def _lying() -> bytes:
    """The directory says that the document unpacks to ten bytes."""
    data = zipped({WORD: b"<a>" + ZEROS * 60})
    real = (60 * MIB + 3).to_bytes(4, "little")
    return data.replace(real, (10).to_bytes(4, "little"))


def _million_entries() -> bytes:
    """Only the directory is long: 46 bytes and a name for each of a quarter of a million files."""
    one = zipped({WORD: b"<a/>"})
    begins, ends = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    directory = one[begins:ends] * 250_000
    end = one[ends : ends + 8] + b"\xff\xff\xff\xff" + len(directory).to_bytes(4, "little")
    return one[:begins] + directory + end + one[ends + 16 :]


def _overlapping() -> bytes:
    """Sixty slides whose entries all point at one compressed file."""
    slide = "ppt/slides/slide{:02}.xml"
    one = zipped({slide.format(1): b"<sld>" + b"<p><t>x</t></p>" * 2_500_000 + b"</sld>"})
    begins, ends = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    entry = one[begins:ends]
    entries = [
        entry.replace(slide.format(1).encode(), slide.format(n).encode()) for n in range(1, 60)
    ]
    entries.append(entry.replace(slide.format(1).encode(), b"ppt/presentation.xml"))
    directory = b"".join(entries)
    count = len(entries).to_bytes(2, "little") * 2
    end = one[ends : ends + 8] + count + len(directory).to_bytes(4, "little") + one[ends + 16 :]
    return one[:begins] + directory + end


OFFICE: dict[str, Callable[[], bytes]] = {
    "a document of 60 MiB": lambda: zipped({WORD: W + b"a" * 60 * MIB}),
    "a size that lies": _lying,
    "a quarter of a million entries": _million_entries,
    "a zip in a zip in a zip": lambda: zipped(
        {"a.zip": zipped({"a.zip": zipped({WORD: W + b"a" * 60 * MIB})})}
    ),
    "laughs inside": lambda: zipped({WORD: XML["a billion laughs"]()}),
    "an entity of a file inside": lambda: zipped({WORD: XML["an entity of a file"]()}),
    "paragraphs 200,000 deep": lambda: zipped({WORD: W + b"<w:p>" * 200_000}),
    "240,000 paragraphs": lambda: zipped(
        {WORD: W + b"<w:p><w:r/></w:p>" * 240_000 + b"</w:body></w:document>"}
    ),
    "a table in a table in a table": lambda: zipped(
        {WORD: W + b"<w:tbl><w:tr><w:tc>" * 160 + b"<w:p/>"}
    ),
    "a string shown in 150,000 cells": lambda: _workbook(
        b'<row><c r="A1" t="s"><v>0</v></c></row>' * 150_000,
        b"<sst><si><t>" + b"x" * 5_000_000 + b"</t></si></sst>",
    ),
    "a column of no end": lambda: _workbook(
        b'<cols><col min="1" max="99999999999" hidden="1"/></cols><row/>'
    ),
    "a column that is no number": lambda: _workbook(
        b'<cols><col min="x" max="-1" hidden="1"/></cols><row/>'
    ),
    "sixty slides that are one": _overlapping,
}

BOMBS: dict[str, Callable[[], bytes]] = {
    f"{kind}: {name}": made
    for kind, group in (("html", HTML), ("xml", XML), ("pdf", PDF), ("office", OFFICE))
    for name, made in group.items()
}
