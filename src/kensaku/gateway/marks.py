"""Read what a model writes while it arrives: citations are found, images are not loaded. Pure.

    "Otters hold hands [2]." → Text("Otters hold hands"), Cited(source 2), Text(".")
    "![x](https://…)"        → "[x](https://…)"

A mark counts if its source holds the sentence before it (`answers.check`); then the vendor's own
citation takes its place. One that does not hold is left out. A page may talk a model into an
image whose address carries the conversation away, so an image becomes a link. Code stays as it
is, and so does all that a model writes before it has used the web.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kensaku.answers.check import supports
from kensaku.gateway.turn import Cited, Text
from kensaku.text.passages import sentences
from kensaku.text.tokens import document_terms

if TYPE_CHECKING:
    from kensaku.answers.evidence import Reference

MAX_QUOTE = 150  # characters; Anthropic's citations have no more
MAX_CLAIM = 1_000  # characters before a mark that it may stand for
_TOKEN = re.compile(
    r"(?P<blank>[ \t]?)\[(?P<numbers>\d{1,3}(?: ?, ?\d{1,3}){0,5})\]"
    r"|(?P<image>!(?=\[)|<(?=img\b))|(?P<ticks>`+)|(?P<line>\n)",
    re.IGNORECASE,
)
# May become one of these with the next piece.
_BEGUN = re.compile(r"(?:!?[ \t]?\[[\d, ]{0,24}|[ \t]|!|<(?:i|im|img)?|`+)\Z", re.IGNORECASE)


class Marks:
    """Takes a text piece by piece. `sources` grow meanwhile."""

    def __init__(self, sources: Mapping[int, Reference]) -> None:
        self._sources = sources
        self._held = ""
        self._claim = ""  # of the paragraph, without marks
        self._line = ""  # of what was said; empty at its start
        self._fenced = self._inline = False

    def feed(self, piece: str) -> Iterator[Text | Cited]:
        """Yield what is known by now."""
        text, self._held = self._held + piece, ""
        if self._sources and (begun := _BEGUN.search(text)):
            text, self._held = text[: begun.start()], begun[0]
        yield from self._read(text)

    def end(self) -> Iterator[Text | Cited]:
        """Yield the rest."""
        text, self._held = self._held, ""
        yield from self._read(text)

    def _read(self, text: str) -> Iterator[Text | Cited]:
        said, at = "", 0
        for token in _TOKEN.finditer(text) if self._sources else ():
            said += self._note(text[at : token.start()])
            at = token.end()
            cited = self._cited(token)
            if cited is None:
                said += self._note(self._plain(token))
                continue
            if said:
                yield Text(said)
            said = ""
            yield from cited
        said += self._note(text[at:])
        if said:
            yield Text(said)

    def _plain(self, token: re.Match[str]) -> str:
        """Return a token that is no citation, as it is said; keep track of code."""
        if token["line"]:
            self._inline = False
        elif ticks := token["ticks"]:
            if not self._inline and len(ticks) >= 3 and not self._line.strip():
                self._fenced = not self._fenced
            elif not self._fenced:
                self._inline = not self._inline
        elif token["image"] and not self._is_code:
            return "" if token["image"] == "!" else "&lt;"
        return token[0]

    def _cited(self, token: re.Match[str]) -> list[Cited] | None:
        """Return the citations of a mark that hold; None: it is no mark."""
        if token["numbers"] is None or self._is_code:
            return None
        numbers = dict.fromkeys(int(n) for n in re.findall(r"\d+", token["numbers"]))
        known = [self._sources[n] for n in numbers if n in self._sources]
        claim = _last_sentence(self._claim)
        held = [Cited(s, quote_of(s, claim), token[0]) for s in known if supports(s, claim)]
        is_index = not token["blank"] and self._claim[-1:].isalnum()  # of a list, in a program
        return held if held or (known and not is_index) else None

    @property
    def _is_code(self) -> bool:
        return self._fenced or self._inline

    def _note(self, text: str) -> str:
        self._claim = (self._claim + text).rpartition("\n\n")[2][-MAX_CLAIM:]
        self._line = (self._line + text).rpartition("\n")[2][-MAX_CLAIM:]
        return text


def quote_of(source: Reference, claim: str) -> str:
    """Return the sentence of a source that has most of the words of a claim."""
    wanted = frozenset(document_terms(claim).words)
    best, most = "", -1
    for passage in source.passages:
        for start, end in sentences(passage.text):
            sentence = passage.text[start:end].strip()
            shared = len(wanted & frozenset(document_terms(sentence).words))
            if shared > most:
                best, most = sentence, shared
    return best[:MAX_QUOTE]


def _last_sentence(text: str) -> str:
    text = text.rstrip()
    *_, (start, end) = [(0, 0), *sentences(text)]
    return text[start:end].strip()
