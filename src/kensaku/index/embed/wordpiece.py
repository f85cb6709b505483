"""BERT's uncased WordPiece tokenizer: text → token ids, as the MiniLM family takes them. Pure.

`wordpiece.txt.xz` is the vocabulary of bert-base-uncased (Google, Apache-2.0): model packages
that contain only weights do not include it.
"""

from __future__ import annotations

import functools
import lzma
import re
import unicodedata
from importlib.resources import files

START, END, UNKNOWN = 101, 102, 100
MAX_WORD = 100
_CACHED = 50_000

_ASCII = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")


class WordPiece:
    """The tokenizer: greedy, longest piece first."""

    def __init__(self) -> None:
        packed = files("kensaku.index.embed").joinpath("wordpiece.txt.xz").read_bytes()
        words = lzma.decompress(packed).decode().split("\n")
        self._numbers = {word: number for number, word in enumerate(words)}
        self._word = functools.lru_cache(maxsize=_CACHED)(self._pieces)

    def tokens(self, text: str) -> list[int]:
        """Return the token ids of a text, without the marks for start and end."""
        return [number for word in _split(text) for number in self._word(word)]

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > MAX_WORD:
            return (UNKNOWN,)
        ids = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else f"##{word[start:end]}"
                number = self._numbers.get(piece)
                if number is not None:
                    ids.append(number)
                    start = end
                    break
            else:
                return (UNKNOWN,)
        return tuple(ids)


def _split(text: str) -> list[str]:
    text = text.lower()
    return (
        _ASCII.findall(text)
        if text.isascii()
        else "".join(map(_separate, _strip_accents(text))).split()
    )


def _strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


@functools.lru_cache(maxsize=10_000)
def _separate(character: str) -> str:
    """Put spaces around punctuation and Chinese characters; drop control characters."""
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cf", "Co", "Cn"):
        return " " if character in "\t\n\r" else ""
    sign = character.isascii() and not character.isalnum() and not character.isspace()
    return f" {character} " if sign or kind[0] == "P" or _HAN.match(character) else character
