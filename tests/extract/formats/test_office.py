"""Office documents: read without what they mark as hidden."""

from __future__ import annotations

import pytest

from kensaku.extract import extract
from kensaku.models import Page
from tests.extract.formats.documents import cells, paragraph, word, workbook, zipped


def test_a_word_document_is_read_with_headings_lists_and_tables() -> None:
    """What Word calls a heading is one in Markdown; what it hides stays hidden."""
    body = (
        paragraph("Otters", '<w:pStyle w:val="Heading1"/>')
        + "<w:p><w:r><w:t>They swim </w:t></w:r><w:r><w:t>well.</w:t></w:r></w:p>"
        + "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
        + paragraph("Crabs", "<w:numPr/>")
        + f"<w:tbl>{cells('a', 'b')}{cells('1', '')}</w:tbl>"
        + f"<w:tbl>{cells('c')}{cells('2')}</w:tbl>"
        + paragraph("End")
    )
    core = "<c><title>Notes</title><creator>Ada Brook</creator><created>2024-05-03T09:00:00Z</created></c>"
    page = extract(word(body, **{"docProps/core.xml": core}), url="https://example.org/a")

    assert page == Page(
        url="https://example.org/a",
        title="Notes",
        author="Ada Brook",
        published="2024-05-03T09:00:00Z",
        content_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        markdown=(
            "# Otters\n\nThey swim well.\n\n- Crabs\n\n"
            "| a | b |\n| --- | --- |\n| 1 |  |\n\n| c |\n| --- |\n| 2 |\n\nEnd"
        ),
        text="Otters\n\nThey swim well.\n\nCrabs\n\na | b\n1 | \n\nc\n2\n\nEnd",
    )


LONG = "otter" * 20_000  # more than the parser reads at once


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        (paragraph("A", '<w:pStyle w:val="Title"/>'), "# A"),
        (paragraph("A", '<w:pStyle w:val="heading 6"/>'), "###### A"),
        (paragraph("A", '<w:pStyle w:val="heading 7"/>'), "A"),
        (paragraph("", '<w:pStyle w:val="Title"/>') + paragraph("B"), "B"),
        (paragraph("", "<w:numPr/>") + paragraph("B"), "B"),
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "a b c"),
        ("<w:p><w:r><w:t>a</w:t><w:drawing/><w:t>b</w:t></w:r></w:p>", "ab"),
        (paragraph(LONG), LONG),
        (
            f"<w:p><w:r><w:t>a</w:t><w:txbxContent>{paragraph('box')}</w:txbxContent></w:r></w:p>",
            "box\n\na",
        ),
        (
            f"<w:tbl>{cells('a', 'b')}<w:tr><w:tc><w:tbl>{cells('c')}</w:tbl></w:tc></w:tr></w:tbl>",
            "| a | b |\n| --- | --- |\n| c |\n|  |",
        ),
        (f"<w:tbl>{cells('# a', 'b')}</w:tbl>", "| a | b |\n| --- | --- |"),
    ],
)
def test_what_word_marks_is_marked_in_markdown(body: str, markdown: str) -> None:
    """Styles, tabs, line breaks, text boxes, and tables inside of tables."""
    assert extract(word(body)).markdown == markdown


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("<w:vanish/>", "seen"),
        ("<w:webHidden/>", "seen"),
        ('<w:vanish w:val="1"/>', "seen"),
        ('<w:vanish w:val="0"/>', "seen\n\nmarked"),
        ('<w:vanish w:val="false"/>', "seen\n\nmarked"),
        ('<w:vanish w:val="off"/>', "seen\n\nmarked"),
        ("<w:b/>", "seen\n\nmarked"),
    ],
)
def test_word_hides_a_run_by_a_mark_that_may_be_switched_off(mark: str, text: str) -> None:
    """A style hides text, and a run inside may show it again."""
    marked = f"<w:p><w:r><w:rPr>{mark}</w:rPr><w:t>marked</w:t></w:r></w:p>"

    assert extract(word(paragraph("seen") + marked)).text == text


def test_a_workbook_is_read_without_its_hidden_sheets_rows_and_columns() -> None:
    """Hidden cells are where people keep what they would not show."""
    sheet = (
        '<worksheet><cols><col min="3" max="3" hidden="1"/><col min="4" max="4"/></cols><sheetData>'
        '<row><c r="A1" t="s"><v>0</v></c><c r="B1"><v>7</v></c><c r="C1"><v>99</v></c>'
        '<c r="D1" t="inlineStr"><is><t>in  line</t></is></c></row>'
        '<row hidden="1"><c r="A2"><v>88</v></c></row><row hidden="true"><c r="A3"><v>88</v></c></row>'
        '<row hidden="0"><c r="A4" t="s"><v>1</v></c><c r="B4" t="s"><v>2</v></c></row><row/>'
        "</sheetData></worksheet>"
    )
    names = (
        '<sheet name="Open"/><sheet name="Shut" state="hidden"/><sheet name="Void"/>'
        '<sheet name="Locked" state="veryHidden"/><sheet name="Last"/>'
    )
    page = extract(
        zipped(
            {
                "xl/workbook.xml": f"<workbook><sheets>{names}</sheets></workbook>",
                "xl/sharedStrings.xml": "<sst><si><t>Ot</t><r><t>ters</t></r></si><si><t>Two</t></si></sst>",
                "xl/worksheets/sheet1.xml": sheet,
                "xl/worksheets/sheet2.xml": sheet.replace(">7<", ">77<"),
                "xl/worksheets/sheet4.xml": sheet.replace(">7<", ">77<"),
                "xl/worksheets/sheet5.xml": "<worksheet><row><c><v>5</v></c></row></worksheet>",
            }
        )
    )

    assert page == Page(
        url="",
        title="Open",
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        markdown=(
            "## Open\n\n| Otters | 7 | in line |\n| --- | --- | --- |\n| Two | 2 |\n\n"
            "## Last\n\n| 5 |\n| --- |"
        ),
        text="Open\n\nOtters | 7 | in line\nTwo | 2\n\nLast\n\n5",
    )


CELLS = "".join(f'<c r="{name}1"><v>{name}</v></c>' for name in ("A", "B", "Z", "AA", "AB", "BA"))


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ('min="1" max="1" hidden="1"', "B Z AA AB BA"),
        ('min="1" max="2" hidden="true"', "Z AA AB BA"),
        ('min="27" max="27" hidden="1"', "A B Z AB BA"),
        ('min="53" max="53" hidden="1"', "A B Z AA AB"),
        ('min="1" max="1" hidden="0"', "A B Z AA AB BA"),
        ('min="2" max="999999999" hidden="1"', "A"),
        ('min="1" max="1000000000" hidden="1"', "A B Z AA AB BA"),
        ('min="x" max="x" hidden="1"', "A B Z AA AB BA"),
        ('min="1" max="²" hidden="1"', "A B Z AA AB BA"),
    ],
)
def test_hidden_columns_are_found_by_their_letters(column: str, shown: str) -> None:
    """Z is followed by AA; what is no number hides nothing."""
    page = extract(workbook(f"<row>{CELLS}</row>", columns=f"<col {column}/>"))

    assert page.text.splitlines()[2] == shown.replace(" ", " | ")


def test_slides_are_read_in_order_without_hidden_ones() -> None:
    """slide10 comes after slide2."""
    slide = "<sld{}><p><r><t>Slide</t></r><r><t> text  {}</t></r></p><p/><p><t>More</t></p></sld>"
    page = extract(
        zipped(
            {
                "ppt/presentation.xml": "<p/>",
                "ppt/slides/slide10.xml": slide.format("", "ten"),
                "ppt/slides/slide2.xml": slide.format(' show="1"', "two"),
                "ppt/slides/slide3.xml": slide.format(' show="0"', "three"),
                "ppt/slides/slide4.xml": slide.format(' show="false"', "four"),
                "ppt/slides/slide5.xml": "<sld/>",
                "ppt/slides/slide6.xml": "<other><p><t>Six</t></p></other>",
                "ppt/slides/notes7.xml": slide.format("", "seven"),
            }
        )
    )

    assert page == Page(
        url="",
        title="Slide 2",
        content_type="application/vnd.openxmlformats-officedocument.presentationml.presentation",
        markdown=(
            "## Slide 2\n\nSlide text two\n\nMore\n\n## Slide 6\n\nSix\n\n"
            "## Slide 10\n\nSlide text ten\n\nMore"
        ),
        text=(
            "Slide 2\n\nSlide text two\n\nMore\n\nSlide 6\n\nSix\n\n"
            "Slide 10\n\nSlide text ten\n\nMore"
        ),
    )


def test_an_open_document_is_read_with_headings_and_paragraphs() -> None:
    """The level of a heading is an attribute; without one it is the second."""
    o = 'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    body = (
        '<t:h t:outline-level="1">Otters</t:h><t:p>They <t:span>swim </t:span> well.</t:p><t:p/>'
        '<t:h t:outline-level="6">Six</t:h><t:h t:outline-level="7">Seven</t:h>'
        '<t:h t:outline-level="X">Ten</t:h><t:h>None</t:h>'
        "<t:h/><t:p>a<t:box><t:p>box</t:p></t:box></t:p><t:list>no paragraph</t:list>"
    )
    meta = f"<m><title>{'T' * 301}</title><creator>{'A' * 81}</creator><date>2024-05-03</date></m>"
    page = extract(
        zipped(
            {
                "mimetype": "application/vnd.oasis.opendocument.text",
                "content.xml": f"<t:text {o}>{body}</t:text>",
                "meta.xml": meta,
            }
        )
    )

    assert page == Page(
        url="",
        title="T" * 299 + "…",
        author="A" * 79 + "…",
        published="2024-05-03",
        content_type="application/vnd.oasis.opendocument.text",
        markdown=(
            "# Otters\n\nThey swim well.\n\n###### Six\n\n## Seven\n\n## Ten\n\n## None\n\nbox\n\na"
        ),
        text="Otters\n\nThey swim well.\n\nSix\n\nSeven\n\nTen\n\nNone\n\nbox\n\na",
    )
