"""Whether a text is Japanese: what is English in it is a name, code, or the words of others."""

from __future__ import annotations

import re

JAPANESE = re.compile(r"[\u3041-\u30fe\u4e00-\u9fff]")
# Three plain words in a row are a sentence of ours; code and names are no plain words.
_ENGLISH = re.compile(r"(?<![\w./`$=|<-])[A-Z]?[a-z]+(?: [a-z]+){2,}(?![\w=./|>])")
_CODE = re.compile(r"`[^`]*`|kensaku \S+ \S+.*|https?://\S+|pip install.*|openssl \S+ \S+ \S+")


def english_in(text: str) -> list[str]:
    """Return what looks like English sentences."""
    return _ENGLISH.findall(_CODE.sub("", text))


def is_japanese(text: str) -> bool:
    """Whether a text is Japanese without English sentences in it."""
    return bool(JAPANESE.search(text)) and not english_in(text)
