"""Bytes → text: byte order mark, then UTF-8, then a label that fits the bytes, then a guess.

Labels are wrong so often that none is trusted against the bytes. "latin-1" is not even a hint: it
is the default of servers that know nothing about a page.
"""

from __future__ import annotations

import codecs
import re

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})"
    rb"|^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})"
    rb"|^@charset\s+\"([\w.:-]{1,40})\"",
    re.IGNORECASE,
)
# Browsers read these labels as a larger set, and pages count on it.
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "latin-1": "cp1252", "shift_jis": "cp932",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "iso8859-9": "cp1254",
    "iso8859-11": "cp874", "tis-620": "cp874", "big5": "big5hkscs",
}  # fmt: skip
_LABELS = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gb18030", "ks_c_5601-1987": "cp949"}
_NOT_CHARSETS = frozenset(
    "utf_7 idna punycode unicode_escape raw_unicode_escape undefined mbcs oem".split()
)
_LABELS |= {
    "x-euc-jp": "euc_jp",
    "unicode": "utf-16",
    "utf8mb4": "utf-8",
    "x-user-defined": "cp1252",
}


def decode(data: bytes, content_type: str = "") -> str:
    """Decode `data`; what cannot be decoded becomes U+FFFD, never an error."""
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :].decode("utf-8", "replace")
    if (text := decode_wide(data)) is not None:
        return text
    try:
        # Text of any other charset is practically never valid UTF-8 by accident.
        text = data.decode("utf-8")
        if not (text.isascii() and "\x1b" in text):  # ISO-2022-JP is made of ASCII, and escapes
            return text
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        if _count_non_ascii(text) > 20 * text.count("\ufffd"):
            return text  # a few wrong bytes, or a text that is cut in the middle of a letter
    return data.decode(_labelled(data, content_type) or _guess(data[:_SAMPLE]), "replace")


def decode_wide(data: bytes) -> str | None:
    """Decode UTF-16 or UTF-32, detected by its mark or by where its zeros are; else None."""
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    first, second = data[:4096:2].count(0), data[1:4096:2].count(0)
    # An ASCII letter has a zero on one side; even Japanese pages have ASCII markup.
    if 20 * max(first, second) < len(data[:4096]) or 10 * min(first, second) > max(first, second):
        return None
    text = data.decode("utf-16-be" if first > second else "utf-16-le", "replace")
    odd = sum(not (c.isprintable() or c in "\t\r\n\f") for c in text[:2048])
    return text if 50 * odd <= len(text[:2048]) else None


def _labelled(data: bytes, content_type: str) -> str | None:
    """Return the encoding of the first label that fits the bytes."""
    labels = []
    if header := _HEADER.search(content_type):
        labels.append(header[1])
    if inside := _DECLARED.search(data[:4096]):
        labels.append(next(g for g in inside.groups() if g).decode("ascii"))
    sample = data[:65536]
    for label in labels:
        encoding = _encoding_of(label)
        if encoding in (None, "utf-8", "cp1252") or (encoding in _ASIAN and _is_western(sample)):
            continue
        text = sample.decode(encoding, "replace")
        # One wrong byte in a thousand is an accident; with more, the label is wrong.
        if text.count("\ufffd") <= len(sample) / 1000 and 10 * _count_rare(
            text
        ) <= _count_non_ascii(text):
            return encoding
    return None


def _encoding_of(label: str) -> str | None:
    label = label.strip().lower()
    try:
        info = codecs.lookup(_LABELS.get(label, label))
    except LookupError:
        return None
    # codecs such as "rot13" or "zip" are not charsets
    if not info._is_text_encoding or info.name.replace("-", "_") in _NOT_CHARSETS:
        return None
    return _WIDER.get(info.name, info.name)


_SAMPLE = 32_768
_JAPANESE = ("cp932", "euc_jp")
_KOREAN = "cp949"
_ASIAN = frozenset(
    (
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "cp932",
        "euc_jp",
        "gb18030",
        "big5hkscs",
        "cp949",
        "iso2022_jp",
    )
)
_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CYRILLIC = re.compile("[а-яё]{3,}")
_RARE = re.compile("[\u0080-\u009f\ue000-\uf8ff\ufffd\u3400-\u4dbf\uff61-\uff9f]")
_NON_ASCII = re.compile("[^\x00-\x7f]+")
_HIGH = re.compile(rb"[\x80-\xff]+")
# One accent or two inside a word, or a sign: é in "été", ’ in "it’s", € in "€5", –. The bytes
# 81 to 83 are left out, which nothing western is written with and most Japanese letters begin with.
_ACCENT = re.compile(
    rb"(?<=[A-Za-z0-9])[\x80\x84-\xff]{1,2}(?![\x80-\xff])"
    rb"|(?<![\x80-\xff])[\x80\x84-\xff]{1,2}(?=[A-Za-z0-9])|(?<=\s)[\x80\x84-\xff](?=\s)"
)


def _guess(sample: bytes) -> str:
    """Return the candidate under which the text looks most like a language."""
    if b"\x1b$" in sample or b"\x1b(" in sample:
        return "iso2022_jp"
    if _is_western(sample):
        return "cp1252"
    high = _length(_HIGH, sample) or 1
    best, encoding = 0.0, "cp1252"
    for candidate in ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp1251", "koi8_r"):
        score = _weight(sample.decode(candidate, "replace"), candidate) / high
        if score > best + 0.01:
            best, encoding = score, candidate
    return encoding if best > 0.5 else "cp1252"


def _weight(text: str, charset: str) -> float:
    """Add up the letters that speak for a charset, less those that speak against it."""
    # Chinese bytes are Hangul and Han in the Korean charset; Korean is written without Han.
    return (
        (4.0 if charset in _JAPANESE else 0.0) * len(_KANA.findall(text))
        + 1.6 * len(_HANGUL.findall(text))
        + (0.0 if charset == _KOREAN else 1.5) * len(_HAN.findall(text))
        + sum(len(w) for w in _CYRILLIC.findall(text))
        - 4.0 * _count_rare(text)
    )


def _is_western(sample: bytes) -> bool:
    """Tell whether the bytes beyond ASCII stand alone in words of ASCII letters, as accents do."""
    return 4 * _length(_ACCENT, sample) >= 3 * _length(_HIGH, sample)


def _length(pattern: re.Pattern[bytes], sample: bytes) -> int:
    return sum(map(len, pattern.findall(sample)))


def _count_non_ascii(text: str) -> int:
    """Count the characters that are not ASCII."""
    return sum(map(len, _NON_ASCII.findall(text)))


def _count_rare(text: str) -> int:
    """Count the characters that are frequent in text decoded with a wrong charset."""
    return len(_RARE.findall(text))
