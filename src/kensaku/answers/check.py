"""Check a model's text against its sources while it arrives: sentence by sentence. Pure.

[3: "quote"] → does the quote stand in source 3? → [3], or the sentence is cut
[3]          → does source 3 have its words and figures? → [3], or the sentence is cut
no citation, or a figure that its sources do not have → marked as not verified

A sentence is given out once the next one has begun: citations behind its full stop belong to it.
However a text is divided into pieces, the same comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.sentences import joined_sentences
from kensaku.answers.verify import MAX_QUOTE, verify
from kensaku.messages import msg
from kensaku.text.escape import flatten
from kensaku.text.links import clean_reply, disarm_links
from kensaku.text.tokens import document_terms

if TYPE_CHECKING:
    from kensaku.answers.evidence import Reference

MAX_TEXT = 100_000
UNVERIFIED = msg("(not verified)")
MIN_QUOTE = 6  # characters: less stands everywhere
RULE_LETTERS = 32  # of a rule in a row, that no sentence shares by chance
MAX_CITATION = 640  # characters that a citation may have
SUPPORT = 0.5  # share of a sentence's words that its source must have when nothing is quoted
_CITATION = re.compile(
    r"\s*\[(\d{1,3})(?:\s*[:：]\s*[\"“”„«「『']([^\n\]]{0,600}?)[\"“”»」』'])?\s*\]"
    r"|\s*\[(\d{1,3}(?:\s*[,;、]\s*\d{1,3})+)\]"
)
_TOKEN = re.compile("\x01(\\d+)\x01")  # stands for a citation while sentences are told apart
_LEADING = re.compile("\\s*((?:\x01\\d+\x01\\s*)+)[.。]?")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*(?:[-*•]|\d{1,3}[.)])\s+)(.*)")
_UNKNOWN = re.compile(r"\s*(?:[-*•]|\d{0,3}[.)]?)\s*")
_STOPS = frozenset(".!?…\"'”’)")


@dataclass(slots=True)
class Checked:
    """A text whose citations hold, and what was done to it."""

    text: str = ""
    cited: int = 0  # sentences with a citation that holds
    cut: int = 0
    marked: int = 0

    @property
    def notes(self) -> list[str]:
        """What was done, in sentences."""
        notes = []
        if self.cut:
            notes.append(msg("sentences cut, because no citation of theirs holds: {n}", n=self.cut))
        if self.marked:
            notes.append(msg("sentences marked as not verified: {n}", n=self.marked))
        return notes


@dataclass(frozen=True, slots=True)
class _Citation:
    n: int
    quote: str | None


def clean_line(words: str, sources: Mapping[int, Reference]) -> str:
    """Return words of a model about sources, cleaned, on one line."""
    addresses = frozenset(source.url for source in sources.values())
    texts = (p.text for source in sources.values() for p in source.passages)
    return flatten(clean_reply(words, addresses, texts))


def clean_quote(sentence: str, addresses: Iterable[str]) -> str:
    """Return a sentence of a source on one line: an address that is no source's becomes code."""
    return flatten(disarm_links(sentence, frozenset(addresses), [sentence]))


def check_text(text: str, sources: Mapping[int, Reference], mark: str, rules: str = "") -> Checked:
    """Return the text with only the citations that hold; `mark` follows what nothing supports.

    `rules` are those that the model was given: it must not repeat them.
    """
    checker = Checker(sources, mark, rules)
    checker.feed(text)
    checker.end()
    return checker.checked


class Checker:
    """Takes a text piece by piece, and gives out what of it is checked."""

    def __init__(self, sources: Mapping[int, Reference], mark: str, rules: str = "") -> None:
        self.checked = Checked()
        self._sources, self._mark = sources, mark
        self._rules = _letters(rules)
        self._left = MAX_TEXT
        self._raw = ""  # of the line that is being read, not looked at yet
        self._body = ""  # of it, the sentences that are not given out yet; citations are tokens
        self._citations: list[_Citation] = []
        self._start: str | None = None  # of an item of a list; None: the line is not known yet
        self._has_text = False  # something of the line was given out
        self._newlines = 0  # since the text that was given out last

    def feed(self, piece: str) -> str:
        """Take a piece and return the text that is checked by now and was not returned before."""
        before = len(self.checked.text)
        piece = piece.replace("\x01", "")[: self._left]
        self._left -= len(piece)
        *lines, rest = piece.split("\n")
        for line in lines:
            self._raw += line
            self._end_line()
        self._raw += rest
        self._advance()
        return self.checked.text[before:]

    def end(self) -> str:
        """Return the rest of the text: nothing follows."""
        before = len(self.checked.text)
        self._end_line()
        return self.checked.text[before:]

    def _end_line(self) -> None:
        line = self._raw
        if self._start is None and (heading := _HEADING.match(line)):
            words = self._plain(_CITATION.sub("", heading[2]))
            if not self._repeats_rules(words):
                self._give(f"{heading[1]} {words}")
        elif self._start is None and not line.strip():
            self._has_text = True  # an empty line counts
        else:
            self._begin_line()
            self._read(self._raw)
            self._check(_sentences(self._body))
        self._newlines += self._has_text
        self._raw = self._body = ""
        self._start, self._has_text = None, False
        self._citations.clear()

    def _advance(self) -> None:
        """Check the sentences of an unfinished line behind which another has begun."""
        if self._start is None:
            if self._raw.startswith("#") or _UNKNOWN.fullmatch(self._raw):
                return  # a heading, or too little to know what the line is
            self._begin_line()
        # A citation may have begun; blanks before one belong to it.
        opened = self._raw.find("[", self._raw.rfind("]") + 1)
        known = self._raw
        if opened >= 0 and len(self._raw) - opened < MAX_CITATION:
            known = self._raw[:opened]
        known = known.rstrip()
        self._read(known)
        self._raw = self._raw[len(known) :]
        *final, (_, last) = _sentences(self._body) or [("", 0)]
        if final:
            self._body = self._body[last:]
            self._check(final)

    def _begin_line(self) -> None:
        if self._start is None:
            item = _ITEM.match(self._raw)
            self._start, self._raw = (item[1], item[2]) if item else ("", self._raw)

    def _read(self, text: str) -> None:
        """Add text to the sentences, its citations as tokens."""

        def take(match: re.Match[str]) -> str:
            numbers = [match[1]] if match[1] else re.findall(r"\d+", match[3])
            first = len(self._citations)
            self._citations.extend(_Citation(int(n), match[2]) for n in numbers)
            before = text[match.start() - 1] if match.start() else self._body[-1:]
            blank = " " if before in _STOPS else ""  # a citation hides no end of a sentence
            tokens = (f"\x01{at}\x01" for at in range(first, len(self._citations)))
            return blank + "".join(tokens)

        self._body += _CITATION.sub(take, text)

    def _check(self, sentences: list[tuple[str, int]]) -> None:
        for sentence, _ in sentences:
            found = [self._citations[int(at)] for at in _TOKEN.findall(sentence)]
            words = self._plain(_TOKEN.sub("", sentence))
            if not words.strip(" .。"):
                continue
            holding = [c.n for c in found if _holds(c, words, self._sources)]
            if (found and not holding) or self._repeats_rules(words):
                self.checked.cut += 1
                continue
            numbers = "".join(f" [{n}]" for n in dict.fromkeys(holding))
            self.checked.cited += bool(holding)
            doubtful = not holding or not _has_figures(words, [self._sources[n] for n in holding])
            self.checked.marked += doubtful
            self._give(f"{words}{numbers}{f' {self._mark}' if doubtful else ''}")

    def _plain(self, words: str) -> str:
        return clean_line(words, self._sources)

    def _repeats_rules(self, words: str) -> bool:
        """Whether a sentence is one of the rules, or holds a part of one."""
        said = _letters(words)
        parts = (said[at : at + RULE_LETTERS] for at in range(len(said) - RULE_LETTERS + 1))
        return bool(self._rules) and any(part in self._rules for part in parts)

    def _give(self, words: str) -> None:
        checked = self.checked
        start = "\n" * min(self._newlines, 2) + (self._start or "")
        between = " " if self._has_text else start
        whole = f"{checked.text}{between}{words}"
        checked.text = whole if checked.text else whole.lstrip()
        self._has_text, self._newlines = True, 0


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _sentences(line: str) -> list[tuple[str, int]]:
    """Split a line into sentences, each with where it starts.

    Citations behind a full stop belong to the sentence before them.
    """
    found: list[tuple[str, int]] = []
    for start, end in joined_sentences(line, 0, len(line)):
        leading = _LEADING.match(line, start, end)
        if leading and found:
            text, at = found[-1]
            start = leading.end()
            lone = not any(c.isalnum() for c in line[start:end])  # a bracket without words
            found[-1] = text + leading[1] + (line[start:end] if lone else ""), at
            if lone:
                continue
        if line[start:end].strip():
            found.append((line[start:end], start))
    return found


def _holds(citation: _Citation, words: str, sources: Mapping[int, Reference]) -> bool:
    source = sources.get(citation.n)
    if source is None:
        return False
    if citation.quote is not None:
        return stands_in(citation.quote, source)
    return supports(source, words)


def stands_in(quote: str, source: Reference) -> bool:
    """Whether a quote stands in one of the passages of a source."""
    bare = quote.strip()
    if not MIN_QUOTE <= len(bare) <= MAX_QUOTE or not any(c.isalnum() for c in bare):
        return False
    return any(verify(bare, p.text).found for p in source.passages)


def supports(source: Reference, words: str) -> bool:
    """Whether a source holds a sentence: the very words, or most of them and all its figures."""
    if stands_in(words.rstrip(".。 "), source):
        return True
    wanted = frozenset(document_terms(words).words)
    if not wanted or not _has_figures(words, [source]):
        return False
    passages = (frozenset(document_terms(p.text).words) for p in source.passages)
    return any(len(wanted & has) / len(wanted) >= SUPPORT for has in passages)


def _has_figures(words: str, sources: list[Reference]) -> bool:
    figures = set(_FIGURE.findall(words))
    return figures <= {f for s in sources for p in s.passages for f in _FIGURE.findall(p.text)}
