"""Office documents: read without what they mark as hidden."""

from __future__ import annotations

import io
import zipfile

import pytest

from kensaku.errors import TooLarge
from kensaku.extract import extract

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def zipped(files: dict[str, str | bytes]) -> bytes:
    """A zip archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_word_document_is_read_with_headings_lists_and_tables() -> None:
    """What Word calls a heading is one in Markdown; what it hides stays hidden."""
    body = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Otters</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>They swim </w:t></w:r><w:r><w:t>well.</w:t></w:r></w:p>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
        "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Crabs</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p>"
        "</w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"
    )
    core = "<c><title>Notes</title><creator>Ada Brook</creator><created>2024-05-03T09:00:00Z</created></c>"
    page = extract(
        zipped(
            {
                "[Content_Types].xml": "<Types/>",
                "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
                "docProps/core.xml": core,
            }
        )
    )

    assert (page.title, page.author, page.published) == (
        "Notes",
        "Ada Brook",
        "2024-05-03T09:00:00Z",
    )
    assert page.markdown.startswith("# Otters\n\nThey swim well.\n\n- Crabs\n\n| a | b |")
    assert "secret" not in page.text
    assert page.text.startswith("Otters\n\nThey swim well.")


def test_a_workbook_is_read_without_its_hidden_sheets_rows_and_columns() -> None:
    """Hidden cells are where people keep what they would not show."""
    sheet = (
        '<worksheet><cols><col min="3" max="3" hidden="1"/></cols><sheetData>'
        '<row><c r="A1" t="s"><v>0</v></c><c r="B1"><v>7</v></c><c r="C1"><v>99</v></c></row>'
        '<row hidden="1"><c r="A2"><v>88</v></c></row></sheetData></worksheet>'
    )
    page = extract(
        zipped(
            {
                "xl/workbook.xml": '<workbook><sheets><sheet name="Open"/><sheet name="Shut" state="hidden"/>'
                "</sheets></workbook>",
                "xl/sharedStrings.xml": "<sst><si><t>Otters</t></si></sst>",
                "xl/worksheets/sheet1.xml": sheet,
                "xl/worksheets/sheet2.xml": sheet.replace(">7<", ">77<"),
            }
        )
    )

    assert "| Otters | 7 |" in page.markdown
    assert not {"99", "88", "77", "Shut"} & set(page.text.split())


def test_slides_are_read_in_order_without_hidden_ones() -> None:
    """slide10 comes after slide2."""
    slide = "<sld{}><p><r><t>Slide text {}</t></r></p></sld>"
    page = extract(
        zipped(
            {
                "ppt/presentation.xml": "<p/>",
                "ppt/slides/slide10.xml": slide.format("", "ten"),
                "ppt/slides/slide2.xml": slide.format("", "two"),
                "ppt/slides/slide3.xml": slide.format(' show="0"', "three"),
            }
        )
    )

    assert page.text.index("two") < page.text.index("ten")
    assert "three" not in page.text


def test_a_zip_bomb_is_not_unpacked() -> None:
    """60 MB of one letter fit into 60 KB."""
    with pytest.raises(TooLarge):
        extract(zipped({"word/document.xml": b"<a>" + b"a" * 60_000_000 + b"</a>"}))
