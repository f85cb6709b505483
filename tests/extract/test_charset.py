"""The charset of a page is found, whatever its label."""

from __future__ import annotations

import pytest

from kensaku.extract.charset import decode, decode_wide

JA = "検索エンジンは言葉を探す機械である。"
KO = "검색 엔진은 단어를 찾는 기계이다."
ZH = "搜索引擎是寻找词语的机器。"
RU = "Поисковая система ищет слова"


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        (JA, "cp932", "text/html; charset=x-sjis"),
        (JA, "cp932", "text/html; charset=Windows-31J"),
        (KO, "cp949", "text/html; charset=ks_c_5601-1987"),
        (ZH, "gb18030", "text/html; charset=gb2312"),
        ("東京都港区六本木", "euc_jp", ""),  # as likely Chinese: the first candidate stays
        ("今天的天气很好，我们去公园。", "gb18030", ""),
        ("搜尋引擎是尋找詞語的機器。", "big5hkscs", ""),
        (RU, "iso8859_5", "text/html; charset=iso-8859-5"),
        ("naïve café, it’s €5", "cp1252", "text/html; charset=shift_jis"),
        ("Işık ğüş", "cp1254", "text/html; charset=iso-8859-9"),
        ("ภาษาไทย", "cp874", "text/html; charset=tis-620"),
        ("plain ASCII", "ascii", "text/html; charset=utf-7"),
        ("words é and é", "cp1252", "text/html; charset=no-such"),
        ("\ufeffwords", "utf-16-be", ""),
        ("\ufeffwords", "utf-32-be", ""),
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
        (b"w\0\t\0\r\0\n\0\x0c\0", "w\t\r\n\x0c"),
        (b"w\0" * 10 + b"\0w", "w" * 10 + "\u7700"),
    ],
)
def test_wide_text_is_known_by_where_its_zeros_are(data: bytes, text: str | None) -> None:
    """One zero in twenty bytes, nearly all on one side, and hardly any control characters."""
    assert decode_wide(data) == text


GREEK = "text/html; charset=windows-1253"


@pytest.mark.parametrize(
    ("data", "label", "encoding", "used"),
    [
        (b"\xe1" * 999 + b"\xaa", GREEK, "cp1253", True),
        (b"\xe1" * 998 + b"\xaa", GREEK, "cp1253", False),
        (b"\xd0" * 9 + b"\x80", "charset=iso-8859-5", "iso8859_5", True),
        (b"\xd0" * 8 + b"\x80", "charset=iso-8859-5", "iso8859_5", False),
        (b" " * 4_070 + b"<meta charset=windows-1253>\xe1", "", "cp1253", True),
        (b" " * 4_071 + b"<meta charset=windows-1253>\xe1", "", "cp1253", False),
        (b"\xe1", "text/html; charset = 'windows-1253'", "cp1253", True),
        (b"<meta charset=windows-1253>\xe1", "charset=no-such", "cp1253", True),
        (b"<meta charset=windows-1253>\xe1", "charset=iso-8859-5", "iso8859_5", True),
        (b"<meta charset=windows-1253>\xe1", "charset=euc-jp", "cp1253", True),
        (b"\xe1", "charset=utf-7", "cp1252", True),
        (b"\xe1", "charset=x-user-defined", "cp1252", True),
    ],
    ids=range(12),
)
def test_a_label_is_used_if_it_fits_the_bytes(
    data: bytes, label: str, encoding: str, used: bool
) -> None:
    """One wrong byte in a thousand, one rare letter in ten; else the next label is tried."""
    assert (decode(data, label) == data.decode(encoding, "replace")) is used


@pytest.mark.parametrize(
    ("sample", "encoding"),
    [
        (b"", "cp1252"),
        (b"a \x1b$B8!:w\x1b(B", "iso2022_jp"),
        (b"a \x1b$", "iso2022_jp"),
        (b"a \x1b[1m", "cp1252"),
        (b"caf\xe9 " * 9 + b"\xe9\xe9\xe9", "cp1252"),
    ],
)
def test_what_speaks_for_nothing_else_is_western(sample: bytes, encoding: str) -> None:
    """Escapes are those of Japanese mail."""
    assert decode(sample) == sample.decode(encoding, "replace")
