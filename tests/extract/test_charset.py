"""The charset of a page is found, whatever its label."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html
from kensaku.extract.charset import decode, decode_wide


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (
            "<meta charset=shift_jis><p>検索エンジンは言葉を探す機械である。</p>".encode("cp932"),
            "検索エンジン",
        ),
        (
            "<p>検索エンジンは言葉を探す機械である。これは日本語の文章です。</p>".encode("euc_jp"),
            "検索エンジン",
        ),
        ("<p>Поисковая система ищет слова в документах.</p>".encode("cp1251"), "Поисковая"),
        ("<p>Größe und Übung für alle, café déjà vu.</p>".encode("cp1252"), "Größe"),
        (
            "\ufeff<p>A text with a byte order mark, and some words.</p>".encode("utf-16"),
            "byte order",
        ),
        ("<meta charset=utf-8><p>caf\u00e9 and more words</p>".encode(), "café"),
        (b"<meta charset=utf-8><p>caf\xe9 and more words of the same text</p>", "and more words"),
        (b"<meta charset=rot13><p>plain words of a page \xe9</p>", "plain words"),
    ],
)
def test_the_charset_is_found(data: bytes, word: str) -> None:
    """Headers lie, and old Japanese pages say nothing at all."""
    assert word in extract_html(data).text


JA = "検索エンジンは言葉を探す機械である。"
KO = "검색 엔진은 단어를 찾는 기계이다."
ZH = "搜索引擎是寻找词语的机器。"
RU = "Поисковая система ищет слова"


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        (JA, "shift_jis", ""),
        (JA, "euc_jp", ""),
        (JA, "iso2022_jp", ""),
        (JA, "utf-8", "text/html; charset=shift_jis"),
        (JA, "cp932", "text/html; charset=x-sjis"),
        (JA, "cp932", "text/html; charset=Windows-31J"),
        (JA, "euc_jp", "text/html; charset=x-euc-jp"),
        (JA, "euc_jp", "text/html; charset=iso-8859-1"),
        (KO, "cp949", ""),
        (KO, "cp949", "text/html; charset=ks_c_5601-1987"),
        (ZH, "gb18030", "text/html; charset=gb2312"),
        (ZH, "gb18030", "text/html; charset='x-gbk'"),
        (RU, "cp1251", ""),
        (RU, "koi8_r", ""),
        (RU, "iso8859_5", "text/html; charset=iso-8859-5"),
        ("naïve café, it’s €5", "cp1252", ""),
        ("naïve café, it’s €5", "cp1252", "text/html; charset=shift_jis"),
        ("naïve café, it’s €5", "cp1252", "text/html; charset=utf-8"),
        ("Işık ğüş", "cp1254", "text/html; charset=iso-8859-9"),
        ("ภาษาไทย", "cp874", "text/html; charset=tis-620"),
        ("plain ASCII", "ascii", "text/html; charset=utf-7"),
        ("words é and é", "cp1252", "text/html; charset=rot13"),
        ("words é and é", "cp1252", "text/html; charset=no-such"),
        ("words é and é", "cp1252", "text/html; charset=idna"),
        ("\ufeffwords", "utf-16-le", ""),
        ("\ufeffwords", "utf-16-be", ""),
        ("\ufeffwords", "utf-32-le", ""),
        ("\ufeffwords", "utf-32-be", ""),
        ("words without a mark", "utf-16-le", ""),
        ("words without a mark", "utf-16-be", ""),
        ("\ufeffwords é", "utf-8", "text/html; charset=iso-8859-1"),
    ],
)
def test_a_text_is_read_in_the_charset_it_was_written_in(
    text: str, encoding: str, label: str
) -> None:
    """With a label that is right, wrong, unknown or missing."""
    assert decode(text.encode(encoding), label) == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="iso-8859-5">', "iso8859_5"),
        ("<meta http-equiv=x content='text/html; charset=iso-8859-5'>", "iso8859_5"),
        ('<?xml version="1.0" encoding="iso-8859-5"?>', "iso8859_5"),
        ('@charset "iso-8859-5"; ', "iso8859_5"),
        (" " * 4_064 + '<meta charset="iso-8859-5">', "iso8859_5"),
    ],
)
def test_a_label_inside_the_text_is_read(head: str, encoding: str) -> None:
    """In the first 4,096 bytes, in HTML, XML and CSS."""
    assert decode((head + RU).encode(encoding)) == head + RU


def test_a_few_wrong_bytes_do_not_change_the_charset() -> None:
    """A page that is cut inside a letter, or one wrong byte among twenty letters."""
    assert decode("é".encode() * 20 + b"\xff") == "é" * 20 + "\ufffd"
    assert decode("é".encode() * 19 + b"\xff") != "é" * 19 + "\ufffd"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"words", None),
        (b"w\0o\0", "wo"),
        (b"\0w\0o", "wo"),
        (b"\0\0\0\0", None),
        (b"\1\0" * 50, None),
        (b"w\0" * 49 + b"\1\0", "w" * 49 + "\1"),
        (b"w\0" * 48 + b"\1\0", None),
        (b"w\0\t\0\r\0\n\0\x0c\0", "w\t\r\n\x0c"),
        ("検索".encode("utf-16-le") * 9 + b"w\0w\0", "検索" * 9 + "ww"),
        ("検索".encode("utf-16-le") * 9 + b"w\0", None),
        (b"w\0" * 10 + b"\0w", "w" * 10 + "\u7700"),
        (b"w\0" * 9 + b"\0w", None),
    ],
)
def test_wide_text_is_known_by_where_its_zeros_are(data: bytes, text: str | None) -> None:
    """One zero in twenty bytes, nearly all on one side, and hardly any control characters."""
    assert decode_wide(data) == text
