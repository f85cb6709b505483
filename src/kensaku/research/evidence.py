"""What was found for each question, as numbered references with their passages. Pure.

    state → hits of each question, with passages of the pages that were read → citations

A reference keeps its number whichever question it is cited for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.context import Citation, pack
from kensaku.answers.passages import passages_of
from kensaku.answers.tokenizer import counter
from kensaku.models import Hit, Outcome, Passage
from kensaku.text.urls import host_of, in_domain

if TYPE_CHECKING:
    from kensaku.research.state import State

TOKENS = 3_000  # of passages for one question


@dataclass(frozen=True, slots=True)
class Reference:
    """A source that the report cites as `[n]`."""

    n: int
    url: str
    title: str
    published: str | None = None
    author: str | None = None
    favicon: str | None = None
    passages: tuple[Passage, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The reference, ready for JSON."""
        spans = [{"start": p.start, "end": p.end, "text": p.text} for p in self.passages]
        return {"n": self.n, "url": self.url, "title": self.title, "published": self.published,
                "author": self.author, "favicon": self.favicon, "passages": spans}  # fmt: skip

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Reference:
        """The reference that `to_dict` wrote."""
        spans = tuple(
            Passage(values["url"], title=values["title"], **p) for p in values["passages"]
        )
        return cls(**{**values, "passages": spans})


class Evidence:
    """The hits of a run by question, and the numbers of their sources."""

    def __init__(self, state: State, tokenizer: str) -> None:
        self._count = counter(tokenizer)
        self._stored: dict[str, list[Passage]] = {}
        self._hits: dict[str, Hit] = {}
        self._own: list[list[str]] = [[] for _ in state.questions]
        self._shared: list[str] = []  # addresses that every question may use
        self._confidence: dict[int, float] = {}
        self._preferred = state.request.include_domains
        self._pages = state.pages()
        self._read(state)
        self._numbers = {url: n for n, url in enumerate(self._hits, 1)}

    def __bool__(self) -> bool:
        return bool(self._hits)

    def citations(self, query: str, question: int | None = None) -> tuple[Citation, ...]:
        """Return the best passages for a query, of one question's hits or of all."""
        hits = self._hits_of(question)
        passages = passages_of(query, hits, self._stored)
        dates = {hit.url: hit.published for hit in hits}
        packed = pack(passages, TOKENS, self._count, dates=dates)
        return tuple(replace(c, n=self._numbers[c.url]) for c in packed.citations)

    def confidence(self, question: int) -> float | None:
        """Return how sure the search for a question was; None when only files are there."""
        return self._confidence.get(question)

    def was_read(self, question: int) -> bool:
        """Whether a page of this question was read."""
        return any(url in self._pages for url in self._own[question])

    def references(self, citations: Iterable[Citation]) -> dict[int, Reference]:
        """Return the sources of citations by their numbers, with all their passages."""
        found: dict[int, Reference] = {}
        for citation in citations:
            hit, known = self._hits[citation.url], found.get(citation.n)
            # Two questions score the same passage differently: it is listed once.
            every = (*citation.passages, *(known.passages if known else ()))
            passages = {(p.start, p.end): p for p in every}.values()
            found[citation.n] = Reference(
                citation.n, hit.url, hit.title, hit.published, hit.author, hit.favicon,
                tuple(sorted(passages, key=lambda p: p.start)),
            )  # fmt: skip
        return dict(sorted(found.items()))

    def _read(self, state: State) -> None:
        for file in state.request.files:
            self._hits[file.url] = Hit(file.url, file.name, raw_content=file.text)
            self._shared.append(file.url)
        for search, result in state.all_searched():
            if result["outcome"] == Outcome.UNAVAILABLE:
                continue
            score = result["confidence"] or 0.0
            known = self._confidence.get(search.question, 0.0)
            self._confidence[search.question] = max(known, score)
            for values in result["hits"]:
                hit = with_page(Hit.from_dict(values), self._pages.get(values["url"]))
                self._hits.setdefault(hit.url, hit)
                own = self._shared if search.preferred else self._own[search.question]
                own.append(hit.url)
            self._store(result["stored"])
        self._store({url: page["passages"] for url, page in self._pages.items()})

    def _store(self, passages: Mapping[str, Any]) -> None:
        for url, found in passages.items():
            self._stored.setdefault(url, []).extend(Passage(**p) for p in found)

    def _hits_of(self, question: int | None) -> Sequence[Hit]:
        own = [u for o in self._own for u in o] if question is None else self._own[question]
        urls = dict.fromkeys((*own, *self._shared))
        return [self._hits[url] for url in sorted(urls, key=self._is_other)]

    def _is_other(self, url: str) -> bool:
        """Whether a source is none of the preferred domains."""
        host = host_of(url)
        return not any(in_domain(host, domain) for domain in self._preferred)


def with_page(hit: Hit, page: dict[str, Any] | None) -> Hit:
    """Return the hit with what its page says of itself; its passages stand for the snippet."""
    if page is None:
        return hit
    return replace(
        hit,
        title=hit.title or page["title"],
        content="",
        raw_content=None,
        published=hit.published or page["published"],
        author=hit.author or page["author"],
        favicon=hit.favicon or page["favicon"],
    )
