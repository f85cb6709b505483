"""What was found, packed for a prompt: passages across pages, under a budget of tokens.

    hits → passages → ranked by the query's words → packed, a page at a time, → text + citations

The ids `[1]`, `[2]`, … stand for pages and stay the same when a cursor asks for more; should the
results have changed by then, a note says so. Every token of the text counts, the headers too.
Passages are whole: no word and no character is cut.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.tokenizer import count as count_tokens
from kensaku.answers.tokenizer import counter
from kensaku.errors import InvalidQuery
from kensaku.index.languages import guess_language
from kensaku.index.passages import sentences, split
from kensaku.index.tokens import document_terms, query_terms
from kensaku.models import Document, Hit, Outcome, Passage
from kensaku.search.rank import host_of
from kensaku.text.escape import escape_lines, flatten, line_starts

if TYPE_CHECKING:
    from kensaku.answers.tokenizer import Counter
    from kensaku.models import Attempt, Response

MAX_TOKENS = 1_000_000
PASSAGE_CHARS = 900  # small enough that several pages fit 500 tokens …
PASSAGE_TOKENS = 250  # … also where a character is a token
RANK_WEIGHT = 1.0  # the place of its page counts as much as a passage's own words
K1, B = 1.2, 0.5
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
        start = _offset(hit)
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
        }


def check_budget(max_tokens: object) -> None:
    """Raise `InvalidQuery` for a number of tokens out of bounds."""
    whole = isinstance(max_tokens, int) and not isinstance(max_tokens, bool)
    if not whole or not 1 <= max_tokens <= MAX_TOKENS:  # type: ignore[operator]
        raise InvalidQuery(f"max_tokens is {max_tokens!r}; it must be 1 to 1,000,000")


def to_context(
    response: Response, max_tokens: int, position: tuple[int, str], tokenizer: str
) -> Context:
    """Pack what a search found. `position` is where the part before ended (`position_of`)."""
    skip, mark = position
    hits = () if response.outcome is Outcome.UNAVAILABLE else response.hits
    passages = passages_of(response.query.text, hits)
    dates = {hit.url: hit.published for hit in response.hits}
    text, citations, tokens, done = pack(
        passages, max_tokens, counter(tokenizer), skip=skip, dates=dates
    )
    notes = response.notes
    if has_changed(mark, passages):
        news = "the results have changed since the part before: [n] may stand for another page"
        notes = (*notes, news)
    return Context(
        text=text,
        citations=citations,
        tokens=tokens,
        outcome=response.outcome,
        cursor=cursor_of(done, passages),
        attempts=response.attempts,
        notes=notes,
    )


def passages_of(query: str, hits: Sequence[Hit]) -> list[Passage]:
    """The passages of all hits, the best for the query first, taking turns between hosts."""
    found: list[tuple[int, Passage]] = []
    for rank, hit in enumerate(hits):
        page = Document(url=hit.url, title=hit.title, text=hit.raw_content or hit.content)
        shift = 0 if hit.raw_content else _offset(hit)
        found += [
            (rank, replace(p, start=p.start + shift, end=p.end + shift))
            for p in split(page, max_chars=_passage_chars(page.text))
        ]
    ranked = sorted(score_passages(query, found), key=lambda p: -(p.score or 0.0))
    return _alternate_hosts(ranked)


def _offset(hit: Hit) -> int:
    """Where the content begins in the document: the index returns its best passage."""
    local = hit.explain.local if hit.explain else None
    return (local.start or 0) if local else 0


def _passage_chars(text: str) -> int:
    sample = text[:2_000]
    return min(PASSAGE_CHARS, PASSAGE_TOKENS * len(sample) // max(1, count_tokens(sample)))


def pack(
    passages: Sequence[Passage],
    budget: int,
    count: Counter,
    *,
    skip: int = 0,
    dates: Mapping[str, str | None] | None = None,
) -> tuple[str, tuple[Citation, ...], int, int]:
    """As many passages as fit, whole: the text, its citations, its tokens, and how far it came.

    `dates` says when a page was published, by its address.
    """
    numbers: dict[str, int] = {}
    for passage in passages:  # an id belongs to a page, whether it is shown now or later
        numbers.setdefault(passage.url, len(numbers) + 1)
    taken, done = _fit(passages[skip:], numbers, budget, count)
    text = _render(taken, numbers)
    citations = tuple(
        Citation(numbers[url], url, found[0].title, (dates or {}).get(url), tuple(found))
        for url, found in _by_page(taken, numbers)
    )
    return text, citations, count(text) if text else 0, skip + done


def _fit(
    passages: Sequence[Passage], numbers: dict[str, int], budget: int, count: Counter
) -> tuple[list[Passage], int]:
    """The passages that fit, and how many were looked at. Parts are counted one by one and add up
    to a little more than the whole, so the whole is only counted when the budget is near."""
    taken: list[Passage] = []
    pages: set[str] = set()
    used = done = 0
    for passage in passages:
        new = passage.url not in pages
        more = "\n…\n" + escape_lines(passage.text, _OWN)
        part = "\n\n" + _render([passage], numbers) if new else more
        used += count(part)
        if used > budget:
            used = count(_render([*taken, passage], numbers))
        if used > budget and not taken:
            done += 1
            beginning = _first_sentences(passage, numbers, budget, count)
            if beginning is None:
                used = 0
                continue  # not one sentence fits: a later one may
            return [beginning], done
        if used > budget:
            break
        taken.append(passage)
        pages.add(passage.url)
        done += 1
    while taken and count(_render(taken, numbers)) > budget:  # a vocabulary that does not add up
        taken.pop()
        done -= 1
    return taken, done


def _first_sentences(
    passage: Passage, numbers: dict[str, int], budget: int, count: Counter
) -> Passage | None:
    """The first sentences of a passage that is too long by itself; None when not one fits."""
    fits = None
    for _, end in sentences(passage.text):
        text = passage.text[:end].rstrip()
        shorter = replace(passage, text=text, end=passage.start + len(text))
        if count(_render([shorter], numbers)) > budget:
            break
        fits = shorter
    return fits


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


def score_passages(query: str, found: Sequence[tuple[int, Passage]]) -> list[Passage]:
    """BM25 of each passage among the others, and a little for the place of its page."""
    texts = [f"{p.title} {p.heading} {p.text}" for _, p in found]
    wanted = query_terms(query, {guess_language(t) for t in texts})
    read = [document_terms(t) for t in texts]
    terms = [{**t.words, **t.pairs} for t in read]
    sizes = [t.length for t in read]
    mean = sum(sizes) / len(sizes) if sizes else 1.0
    weight = {
        term: math.log(1 + (len(terms) - n + 0.5) / (n + 0.5)) * times
        for term, times in wanted.items()
        if (n := sum(term in t for t in terms))
    }
    raw = []
    for counts, size in zip(terms, sizes, strict=True):
        norm = K1 * (1 - B + B * size / (mean or 1.0))
        raw.append(
            sum(
                w * counts[t] * (K1 + 1) / (counts[t] + norm)
                for t, w in weight.items()
                if t in counts
            )
        )
    best = max(raw, default=0.0) or 1.0
    return [
        replace(p, score=own / best + RANK_WEIGHT / (1 + rank))
        for own, (rank, p) in zip(raw, found, strict=True)
    ]


def _alternate_hosts(passages: Iterable[Passage]) -> list[Passage]:
    """Down-weight each further passage of a host, so that one site does not fill the budget."""
    seen: dict[str, int] = {}
    weighed = []
    for passage in passages:
        host = host_of(passage.url) or passage.url
        weighed.append(((passage.score or 0.0) * 0.9 ** seen.get(host, 0), passage))
        seen[host] = seen.get(host, 0) + 1
    weighed.sort(key=lambda pair: -pair[0])
    return [p for _, p in weighed]


def cursor_of(done: int, passages: Sequence[Passage]) -> str | None:
    """Where to go on, and in which list; None when everything was shown."""
    if done >= len(passages):
        return None
    return base64.urlsafe_b64encode(f"{done}.{_mark(passages)}".encode()).decode()


def position_of(cursor: str | None) -> tuple[int, str]:
    """How many passages were shown before, and the mark of their list. Raises `InvalidQuery`."""
    if cursor is None:
        return 0, ""
    try:
        done, _, mark = base64.urlsafe_b64decode(cursor.encode()).decode().partition(".")
        if done.isdecimal() and int(done) < 100_000 and len(mark) == 16:
            return int(done), mark
    except ValueError:
        pass
    raise InvalidQuery("the cursor is not one of ours", remedy="give back Context.cursor unchanged")


def has_changed(mark: str, passages: Sequence[Passage]) -> bool:
    """Whether the list is another than the one that a cursor was made for."""
    return bool(mark) and mark != _mark(passages)


def _mark(passages: Sequence[Passage]) -> str:
    places = "\n".join(f"{p.start} {p.url}" for p in passages)
    return hashlib.blake2b(places.encode("utf-8", "replace"), digest_size=8).hexdigest()
