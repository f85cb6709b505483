"""Which kind of text a document is, and which bytes are none."""

from __future__ import annotations

import pytest

from kensaku.errors import Unparsable
from kensaku.extract.sniff import sniff
from tests.extract.formats.documents import zipped

X = b"x" * 5_000


@pytest.mark.parametrize(
    ("data", "declared", "kind"),
    [
        (b"\n" * 1_019 + b"%PDF-", "text/plain", "pdf"),
        (b"\n" * 1_020 + b"%PDF-", "text/plain", "text"),
        (b"<?xml version='1.0'?><note/>", "text/html", "xml"),
        (b" \n<rss><item/></rss>", "", "xml"),
        (b"<feedback>", "", "html"),
        (b"<?xml version='1.0'?><!DOCTYPE html><p>", "", "html"),
        (b"<?xml version='1.0'?><html>", "", "html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><note/>", "", "xml"),
        (b'{"a": 1}', "", "json"),
        (b"[null]\n", "", "json"),
        (b'{"a": 1', "", "text"),
        (b'{"a": 1', "application/ld+json; charset=utf-8", "json"),
        (b"{a: 1}", "", "text"),
        (b"[link] and text", "", "text"),
        (b"{" + b" " * 198 + b'"a": 1}', "", "json"),
        (b"{" + b" " * 199 + b'"a": 1}', "", "text"),
        (b"plain", "application/json", "text"),
        (b"a,b", "Text/CSV", "csv"),
        (b"a\tb", "text/tab-separated-values", "csv"),
        (b"# a", "text/markdown; charset=utf-8", "markdown"),
        (b"# a", "", "text"),
        (b"<p>a", "text/plain", "text"),
        (b" <!DOCTYPE HTML>", "text/plain", "html"),
        (b"<html>", "text/plain", "html"),
        (b"<p>a", "", "html"),
        (b"words", "text/html", "html"),
        (b"a <b>b</b> <i>", "", "text"),
        (b"a <b>b <i>c <br>", "", "html"),
        (b"a <b>b <i>" + b" " * 65_523 + b"<p>", "", "html"),
        (b"a <b>b <i>" + b" " * 65_525 + b"<p>", "", "text"),
        ("\ufeff{}".encode("utf-16-le"), "", "json"),
        ("\ufeff<p>é".encode("utf-16-be"), "", "html"),
        (b"BMX is a sport", "", "text"),
        (b"words \x01\x08\x0e" + b"x" * 150, "", "text"),
        (b"a\x09\x0a\x0b\x0c\x0d\x1b", "", "text"),
        (b"\x01" + b"x" * 49, "", "text"),
        (b" <p>\x00" + b"x" * 50, "", "html"),
        (b"x" * 4_096 + b"\x00" * 50, "", "text"),
    ],
)
def test_the_kind_of_a_text_is_found(data: bytes, declared: str, kind: str) -> None:
    """By how it begins; the header decides between texts that begin alike."""
    assert sniff(data, declared) == kind


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        (("word/document.xml",), "docx"),
        (("xl/workbook.xml",), "xlsx"),
        (("ppt/presentation.xml",), "pptx"),
        (("mimetype", "content.xml"), "odf"),
        (("content.xml",), None),
        (("mimetype",), None),
    ],
)
def test_an_archive_is_a_document_by_the_names_in_it(
    files: tuple[str, ...], kind: str | None
) -> None:
    """Every office document is a zip archive."""
    data = zipped(dict.fromkeys(files, "x"))
    if kind is None:
        with pytest.raises(Unparsable, match="a zip archive, not a document"):
            sniff(data)
    else:
        assert sniff(data) == kind


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"BM\x00\x00\x00\x00", "a bitmap image"),
        (b"MZ\x90\x00\x03", "a program"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "PNG"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "JPEG"),
        (b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 50, "video"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 50, "Office"),
        (b"PK\x03\x04" + b"\x00" * 50, "zip"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP image"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a WAV recording"),
        (b"\x00\x00\x00\x20ftypavif", "a video or a photograph"),
        (b"\x01" + b"x" * 48, "an unknown binary form"),
        (b"\x08" + b"x" * 48, "an unknown binary form"),
        (b"\x0e" + b"x" * 48, "an unknown binary form"),
        (b"\x1a" + b"x" * 48, "an unknown binary form"),
        (b"words\x00" + b"x" * 5_000, "an unknown binary form"),
        (b"x" * 4_095 + b"\x00" * 50, "an unknown binary form"),
    ],
)
def test_what_is_binary_is_refused_by_name(data: bytes, name: str) -> None:
    """One control character in fifty is an accident, more are not; a NUL is none outside markup."""
    with pytest.raises(Unparsable, match=name):
        sniff(data)
