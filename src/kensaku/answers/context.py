"""What was found, packed for a prompt: passages across pages, under a budget of tokens.

    hits → passages → ranked by the query's words, or by a reranker
         → packed, a page at a time → text + citations

The ids `[1]`, `[2]`, … stand for pages and stay the same when a cursor asks for more; should the
results have changed by then, a note says so. Every token of the text counts, the headers too.
Passages are whole: no word and no character is cut.
"""

from __future__ import annotations

import base64
import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.passages import offset_of
from kensaku.answers.tokenizer import counter
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.models import Hit, Outcome, Passage
from kensaku.text.escape import escape_lines, flatten, line_starts
from kensaku.text.passages import sentences
from kensaku.text.short import short_repr

if TYPE_CHECKING:
    from kensaku.answers.tokenizer import Counter
    from kensaku.models import Attempt, Response
    from kensaku.models.confidence import Confidence

MAX_TOKENS = 1_000_000
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
        cursor=cursor_of(packed.position, passages),
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
    """Pack as many passages as fit; of the last one, the sentences that fit.

    `position` is where to go on. `dates` says when a page was published, by its address.
    """
    numbers: dict[str, int] = {}
    for passage in passages:  # an id belongs to a page, whether it is shown now or later
        numbers.setdefault(passage.url, len(numbers) + 1)
    begin = position or Position()
    taken, end = _fit(passages, begin, numbers, budget, count)
    while taken and count(_render(taken, numbers)) > budget:  # a vocabulary that does not add up
        last = taken.pop()
        done = next(n for n, p in enumerate(passages) if (p.url, p.end) == (last.url, last.end))
        end = Position(done, last.start - passages[done].start)
    text = _render(taken, numbers)
    citations = tuple(
        Citation(numbers[url], url, found[0].title, (dates or {}).get(url), tuple(found))
        for url, found in _by_page(taken, numbers)
    )
    return Packed(text, citations, count(text) if text else 0, end)


def _fit(
    passages: Sequence[Passage],
    begin: Position,
    numbers: dict[str, int],
    budget: int,
    count: Counter,
) -> tuple[list[Passage], Position]:
    """Take passages while they fit. Parts are counted one by one and add up to a little more than
    the whole, so the whole is only counted when the budget is near."""
    taken: list[Passage] = []
    used, within = 0, begin.within
    for done in range(begin.done, len(passages)):
        passage, within = _rest(passages[done], within), 0
        size = used + count(_part(passage, taken, numbers))
        if size > budget:
            size = count(_render([*taken, passage], numbers))
        if size <= budget:
            used = size
            taken.append(passage)
            continue
        beginning = _first_sentences(passage, taken, numbers, budget, count)
        if beginning is not None:
            taken.append(beginning)
        elif not taken:
            continue  # not one sentence fits: a later one may
        end = beginning.end if beginning else passage.start
        return taken, Position(done, end - passages[done].start)
    return taken, Position(len(passages))


def _part(passage: Passage, taken: Iterable[Passage], numbers: dict[str, int]) -> str:
    """Return what a passage adds to the text."""
    if any(passage.url == other.url for other in taken):
        return "\n…\n" + escape_lines(passage.text, _OWN)
    return "\n\n" + _render([passage], numbers)


def _rest(passage: Passage, within: int) -> Passage:
    """Return a passage without the characters that were shown before."""
    rest = passage.text[within:].lstrip() if within else passage.text
    return replace(passage, text=rest, start=passage.end - len(rest))


def _first_sentences(
    passage: Passage,
    taken: Sequence[Passage],
    numbers: dict[str, int],
    budget: int,
    count: Counter,
) -> Passage | None:
    """Return the sentences at the beginning of a passage that fit; None when not one does."""
    ends = [end for _, end in sentences(passage.text)]
    room = budget - count(_render(taken, numbers))

    def beginning(sentences: int) -> Passage:
        text = passage.text[: ends[sentences - 1]].rstrip()
        return replace(passage, text=text, end=passage.start + len(text))

    fit = bisect_right(
        range(1, len(ends) + 1), room, key=lambda n: count(_part(beginning(n), taken, numbers))
    )
    while fit and count(_render([*taken, beginning(fit)], numbers)) > budget:
        fit -= 1
    return beginning(fit) if fit else None


def _by_page(taken: Iterable[Passage], numbers: dict[str, int]) -> list[tuple[str, list[Passage]]]:
    pages: dict[str, list[Passage]] = {}
    for passage in taken:
        pages.setdefault(passage.url, []).append(passage)
    for found in pages.values():
        found.sort(key=lambda p: p.start)
    return sorted(pages.items(), key=lambda page: numbers[page[0]])


def _render(taken: Iterable[Passage], numbers: dict[str, int]) -> str:
    parts = []
    for url, found in _by_page(taken, numbers):
        title = found[0].title
        name = f"{title} ({url})" if title and title != url else url
        parts.append(f"[{numbers[url]}] {flatten(name)}\n{escape_lines(_join(found), _OWN)}")
    return "\n\n".join(parts)


def _join(found: Sequence[Passage]) -> str:
    """The passages of a page in reading order. Neighbours overlap: what they share stands once."""
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


def cursor_of(position: Position, passages: Sequence[Passage]) -> str | None:
    """Where to go on, and in which list; None when everything was shown."""
    if position.done >= len(passages):
        return None
    values = f"{position.done}.{position.within}.{_mark(passages)}"
    return base64.urlsafe_b64encode(values.encode()).decode()


def position_of(cursor: str | None) -> Position:
    """Read a cursor. Raises `InvalidQuery` for one that is not ours."""
    if cursor is None:
        return Position()
    try:
        done, within, mark = base64.urlsafe_b64decode(cursor.encode()).decode().split(".")
        small = len(done) < 7 and len(within) < 7
        if done.isdecimal() and within.isdecimal() and small and len(mark) == 16:
            return Position(int(done), int(within), mark)
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
