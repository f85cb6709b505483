"""Documents of other kinds: recognised by their bytes, read, or refused in one sentence."""

from __future__ import annotations

import contextlib
import io
import zipfile

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import extract, pdf_pages

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def zipped(files: dict[str, str | bytes]) -> bytes:
    """A zip archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def pdf(*pages: str, trailer: str = "", first_object: str = "") -> bytes:
    """A small PDF with one line of text on each page."""
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        first_object or "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
    ]
    for n, text in enumerate(pages):
        draw = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else "0 0 10 10 re f"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 << /Type"
            f" /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Contents {4 + 2 * n} 0 R >>"
        )
        objects.append(f"<< /Length {len(draw)} >>\nstream\n{draw}\nendstream")
    objects.append(
        "<< /Title (Notes on otters) /Author (Ada Brook) /CreationDate (D:20240503090000Z) >>"
    )
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    table += "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {trailer} >>\n"
    )
    return body + (table + end + f"startxref\n{len(body)}\n%%EOF\n").encode("latin-1")


def test_a_pdf_is_read_page_by_page() -> None:
    """A citation of a report names the page."""
    data = pdf("Otters swim in rivers", "They eat fish and crabs")
    page = extract(data, url="https://example.org/a")

    assert page.content_type == "application/pdf"
    assert (page.title, page.author) == ("Notes on otters", "Ada Brook")
    assert page.published == "2024-05-03T09:00:00Z"
    assert "Otters swim in rivers" in page.text
    assert "## Page 2\n\nThey eat fish and crabs" in page.markdown
    assert pdf_pages(data)[1] == "They eat fish and crabs"


def test_a_scanned_pdf_says_that_it_has_no_text() -> None:
    """ "No text" and "a picture of text" are different answers."""
    assert any("scanned, no text" in note for note in extract(pdf("", "")).notes)


def test_an_encrypted_pdf_is_refused_in_one_clear_sentence() -> None:
    """The reader can then ask for the password, not wonder."""
    secret = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
    secret += f"/O <{'ab' * 32}> /U <{'cd' * 32}> >> /ID [<{'00' * 16}> <{'00' * 16}>]"
    with pytest.raises(Unparsable, match="encrypted"):
        extract(pdf("Otters", trailer=secret))


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.4\ngarbage",
        b"%PDF-1.7\n" + b"1 0 obj\n<<" * 10_000,
        pdf("x")[:200],
        pdf("x", first_object="<< /Type /Catalog /Pages 1 0 R >>"),
        pdf("x").replace(b"startxref\n", b"startxref\n9"),
        pdf("x", trailer="/Prev 9"),
    ],
    ids=["no objects", "unclosed", "cut", "catalog is its own tree", "wrong xref", "xref loop"],
)
def test_a_broken_pdf_gives_a_page_or_a_typed_error(data: bytes) -> None:
    """pdfium repairs what it can."""
    with contextlib.suppress(Unparsable):
        assert isinstance(extract(data).text, str)


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


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "PNG"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "JPEG"),
        (b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 50, "video"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 50, "Office"),
        (b"PK\x03\x04" + b"\x00" * 50, "zip"),
        (zipped({"a.txt": "x"}), "zip"),
        (b"\x00\x01\x02\x03" * 100, "binary"),
        (b"   \n", "empty"),
    ],
)
def test_what_holds_no_text_is_refused_by_name(data: bytes, word: str) -> None:
    """The suffix and the header may say anything."""
    with pytest.raises(Unparsable, match=word):
        extract(data, url="https://example.org/page.html", content_type="text/html")


def test_a_feed_is_read_as_its_entries() -> None:
    """RSS and Atom are lists of links with dates."""
    rss = (
        '<?xml version="1.0"?><rss><channel><title>River Journal</title><item><title>Otters &amp;amp; '
        "tools</title><link>https://example.org/a</link><pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate>"
        "<description>&lt;p&gt;They use &lt;b&gt;stones&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>"
    )
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>River</title><entry><title>Otters</title>'
        '<link rel="self" href="https://example.org/x"/><link href="https://example.org/b"/>'
        "<updated>2024-05-03T00:00:00Z</updated><summary>Short.</summary></entry></feed>"
    )
    one, other = extract(rss.encode()), extract(atom.encode())

    assert (one.title, one.content_type) == ("River Journal", "application/rss+xml")
    assert one.links == ("https://example.org/a",)
    assert "Otters & tools" in one.text
    assert "They use stones." in one.text
    assert one.published == "2006-01-02T15:04:05Z"
    assert (other.links, other.content_type) == (("https://example.org/b",), "application/atom+xml")


def test_plain_text_markdown_json_and_csv_are_told_apart() -> None:
    """The bytes decide; the header only between texts."""
    assert extract(b"First line\nSecond line").title == "First line"
    assert extract(b'{"title": "Otters", "n": 1}').title == "Otters"
    assert extract(b'{"title": broken', content_type="application/json").notes == (
        "not valid JSON",
    )
    table = extract(b"a,b\n1,2\n", content_type="text/csv; charset=utf-8")
    assert table.markdown == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert extract(
        b"<html><body><p>Some words of a page</p>", content_type="text/plain"
    ).content_type == ("text/html")
    assert extract(b"if a < b and c > d: pass").content_type == "text/plain"


def test_markdown_loses_what_a_reader_does_not_see_or_should_not_click() -> None:
    """Comments, images and links that run something hide in Markdown as in HTML."""
    source = b"# Otters\n\nA [link](https://example.org) and [bad](javascript:alert). ![alt](https://x/i.png) <!-- h -->"
    page = extract(source, content_type="text/markdown")

    assert page.title == "Otters"
    assert page.markdown == "# Otters\n\nA [link](https://example.org) and bad."
    assert page.text == "Otters\n\nA link and bad."
