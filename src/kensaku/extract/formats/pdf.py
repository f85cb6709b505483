"""PDF → Page, by pdfium, page by page, so that a passage can be cited with its page number.

page → text, as pdfium reads it
     → lines with the places of their words → Markdown (`pdf_layout`)
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract.formats.pdf_layout import read_lines, to_markdown
from kensaku.extract.require import require
from kensaku.messages import msg
from kensaku.models import Page
from kensaku.text.clean import cut, one_line, visible
from kensaku.text.dates import parse_date

MAX_PAGES = 2_000
MAX_CHARS = 10_000_000
_FEW_CHARS = 20  # a page with less text is probably a scan


class PdfPage(NamedTuple):
    """A page as text and as Markdown."""

    text: str = ""
    markdown: str = ""


def extract_pdf(data: bytes, url: str = "") -> Page:
    """Extract the text of a PDF; its Markdown has a heading for each page, and its tables."""
    document = _open(data)
    try:
        properties: dict[str, Any] = document.get_metadata_dict(skip_empty=True)
        pages, notes = _pages(document)
    finally:
        document.close()
    text = "\n\n".join(p.text for p in pages if p.text)
    marked = "\n\n".join(
        f"## Page {n}\n\n{p.markdown}" for n, p in enumerate(pages, start=1) if p.text
    )
    title = cut(one_line(properties.get("Title", "")), 300)
    return Page(
        url=url,
        title=title or cut(text.partition("\n")[0], 120),
        text=text,
        markdown=marked,
        author=cut(one_line(properties.get("Author", "")), 80) or None,
        published=_date(properties.get("CreationDate", "")),
        content_type="application/pdf",
        notes=tuple(notes),
    )


def pdf_pages(data: bytes) -> list[str]:
    """Return the text of each page, the first at index 0."""
    document = _open(data)
    try:
        return [page.text for page in _pages(document)[0]]
    finally:
        document.close()


def _pypdfium2() -> Any:
    """Return the parser library."""
    return require("pypdfium2")


def _open(data: bytes) -> Any:
    pypdfium2 = _pypdfium2()
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unparsable(
                msg("the PDF is encrypted, and cannot be read without its password")
            ) from None
        raise Unparsable(msg("the PDF is damaged")) from None


def _pages(document: Any) -> tuple[list[PdfPage], list[str]]:
    count = len(document)
    pages: list[PdfPage] = []
    chars = 0
    for number in range(min(count, MAX_PAGES)):
        pages.append(_page(document, number))
        chars += len(pages[-1].text)
        if chars > MAX_CHARS:
            raise TooLarge(
                msg("the PDF has more than {max_chars:,} characters", max_chars=MAX_CHARS)
            )
    notes = []
    if count > MAX_PAGES:
        notes.append(
            msg("cut: the first {max_pages:,} of {count:,} pages", max_pages=MAX_PAGES, count=count)
        )
    bare = sum(len(p.text) < _FEW_CHARS for p in pages)
    if not any(p.text for p in pages):
        notes.append(
            msg(
                "scanned, no text: the pages are pictures, or empty; recognise their text first, "
                "as with ocrmypdf"
            )
        )
    elif bare > len(pages) / 2:
        notes.append(
            msg(
                "{bare} of {count} pages have hardly any text: they may be pictures",
                bare=bare,
                count=len(pages),
            )
        )
    return pages, notes


def _page(document: Any, number: int) -> PdfPage:
    try:
        page = document[number]
        try:
            textpage = page.get_textpage()
            try:
                text = _paragraphs(_plain(textpage.get_text_bounded()))
                return PdfPage(text, _markdown(textpage) or text)
            finally:
                textpage.close()
        finally:
            page.close()
    except _pypdfium2().PdfiumError:
        return PdfPage()  # one damaged page must not lose the others


def _markdown(textpage: Any) -> str:
    raw = textpage.get_text_range().replace("\r", " ")
    if len(raw) != textpage.count_chars():  # characters of two units: places would be wrong
        return ""
    return _plain(to_markdown(read_lines(textpage, raw), level=3)).strip()


def _plain(text: str) -> str:
    # pdfium marks the hyphen of a broken word with U+FFFE
    return visible(text.replace("\ufffe\r\n", "").replace("\ufffe\n", "").replace("\ufffe", ""))


def _paragraphs(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _date(value: str) -> str | None:
    match = re.match(r"(?:D:)?(\d{8})(\d{6})?", value)
    return parse_date(match[1] + (match[2] or "")) if match else None
