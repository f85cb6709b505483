"""PDF documents: read page by page, or refused in one sentence."""

from __future__ import annotations

import contextlib

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract, pdf_pages


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
