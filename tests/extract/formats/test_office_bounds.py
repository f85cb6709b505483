"""Office documents that are too large, damaged or encrypted."""

from __future__ import annotations

import struct

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import extract
from kensaku.extract.formats.office import archive_names
from tests.extract.formats.documents import paragraph, row, word, workbook, zipped


def test_a_long_workbook_is_cut() -> None:
    """Rows beyond the 20,000th and columns beyond the 200th are left out."""
    rows = extract(workbook("<row><v>x</v></row>" * 20_001)).text.split()
    wide = extract(workbook(row("x " * 201))).text.split("S")[1]

    assert (rows.count("x"), wide.count("x")) == (20_000, 200)


def test_a_huge_sheet_is_refused() -> None:
    """A shared string may be shown in every cell, so that a small file has a huge text."""
    string = f"<si><t>{'a' * 500_000}</t></si>"
    shown = '<row><c t="s"><v>0</v></c></row>'
    with pytest.raises(TooLarge, match="more than 10,000,000 characters"):
        extract(workbook(shown * 21, strings=string))


def test_of_many_slides_the_first_thousand_are_read() -> None:
    """The number of a slide, not its name, says which is first."""
    slides = {f"ppt/slides/slide{n}.xml": "<sld><p><t>x</t></p></sld>" for n in range(1, 1_002)}
    text = extract(zipped({"ppt/presentation.xml": "<p/>"} | slides)).text

    assert text.endswith("Slide 1000\n\nx")


def test_a_damaged_or_encrypted_document_is_refused_in_one_sentence() -> None:
    """People then know whether to look for a password or for another copy."""
    whole = word(paragraph("Otters"))
    for data, sentence in (
        (whole[: len(whole) // 2], "damaged zip archive"),
        (whole.replace(b"<w:", b"<w "), "no readable word/document.xml"),
        (zipped({"mimetype": "x", "content.xml": "<a"}), "the XML is damaged"),
    ):
        damaged = bytearray(data)
        if sentence.startswith("no readable"):
            at = whole.index(b"document.xml") + len("document.xml")
            damaged[at + 5 : at + 25] = b"\xff" * 20
        with pytest.raises(Unparsable, match=sentence):
            extract(bytes(damaged))
    encrypted = bytearray(whole)
    encrypted[6] |= 1  # the flag of the file, and that of the directory
    encrypted[whole.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unparsable, match="encrypted"):
        extract(bytes(encrypted))


def with_entries(archive: bytes, count: int) -> bytes:
    """The archive with a directory of so many entries, which all say what its only one says."""
    start, end = archive.index(b"PK\x01\x02"), archive.index(b"PK\x05\x06")
    directory = archive[start:end] * count
    counts = struct.pack("<HHHHII", 0, 0, count, count, len(directory), start)
    return archive[:start] + directory + archive[end : end + 4] + counts + archive[end + 20 :]


def test_an_archive_of_more_than_ten_thousand_files_is_refused() -> None:
    """No document has so many parts."""
    whole = word(paragraph("Otters"))

    assert archive_names(with_entries(whole, 10_000)) == {"word/document.xml"}
    with pytest.raises(TooLarge, match="more than 10,000 files"):
        archive_names(with_entries(whole, 10_001))


def test_a_zip_bomb_is_not_unpacked() -> None:
    """50 MB of one letter fit into 50 KB: a part of a document may have so much, and no more."""
    with pytest.raises(TooLarge, match="more than 52,428,800 bytes"):
        extract(zipped({"word/document.xml": b" " * 52_428_801}))
