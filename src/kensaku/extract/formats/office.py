"""Office documents → Page: Word, Excel, PowerPoint (2007 and later) and OpenDocument text.

A document is a zip of XML files. Sizes are checked before and during decompression. What the
document itself marks as hidden (text, rows, columns, sheets, slides) is left out.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract.formats.text import table
from kensaku.extract.formats.xml import elements, local_name
from kensaku.messages import msg
from kensaku.models import Page
from kensaku.text.clean import cut, one_line, visible
from kensaku.text.dates import parse_date

MAX_FILES = 10_000
MAX_FILE_BYTES = 50 * 1024 * 1024
MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_SLIDES = 1_000
MAX_CHARS = 10_000_000

_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odf": "application/vnd.oasis.opendocument.text",
}
# What Markdown adds to the text: the second line of a table, then beginnings and ends of lines.
_MARKS = re.compile(r"^\|(?: --- \|)+(?:\n|\Z)|^(?:#{1,6} |- |\| ?)| \|$", re.MULTILINE)


def archive_names(data: bytes) -> set[str]:
    """Return the names of the files in a zip archive."""
    with _archive(data) as archive:
        return set(archive.namelist())


def extract_office(data: bytes, kind: str, url: str = "") -> Page:
    """Extract the text of a document of one of the four kinds."""
    with _archive(data) as archive:
        names = set(archive.namelist())
        properties = _properties(archive, names)
        if kind == "docx":
            marked = _word(_read(archive, "word/document.xml"))
        elif kind == "xlsx":
            marked = _workbook(archive, names)
        elif kind == "pptx":
            marked = _slides(archive, names)
        else:
            marked = _open_document(_read(archive, "content.xml"))
    marked = visible(marked).strip()
    text = _MARKS.sub("", marked).strip()
    title = properties.get("title") or text.partition("\n")[0]
    return Page(
        url=url,
        title=cut(title, 300),
        text=text,
        markdown=marked,
        author=cut(properties.get("creator", ""), 80) or None,
        published=parse_date(properties.get("created") or properties.get("date")),
        content_type=_TYPES[kind],
    )


def _archive(data: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise Unparsable(msg("the document is a damaged zip archive")) from error
    if len(archive.infolist()) > MAX_FILES:
        raise TooLarge(msg("the document holds more than {max_files:,} files", max_files=MAX_FILES))
    return archive


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read one file; the size in its header is not trusted."""
    try:
        with archive.open(name) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except RuntimeError as error:
        raise Unparsable(
            msg("the document is encrypted, and cannot be read without its password")
        ) from error
    except (
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        EOFError,
        OSError,
    ) as error:
        raise Unparsable(msg("the document has no readable {name}", name=name)) from error
    if len(data) > MAX_FILE_BYTES:
        raise TooLarge(
            msg(
                "a part of the document unpacks to more than {max_file_bytes:,} bytes",
                max_file_bytes=MAX_FILE_BYTES,
            )
        )
    return data


def _end_events(data: bytes) -> Iterator[tuple[str, Element]]:
    return ((local_name(e.tag), e) for event, e, _ in elements(data) if event == "end")


def _properties(archive: zipfile.ZipFile, names: set[str]) -> dict[str, str]:
    name = "docProps/core.xml" if "docProps/core.xml" in names else "meta.xml"
    if name not in names:
        return {}
    return {tag: one_line(e.text or "")[:500] for tag, e in _end_events(_read(archive, name))}


def _attribute(element: Element, name: str) -> str:
    return next((v for k, v in element.attrib.items() if local_name(k) == name), "")


def _number(element: Element, name: str) -> int:
    value = _attribute(element, name)
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _word(data: bytes) -> str:
    """Write the paragraphs, headings, list items and tables of a Word document."""
    parts: list[str] = []
    rows: list[list[str]] = []
    cells: list[str] = []
    cell: list[str] = []
    in_table = 0
    for event, element, _ in elements(data):
        tag = local_name(element.tag)
        if tag == "tbl":
            in_table += 1 if event == "start" else -1
            if event == "end" and not in_table:
                parts.append(table(rows))
                rows = []
        elif event == "end" and tag == "p":
            text = _word_paragraph(element)
            if text and in_table:
                cell.append(text.lstrip("#- "))
            elif text:
                parts.append(text)
            element.clear()
        elif event == "end" and tag == "tc":
            cells.append(" ".join(cell))
            cell = []
        elif event == "end" and tag == "tr":
            rows.append(cells)
            cells = []
    return "\n\n".join(parts)


def _word_paragraph(paragraph: Element) -> str:
    style, item, texts = "", False, []
    for element in paragraph.iter():
        tag = local_name(element.tag)
        if tag == "pstyle":
            style = _attribute(element, "val")
        elif tag == "numpr":
            item = True
        elif tag == "r" and not _is_hidden_run(element):
            for part in element:
                name = local_name(part.tag)
                texts.append(
                    (part.text or "") if name == "t" else " " if name in ("tab", "br") else ""
                )
    text = " ".join("".join(texts).split())
    heading = re.match(r"(?:heading|überschrift|titre|見出し)\s*([1-6])", style, re.IGNORECASE)
    if text and heading:
        return "#" * int(heading[1]) + " " + text
    if text and style.lower() == "title":
        return "# " + text
    return "- " + text if text and item else text


def _is_hidden_run(run: Element) -> bool:
    for element in run.iter():
        if local_name(element.tag) in ("vanish", "webhidden"):
            return _attribute(element, "val") not in ("0", "false", "off")
    return False


def _workbook(archive: zipfile.ZipFile, names: set[str]) -> str:
    shared: list[str] = []
    if "xl/sharedStrings.xml" in names:
        for tag, element in _end_events(_read(archive, "xl/sharedStrings.xml")):
            if tag == "si":
                shared.append(
                    one_line(
                        "".join(t.text or "" for t in element.iter() if local_name(t.tag) == "t")
                    )
                )
                element.clear()
    parts = []
    sheets = [
        (_attribute(e, "name"), _attribute(e, "state"))
        for tag, e in _end_events(_read(archive, "xl/workbook.xml"))
        if tag == "sheet"
    ]
    for number, (title, state) in enumerate(sheets, start=1):
        path = f"xl/worksheets/sheet{number}.xml"
        if state not in ("hidden", "veryHidden") and path in names:
            parts.append(f"## {one_line(title)}\n\n{table(_sheet(_read(archive, path), shared))}")
    return "\n\n".join(parts)


def _sheet(data: bytes, shared: list[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    hidden: set[int] = set()
    chars = 0
    for tag, element in _end_events(data):
        if tag == "col" and _attribute(element, "hidden") in ("1", "true"):
            first, last = _number(element, "min"), _number(element, "max")
            hidden.update(range(first, min(last, first + MAX_COLUMNS) + 1))
        elif tag == "row":
            if _attribute(element, "hidden") not in ("1", "true"):
                cells = [_cell(c, shared) for c in element if _column(c) not in hidden]
                if any(cells):
                    rows.append(cells[:MAX_COLUMNS])
                    chars += sum(map(len, rows[-1]))
                    if chars > MAX_CHARS:  # a shared string may be shown in every cell
                        raise TooLarge(
                            msg(
                                "a sheet has more than {max_chars:,} characters",
                                max_chars=MAX_CHARS,
                            )
                        )
            element.clear()
            if len(rows) >= MAX_ROWS:
                break
    return rows


def _column(cell: Element) -> int:
    number = 0
    for letter in re.match(r"[A-Z]{0,3}", _attribute(cell, "r"))[0]:  # type: ignore[index]
        number = number * 26 + ord(letter) - 64
    return number


def _cell(cell: Element, shared: list[str]) -> str:
    kind = _attribute(cell, "t")
    value = next((e.text or "" for e in cell.iter() if local_name(e.tag) in ("v", "t")), "")
    if kind == "s" and value.isdigit() and int(value) < len(shared):
        return shared[int(value)]
    return one_line(value)


def _slides(archive: zipfile.ZipFile, names: set[str]) -> str:
    slides = [
        (int(m[1]), n) for n in names if (m := re.fullmatch(r"ppt/slides/slide(\d{1,5})\.xml", n))
    ]
    parts = []
    for number, name in sorted(slides)[:MAX_SLIDES]:
        lines: list[str] = []
        shown = True
        for tag, element in _end_events(_read(archive, name)):
            if tag == "p":
                text = "".join(t.text or "" for t in element.iter() if local_name(t.tag) == "t")
                if text.strip():
                    lines.append(one_line(text))
            elif tag == "sld":
                shown = _attribute(element, "show") not in ("0", "false")
        if shown and lines:
            parts.append(f"## Slide {number}\n\n" + "\n\n".join(lines))
    return "\n\n".join(parts)


def _open_document(data: bytes) -> str:
    parts: list[str] = []
    for tag, element in _end_events(data):
        if tag in ("h", "p"):
            text = " ".join("".join(element.itertext()).split())
            level = _attribute(element, "outline-level")
            if text and tag == "h":
                text = "#" * (int(level) if level in tuple("123456") else 2) + " " + text
            if text:
                parts.append(text)
            element.clear()
    return "\n\n".join(parts)
