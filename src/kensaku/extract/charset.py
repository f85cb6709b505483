"""Bytes → text: byte order mark, then header, then the document's own word, then a guess."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
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
_LABELS |= {
    "x-euc-jp": "euc_jp",
    "unicode": "utf-16",
    "utf8mb4": "utf-8",
    "x-user-defined": "cp1252",
}


def decode(data: bytes, content_type: str = "") -> str:
    """The text of `data`; what cannot be decoded becomes U+FFFD, never an error."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        # Text of any other charset is practically never valid UTF-8 by accident, and pages that
        # say latin-1 while sending UTF-8 are many.
        text = data.decode("utf-8")
        if "\x1b" not in text:
            return text
    except UnicodeDecodeError:
        pass
    encoding = _said(data, content_type) or _guess(data)
    return data.decode(encoding, "replace")


def _said(data: bytes, content_type: str) -> str | None:
    labels = []
    if header := _HEADER.search(content_type):
        labels.append(header[1])
    if inside := _DECLARED.search(data[:4096]):
        labels.append(next(g for g in inside.groups() if g).decode("ascii"))
    for label in labels:
        encoding = _known(label)
        # One wrong byte in a thousand is a slip; more, and the label is wrong.
        if (
            encoding
            and data[:65536].decode(encoding, "replace").count("\ufffd") <= len(data) / 1000
        ):
            return encoding
    return None


def _known(label: str) -> str | None:
    label = label.strip().lower()
    try:
        info = codecs.lookup(_LABELS.get(label, label))
    except LookupError:
        return None
    # codecs such as "rot13" or "zip" are not charsets
    if not info._is_text_encoding or info.name in ("utf-7", "idna", "punycode", "unicode_escape"):
        return None
    return _WIDER.get(info.name, info.name)


_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CYRILLIC = re.compile("[а-яё]{3,}")
_RARE = re.compile("[\u0080-\u009f\ue000-\uf8ff\ufffd\u3400-\u4dbf\uff61-\uff9f]")


def _guess(data: bytes) -> str:
    """The candidate under which the text looks most like a language."""
    sample = data[:32768]
    if b"\x1b$" in sample or b"\x1b(" in sample:
        return "iso2022_jp"
    high = sum(b >= 0x80 for b in sample) or 1
    best, encoding = 0.0, "cp1252"
    for candidate in ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp1251", "koi8_r"):
        text = sample.decode(candidate, "replace")
        score = (
            2.2 * len(_KANA.findall(text))
            + 1.6 * len(_HANGUL.findall(text))
            + 1.5 * len(_HAN.findall(text))
            + sum(len(w) for w in _CYRILLIC.findall(text))
            - 4.0 * len(_RARE.findall(text))
        ) / high
        if score > best + 0.01:
            best, encoding = score, candidate
    return encoding if best > 0.5 else "cp1252"
