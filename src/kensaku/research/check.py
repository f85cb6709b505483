"""Check a model's text against its sources: each citation, sentence by sentence. Pure.

[3: "quote"] → does the quote stand in source 3? → [3], or the sentence is cut
[3]          → does source 3 have its words and figures? → [3], or the sentence is cut
no citation, or a figure that its sources do not have → marked as not verified
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.answers.sentences import whole_sentences
from kensaku.answers.verify import MAX_QUOTE, verify
from kensaku.index.tokens import document_terms
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.research.evidence import Reference

MAX_TEXT = 100_000
MIN_QUOTE = 6  # characters: less stands everywhere
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


@dataclass(slots=True)
class Checked:
    """A text whose citations hold, and what was done to it."""

    text: str = ""
    cited: int = 0  # sentences with a citation that holds
    cut: int = 0
    marked: int = 0


@dataclass(frozen=True, slots=True)
class _Citation:
    n: int
    quote: str | None


def check_text(text: str, sources: Mapping[int, Reference], mark: str) -> Checked:
    """Return the text with only the citations that hold; `mark` follows what nothing supports."""
    checked = Checked()
    lines = []
    for line in text[:MAX_TEXT].split("\n"):
        if match := _HEADING.match(line):
            lines.append(f"{match[1]} {flatten(_CITATION.sub('', match[2]))}")
            continue
        item = _ITEM.match(line)
        start, body = (item[1], item[2]) if item else ("", line)
        kept = _check_line(body, sources, mark, checked)
        if kept or not body.strip():
            lines.append(f"{start}{kept}" if kept else "")
    checked.text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return checked


def _check_line(line: str, sources: Mapping[int, Reference], mark: str, checked: Checked) -> str:
    citations: list[_Citation] = []

    def take(match: re.Match[str]) -> str:
        numbers = [match[1]] if match[1] else re.findall(r"\d+", match[3])
        first = len(citations)
        citations.extend(_Citation(int(n), match[2]) for n in numbers)
        return "".join(f"\x01{at}\x01" for at in range(first, len(citations)))

    kept = []
    for sentence in _sentences(_CITATION.sub(take, line)):
        found = [citations[int(at)] for at in _TOKEN.findall(sentence)]
        words = flatten(_TOKEN.sub("", sentence))
        if not words.strip(" .。"):
            continue
        holding = [c.n for c in found if _holds(c, words, sources)]
        if found and not holding:
            checked.cut += 1
            continue
        numbers = "".join(f" [{n}]" for n in dict.fromkeys(holding))
        checked.cited += bool(holding)
        doubtful = not holding or not _has_figures(words, [sources[n] for n in holding])
        checked.marked += doubtful
        kept.append(f"{words}{numbers}{f' {mark}' if doubtful else ''}")
    return " ".join(kept)


def _sentences(line: str) -> list[str]:
    """Split a line; citations behind a full stop belong to the sentence before them."""
    found: list[str] = []
    for start, end in whole_sentences(line):
        sentence = line[start:end]
        leading = _LEADING.match(sentence)
        if leading and found:
            found[-1] += leading[1]
            sentence = sentence[leading.end() :]
        if sentence.strip():
            found.append(sentence)
    return found


def _holds(citation: _Citation, words: str, sources: Mapping[int, Reference]) -> bool:
    source = sources.get(citation.n)
    if source is None:
        return False
    if citation.quote is not None:
        return stands_in(citation.quote, source)
    return stands_in(words.rstrip(".。 "), source) or _is_supported(words, source)


def stands_in(quote: str, source: Reference) -> bool:
    """Whether a quote stands in one of the passages of a source."""
    bare = quote.strip()
    if not MIN_QUOTE <= len(bare) <= MAX_QUOTE or not any(c.isalnum() for c in bare):
        return False
    return any(verify(bare, p.text).found for p in source.passages)


def _is_supported(words: str, source: Reference) -> bool:
    """Whether a passage has most of the words of a sentence, and the source all its figures."""
    wanted = frozenset(document_terms(words).words)
    if not wanted or not _has_figures(words, [source]):
        return False
    passages = (frozenset(document_terms(p.text).words) for p in source.passages)
    return any(len(wanted & has) / len(wanted) >= SUPPORT for has in passages)


def _has_figures(words: str, sources: list[Reference]) -> bool:
    figures = set(_FIGURE.findall(words))
    return figures <= {f for s in sources for p in s.passages for f in _FIGURE.findall(p.text)}
