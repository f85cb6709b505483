"""Any document → Page: sniff its kind and call the parser of that kind."""

from __future__ import annotations

from dataclasses import replace

from kensaku.errors import Unparsable
from kensaku.extract.formats import text
from kensaku.extract.formats.pdf import extract_pdf
from kensaku.extract.html.markup_check import check_size
from kensaku.extract.sniff import Kind, sniff
from kensaku.messages import msg
from kensaku.models import Page


def extract(data: bytes, *, url: str = "", content_type: str = "") -> Page:
    """Extract the page of a document; its first bytes decide which kind it is.

    Raise `TooLarge` for a document over the limits and `Unparsable` when it has no text to extract.
    """
    check_size(len(data))
    if not data.strip(b" \t\r\n\f\v\0\xef\xbb\xbf\xff\xfe"):  # space, and byte order marks
        raise Unparsable(msg("the document is empty"))
    page = _extract_kind(sniff(data, content_type), data, url, content_type)
    if not page.text and not page.notes:
        return replace(page, notes=(msg("no text: there are no words in the document"),))
    return page


def _extract_kind(kind: Kind, data: bytes, url: str, content_type: str) -> Page:
    if kind == "html":
        from kensaku.extract.html.page import extract_html

        return extract_html(data, url, content_type=content_type)
    if kind == "pdf":
        return extract_pdf(data, url)
    if kind == "xml":
        from kensaku.extract.formats.xml import extract_xml

        return extract_xml(data, url, content_type)
    if kind in ("docx", "xlsx", "pptx", "odf"):
        from kensaku.extract.formats.office import extract_office

        return extract_office(data, kind, url)
    read = {"json": text.extract_json, "csv": text.extract_csv, "markdown": text.extract_markdown}
    return read.get(kind, text.extract_text)(data, url, content_type)
