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
        (JA, "euc_jp", "text/html; charset=x-euc-jp"),
        (KO, "cp949", "text/html; charset=ks_c_5601-1987"),
        (ZH, "gb18030", "text/html; charset=gb2312"),
        (ZH, "gb18030", "text/html; charset='x-gbk'"),
        ("東京都港区六本木", "euc_jp", ""),  # as likely Chinese: the first candidate stays
        ("今天的天气很好，我们去公园。", "gb18030", ""),
        ("搜尋引擎是尋找詞語的機器。", "big5hkscs", ""),
        (RU, "iso8859_5", "text/html; charset=iso-8859-5"),
        ("naïve café, it’s €5", "cp1252", "text/html; charset=shift_jis"),
        ("naïve café, it’s €5", "cp1252", "text/html; charset=utf-8"),
        ("Işık ğüş", "cp1254", "text/html; charset=iso-8859-9"),
        ("ภาษาไทย", "cp874", "text/html; charset=tis-620"),
        ("plain ASCII", "ascii", "text/html; charset=utf-7"),
        ("words é and é", "cp1252", "text/html; charset=no-such"),
        ("words é and é", "cp1252", "text/html; charset=idna"),
        ("\ufeffwords", "utf-16-be", ""),
        ("\ufeffwords", "utf-32-le", ""),
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


def zeros_at(even: int, odd: int, size: int = 4_096) -> bytes:
    """Letters, with so many zeros at even and at odd places, from the first on."""
    data = bytearray(b"w" * size)
    data[: 2 * even : 2] = bytes(even)
    data[-2 * odd + 1 :: 2] = bytes(odd)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "wide"),
    [
        (zeros_at(20, 205), True),  # a twentieth of 4,096 bytes, and a tenth of that
        (zeros_at(0, 204), False),
        (zeros_at(21, 205), False),
        (zeros_at(20, 205) + b"\0w", True),
        (zeros_at(0, 204) + b"w\0" * 99, False),
        (b"\1\0" * 40 + b"w\0" * 2_007 + b"w\0" + b"\1\0", True),
        (b"\1\0" * 40 + b"w\0" * 2_007 + b"\1\0" + b"w\0", False),
    ],
)
def test_wide_text_is_known_by_its_first_4096_bytes(data: bytes, wide: bool) -> None:
    """A page may be megabytes, and its end a program."""
    assert (decode_wide(data) is not None) is wide


def test_text_is_wide_in_the_order_that_has_more_zeros() -> None:
    """The zero of an ASCII letter is its high byte."""
    assert decode_wide(b"\0w" * 20 + b"w\0") == "w" * 20 + "\u7700"
    assert decode_wide(b"w\0" * 20 + b"\0w") == "w" * 20 + "\u7700"


GREEK = "text/html; charset=windows-1253"


@pytest.mark.parametrize(
    ("data", "label", "encoding", "used"),
    [
        (b"\xe1" * 999 + b"\xaa", GREEK, "cp1253", True),
        (b"\xe1" * 998 + b"\xaa", GREEK, "cp1253", False),
        (b"\xaa" * 65 + b"\xe1" * 65_471 + b"\xaa", GREEK, "cp1253", True),
        (b"\xaa" * 65 + b"\xe1" * 65_470 + b"\xaa", GREEK, "cp1253", False),
        (b"\xd0" * 9 + b"\x80", "charset=iso-8859-5", "iso8859_5", True),
        (b"\xd0" * 8 + b"\x80", "charset=iso-8859-5", "iso8859_5", False),
        (b" " * 4_070 + b"<meta charset=windows-1253>\xe1", "", "cp1253", True),
        (b" " * 4_071 + b"<meta charset=windows-1253>\xe1", "", "cp1253", False),
        (b"\xe1", "text/html; charset = 'windows-1253'", "cp1253", True),
        (b"\xe1", "text/html; CHARSET=windows-1253", "cp1253", True),
        (b"<meta charset=windows-1253>\xe1", "charset=utf-8", "cp1253", True),
        (b"<meta charset=windows-1253>\xe1", "charset=no-such", "cp1253", True),
        (b"<meta charset=windows-1253>\xe1", "charset=iso-8859-5", "iso8859_5", True),
        (b"<meta charset=windows-1253>\xe1", "charset=iso-8859-1", "cp1253", True),
        (b"<meta charset=windows-1253>\xe1", "charset=euc-jp", "cp1253", True),
        (b"\xe1", "charset=utf-7", "cp1252", True),
        (b"\xe1", "charset=hex", "cp1252", True),
        (b"\xe1", "charset=x-user-defined", "cp1252", True),
    ],
    ids=range(18),
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
        (b"plain", "cp1252"),
        (b"a \x1b$B8!:w\x1b(B", "iso2022_jp"),
        (b"a \x1b(J", "iso2022_jp"),
        (b"a \x1b$", "iso2022_jp"),
        (b"a \x1b[1m", "cp1252"),
        (b"caf\xe9 " * 9 + b"\xe9\xe9\xe9", "cp1252"),
    ],
)
def test_what_speaks_for_nothing_else_is_western(sample: bytes, encoding: str) -> None:
    """Escapes are those of Japanese mail."""
    assert decode(sample) == sample.decode(encoding, "replace")


def test_a_charset_is_guessed_from_the_first_32768_bytes() -> None:
    """A page may be megabytes."""
    mail = b"\x1b$B8!:w\x1b(B"

    assert decode(b"a" * 32_766 + mail) == "a" * 32_766 + "検索"
    assert decode(b"a" * 32_767 + mail) == "a" * 32_767 + mail.decode()
