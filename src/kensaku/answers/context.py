"""What was found, packed for a prompt: passages across pages, under a budget of tokens.

    hits → passages → ranked by the query's words, or by a reranker
         → packed, a page at a time → text + citations

The ids `[1]`, `[2]`, … stand for pages and stay the same when a cursor asks for more; should the
results have changed by then, a note says so. Every token of the text counts, the headers too.
The last passage ends with a sentence, or with a word and "…" where that would leave much of the
budget; the cursor goes on behind it.
"""

from __future__ import annotations

import base64
import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kensaku.answers.passages import offset_of
from kensaku.answers.tokenizer import counter
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.models import Hit, Outcome, Passage
from kensaku.text.escape import escape_lines, flatten, line_starts
from kensaku.text.passages import sentences, word_ends
from kensaku.text.short import short_repr

if TYPE_CHECKING:
    from kensaku.answers.tokenizer import Counter
    from kensaku.models import Attempt, Response
    from kensaku.models.confidence import Confidence

MAX_TOKENS = 1_000_000
FULL = 0.9  # of the budget: less is filled up with part of a sentence …
MIN_ROOM = 8  # … of at least so many tokens: fewer words say nothing
_OWN = line_starts(r"\[\d+\]", structure=False)  # how pages begin


@dataclass(frozen=True, slots=True)
class Citation:
    """A page that the text cites as `[n]`."""

    n: int
    url: str
    title: str
    published: str | None = None
    passages: tuple[Passage, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, n: int, hit: Hit) -> Citation:
        """A hit as a citation: its text is the passage."""
        start = offset_of(hit)
        whole = Passage(hit.url, hit.content, start, start + len(hit.content), title=hit.title)
        return cls(n, hit.url, hit.title, hit.published, (whole,))

    def to_dict(self) -> dict[str, Any]:
        """The citation, ready for JSON."""
        spans = [{"start": p.start, "end": p.end, "text": p.text} for p in self.passages]
        return {"n": self.n, "url": self.url, "title": self.title, "published": self.published,
                "passages": spans}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Context:
    """Text for a prompt, and where each part of it comes from."""

    text: str
    citations: tuple[Citation, ...]
    tokens: int
    outcome: Outcome
    cursor: str | None = None  # give it back for what did not fit
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    confidence: Confidence | None = None  # of the search

    def to_dict(self) -> dict[str, Any]:
        """The context, ready for JSON."""
        return {
            "text": self.text,
            "citations": [c.to_dict() for c in self.citations],
            "tokens": self.tokens,
            "outcome": str(self.outcome),
            "cursor": self.cursor,
            "attempts": [a.to_dict() for a in self.attempts],
            "notes": list(self.notes),
            "confidence": None if self.confidence is None else self.confidence.to_dict(),
        }


def check_budget(max_tokens: object) -> None:
    """Raise `InvalidQuery` for a number of tokens out of bounds."""
    whole = isinstance(max_tokens, int) and not isinstance(max_tokens, bool)
    if not whole or not 1 <= max_tokens <= MAX_TOKENS:  # type: ignore[operator]
        raise InvalidQuery(
            msg(
                "max_tokens is {short_repr}; it must be 1 to 1,000,000",
                short_repr=short_repr(max_tokens),
            )
        )


def to_context(
    response: Response,
    passages: Sequence[Passage],
    max_tokens: int,
    position: Position,
    tokenizer: str,
) -> Context:
    """Pack the passages of what a search found, the best first.

    `position` is where the part before ended (`position_of`).
    """
    dates = {hit.url: hit.published for hit in response.hits}
    packed = pack(passages, max_tokens, counter(tokenizer), position=position, dates=dates)
    notes = response.notes
    if has_changed(position.mark, passages):
        news = msg("the results have changed since the part before: [n] may stand for another page")
        notes = (*notes, news)
    return Context(
        text=packed.text,
        citations=packed.citations,
        tokens=packed.tokens,
        outcome=response.outcome,
        cursor=cursor_of(packed.position, passages, position.tokens or max_tokens),
        attempts=response.attempts,
        notes=notes,
        confidence=response.confidence,
    )


@dataclass(frozen=True, slots=True)
class Packed:
    """Passages as text, with what it cites, its tokens, and how far it came."""

    text: str
    citations: tuple[Citation, ...]
    tokens: int
    position: Position


def pack(
    passages: Sequence[Passage],
    budget: int,
    count: Counter,
    *,
    position: Position | None = None,
    dates: Mapping[str, str | None] | None = None,
) -> Packed:
    """Pack as many passages as fit; of the last one, the sentences or words that fit.

    `position` is where to go on. `dates` says when a page was published, by its address.
    """
    numbers: dict[str, int] = {}
    for passage in passages:  # an id belongs to a page, whether it is shown now or later
        numbers.setdefault(passage.url, len(numbers) + 1)
    taken, end = _fit(passages, position or Position(), numbers, budget, count)
    text = _render(taken, numbers)
    while taken and count(text) > budget:  # a vocabulary that does not add up
        last = taken.pop()
        done = last.number
        end = Position(done, last.passage.start - passages[done].start)
        text = _render(taken, numbers)
    citations = tuple(
        Citation(numbers[url], url, found[0].title, (dates or {}).get(url), tuple(found))
        for url, found in _by_page(taken, numbers)
    )
    return Packed(text, citations, count(text) if text else 0, end)


class _Taken(NamedTuple):
    """A passage that fits, or its beginning; `number` is its place in the list."""

    number: int
    passage: Passage
    torn: bool = False  # it ends inside a sentence


def _fit(
    passages: Sequence[Passage],
    begin: Position,
    numbers: dict[str, int],
    budget: int,
    count: Counter,
) -> tuple[list[_Taken], Position]:
    """Take passages while they fit. Parts are counted one by one and add up to a little more than
    the whole, so the whole is only counted when the budget is near."""
    taken: list[_Taken] = []
    used, within = 0, begin.within
    for done in range(begin.done, len(passages)):
        passage, within = _rest(passages[done], within), 0
        if not passage.text:
            continue
        whole = _Taken(done, passage)
        size = used + count(_part(whole, taken, numbers))
        if size > budget:
            size = count(_render([*taken, whole], numbers))
        if size <= budget:
            used = size
            taken.append(whole)
            continue
        beginning = _beginning(whole, taken, numbers, budget, count)
        if beginning is not None:
            taken.append(beginning)
        elif not taken:
            continue  # not one word fits: of a page with a shorter title it may
        end = beginning.passage.end if beginning else passage.start
        return taken, Position(done, end - passages[done].start)
    return taken, Position(len(passages))


def _part(one: _Taken, taken: Iterable[_Taken], numbers: dict[str, int]) -> str:
    """Return what a passage adds to the text."""
    if any(one.passage.url == other.passage.url for other in taken):
        return "\n…\n" + escape_lines(one.passage.text, _OWN) + (" …" if one.torn else "")
    return "\n\n" + _render([one], numbers)


def _rest(passage: Passage, within: int) -> Passage:
    """Return a passage without the characters that were shown before."""
    rest = passage.text[within:].lstrip() if within else passage.text
    return replace(passage, text=rest, start=passage.end - len(rest))


def _beginning(
    whole: _Taken,
    taken: Sequence[_Taken],
    numbers: dict[str, int],
    budget: int,
    count: Counter,
) -> _Taken | None:
    """Return the beginning of a passage that fits: whole sentences, or else whole words."""
    passage = whole.passage
    room = budget - count(_render(taken, numbers))

    def beginning(end: int, *, torn: bool) -> _Taken:
        text = passage.text[:end].rstrip()
        cut = replace(passage, text=text, end=passage.start + len(text))
        return _Taken(whole.number, cut, torn)

    def longest(ends: Sequence[int], *, torn: bool) -> _Taken | None:
        fit = bisect_right(
            ends, room, key=lambda end: count(_part(beginning(end, torn=torn), taken, numbers))
        )
        while (
            fit and count(_render([*taken, beginning(ends[fit - 1], torn=torn)], numbers)) > budget
        ):
            fit -= 1
        return beginning(ends[fit - 1], torn=torn) if fit else None

    sentence = longest([end for _, end in sentences(passage.text)], torn=False)
    if sentence and count(_render([*taken, sentence], numbers)) >= FULL * budget:
        return sentence
    words = longest(list(word_ends(passage.text)), torn=True)
    shown = len(sentence.passage.text) if sentence else 0
    if words is None or count(words.passage.text[shown:]) < MIN_ROOM:
        return sentence
    return words


def _by_page(taken: Iterable[_Taken], numbers: dict[str, int]) -> list[tuple[str, list[Passage]]]:
    pages: dict[str, list[Passage]] = {}
    for one in taken:
        pages.setdefault(one.passage.url, []).append(one.passage)
    for found in pages.values():
        found.sort(key=lambda p: p.start)
    return sorted(pages.items(), key=lambda page: numbers[page[0]])


def _render(taken: Sequence[_Taken], numbers: dict[str, int]) -> str:
    torn = {(one.passage.url, one.passage.end) for one in taken if one.torn}
    parts = []
    for url, found in _by_page(taken, numbers):
        title = found[0].title
        name = f"{title} ({url})" if title and title != url else url
        text = escape_lines(_join(found).strip(), _OWN)
        end = " …" if (url, found[-1].end) in torn else ""
        parts.append(f"[{numbers[url]}] {flatten(name)}\n{text}{end}")
    return "\n\n".join(parts)


def _join(found: Sequence[Passage]) -> str:
    """The passages of a page in reading order; "…" stands for what is left out between them."""
    text, end = found[0].text, found[0].end
    for passage in found[1:]:
        if passage.start <= end:
            text += passage.text[end - passage.start :]
        else:
            text += "\n…\n" + passage.text
        end = max(end, passage.end)
    return text


@dataclass(frozen=True, slots=True)
class Position:
    """Where the part before ended: passages shown, characters of the next one, and which list."""

    done: int = 0
    within: int = 0
    mark: str = ""
    tokens: int = 0  # the budget of the first part: the list is made for it


def cursor_of(position: Position, passages: Sequence[Passage], tokens: int) -> str | None:
    """Where to go on, and in which list; None when everything was shown."""
    if position.done >= len(passages):
        return None
    values = f"{position.done}.{position.within}.{tokens}.{_mark(passages)}"
    return base64.urlsafe_b64encode(values.encode()).decode()


def position_of(cursor: str | None) -> Position:
    """Read a cursor. Raises `InvalidQuery` for one that is not ours."""
    if cursor is None:
        return Position()
    try:
        *numbers, mark = base64.urlsafe_b64decode(cursor.encode()).decode().split(".")
        small = all(n.isdecimal() and len(n) <= 7 for n in numbers)
        if small and len(numbers) == 3 and len(mark) == 16:
            done, within, tokens = map(int, numbers)
            return Position(done, within, mark, min(tokens, MAX_TOKENS))
    except ValueError:
        pass
    raise InvalidQuery(
        msg("the cursor is not one of ours"), remedy=msg("give back Context.cursor unchanged")
    )


def has_changed(mark: str, passages: Sequence[Passage]) -> bool:
    """Whether the list is another than the one that a cursor was made for."""
    return bool(mark) and mark != _mark(passages)


def _mark(passages: Sequence[Passage]) -> str:
    places = "\n".join(f"{p.start} {p.url}" for p in passages)
    return hashlib.blake2b(places.encode("utf-8", "replace"), digest_size=8).hexdigest()
