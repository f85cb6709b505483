"""PDF documents: read page by page, or refused in one sentence."""

from __future__ import annotations

import contextlib

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract, pdf_pages
from kensaku.models import Page


def pdf(*pages: str, trailer: str = "", first_object: str = "", draw: str = "") -> bytes:
    """A small PDF with one line of text on each page."""
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        first_object or "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
    ]
    for n, text in enumerate(pages):
        line = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else "0 0 10 10 re f"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 << /Type"
            f" /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Contents {4 + 2 * n} 0 R >>"
        )
        objects.append(f"<< /Length {len(draw or line)} >>\nstream\n{draw or line}\nendstream")
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

    assert page == Page(
        url="https://example.org/a",
        title="Notes on otters",
        author="Ada Brook",
        published="2024-05-03T09:00:00Z",
        content_type="application/pdf",
        text="Otters swim in rivers\n\nThey eat fish and crabs",
        markdown="## Page 1\n\nOtters swim in rivers\n\n## Page 2\n\nThey eat fish and crabs",
    )
    assert pdf_pages(data) == ["Otters swim in rivers", "They eat fish and crabs"]


SOME = "twenty letters of it"


@pytest.mark.parametrize(
    ("pages", "notes"),
    [
        (
            ("", ""),
            (
                "scanned, no text: the pages are pictures, or empty; recognise their text first, "
                "as with ocrmypdf",
            ),
        ),
        ((SOME, "", ""), ("2 of 3 pages have hardly any text: they may be pictures",)),
        ((SOME[1:], SOME[1:], SOME), ("2 of 3 pages have hardly any text: they may be pictures",)),
        ((SOME, SOME, ""), ()),
        ((SOME, ""), ()),
    ],
)
def test_pages_without_text_are_counted(pages: tuple[str, ...], notes: tuple[str, ...]) -> None:
    """More than half of them, each with less than twenty letters."""
    assert extract(pdf(*pages)).notes == notes


def test_a_pdf_without_properties_has_its_first_line_as_its_title() -> None:
    """At most 120 characters; a title that is declared has 300, and a name 80."""
    known = b"/Title (Notes on otters) /Author (Ada Brook) /CreationDate"
    bare = pdf("i" * 125, "x").replace(known, b"/X")
    long = pdf("x").replace(b"Notes on otters", b"t" * 301).replace(b"Ada Brook", b"A" * 81)

    assert extract(bare).title == "i" * 119 + "…"
    assert extract(pdf("Otters", "x").replace(known, b"/X")).title == "Otters"
    assert (extract(bare).author, extract(bare).published) == (None, None)
    assert (extract(long).title, extract(long).author) == ("t" * 299 + "…", "A" * 79 + "…")


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        (b"D:20240503090000+09'00'", "2024-05-03T09:00:00Z"),
        (b"20240503", "2024-05-03"),
        (b"D:202405", None),
        (b"", None),
    ],
)
def test_a_date_of_a_pdf_is_read(written: bytes, iso: str | None) -> None:
    """With and without its mark and its time."""
    assert extract(pdf("x").replace(b"D:20240503090000Z", written)).published == iso


def test_a_long_pdf_is_cut() -> None:
    """After 2,000 pages, with a note."""
    cut = extract(pdf(*[SOME] * 2_002))

    assert cut.notes == ("cut: the first 2,000 of 2,002 pages",)
    assert cut.text.count(SOME) == 2_000
    assert extract(pdf(*[SOME] * 3)).notes == ()


def test_a_damaged_page_does_not_lose_the_others() -> None:
    """It is empty."""
    data = pdf(SOME, "this one is lost", SOME)
    damaged = data.replace(b"/Type /Page /Parent 2 0 R", b"/Type /Pige /Parent 2 0 R", 2)
    damaged = damaged.replace(b"/Type /Pige", b"/Type /Page", 1)

    assert extract(damaged).text.count(SOME) == 2


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


def drawn(*texts: tuple[float, float, float, str]) -> bytes:
    """A page with texts at their places: x, y, size of the letters, words."""
    draw = ") Tj ET ".join(f"BT /F1 {size} Tf {x} {y} Td ({words}" for x, y, size, words in texts)
    return pdf("x", draw=f"{draw}) Tj ET")


def test_a_table_keeps_its_rows_and_columns() -> None:
    """What a figure means is said by its row and its column alone."""
    rows = [("", "2018", "2017"), ("Net income", "$ 5,363", "$ 4,869"), ("Depreciation", "1,488", "1,544"),
            ("Inventories", "(509)", "(387)"), ("Other ......", "-", "57")]  # fmt: skip
    places = [
        (x, 600 - 14 * n, 10, words)
        for n, row in enumerate(rows)
        for x, words in zip((72, 300, 400), row, strict=True)
        if words
    ]

    page = extract(drawn((72, 640, 18, "Cash Flow"), (72, 620, 10, "In millions"), *places))

    assert "### Cash Flow" in page.markdown
    assert page.markdown.endswith(
        "|  | 2018 | 2017 |\n| --- | --- | --- |\n| Net income | $5,363 | $4,869 |\n"
        "| Depreciation | 1,488 | 1,544 |\n| Inventories | (509) | (387) |\n| Other | - | 57 |"
    )
    assert "Depreciation 1,488 1,544" in page.text


def test_two_columns_of_prose_are_no_table() -> None:
    """A wrong table is worse than none."""
    words = "otters swim in the cold sea and sleep on their backs"
    left = [(72, 700 - 14 * n, 10, words) for n in range(8)]

    page = extract(drawn(*left, *((340, y, size, text) for _, y, size, text in left)))

    assert "|" not in page.markdown


def test_bullets_are_list_items() -> None:
    """A list in a report is a list for a model."""
    page = extract(
        drawn((72, 700, 10, "They eat"), (80, 686, 10, "- urchins"), (80, 672, 10, "- crabs"))
    )

    assert "They eat\n- urchins\n- crabs" in page.markdown
