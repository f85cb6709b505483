"""What a run has found, by question: numbered sources with their passages. Pure.

    results of searches, pages, files → hits of each question → citations, references, findings
    text with [n] + references        → numbered by first use

A source keeps its number whichever question it is cited for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from kensaku.answers.context import Citation, pack
from kensaku.answers.passages import passages_of
from kensaku.answers.tokenizer import counter
from kensaku.answers.weigh import SENTENCES, Finding, as_hit, find_answer, on_subject, says_more
from kensaku.models import LOCAL, Hit, Outcome, Passage
from kensaku.models.confidence import confidence_of
from kensaku.search.rerank import reorder
from kensaku.text.urls import host_of, in_domain

if TYPE_CHECKING:
    from kensaku.answers.questions import Subquestion

TOKENS = 3_000  # of passages for one question
Origin = Literal["collection", "web", "page"]  # page: a page that was read whole
_MARK = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Reference:
    """A source that a text cites as `[n]`."""

    n: int
    url: str
    title: str
    published: str | None = None
    author: str | None = None
    favicon: str | None = None
    passages: tuple[Passage, ...] = field(default=(), repr=False)
    origin: Origin = "web"

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
    """The sources of a run."""

    def __init__(
        self, questions: Sequence[Subquestion], tokenizer: str, preferred: Sequence[str] = ()
    ) -> None:
        """`preferred`: domains whose pages rank first."""
        self.questions = list(questions)
        self._count = counter(tokenizer)
        self._preferred = preferred
        self._hits: dict[str, Hit] = {}
        self._own: list[dict[str, None]] = [{} for _ in questions]
        self._named: dict[str, None] = {}  # pages that the person named, for every question
        self._shared: dict[str, None] = {}  # files and other hits for every question
        self._pages: dict[str, Mapping[str, Any]] = {}
        self._stored: dict[str, list[Passage]] = {}
        self._confidence: dict[int, float] = {}
        self._searched: set[int] = set()
        self._words: list[str] = []  # other words that the person gave
        self.scores: dict[str, Mapping[str, float]] = {}  # of a reranker, by query

    def add(self, question: int, result: Mapping[str, Any], *, shared: bool = False) -> None:
        """Take in what a search found for a question; `shared`: any other may use it, too."""
        if result["outcome"] == Outcome.UNAVAILABLE:
            return
        self._searched.add(question)
        if result["confidence"] is not None:
            known = self._confidence.get(question, 0.0)
            self._confidence[question] = max(known, result["confidence"])
        for values in result["hits"]:
            self._hits.setdefault(values["url"], Hit.from_dict(values))
            (self._shared if shared else self._own[question])[values["url"]] = None
        for url, passages in result["stored"].items():
            self._stored.setdefault(url, []).extend(Passage(**p) for p in passages)

    def add_pages(self, result: Mapping[str, Any], *, named: bool = False) -> None:
        """Take in pages that were read; `named`: by the person, for every question."""
        for page in result["pages"]:
            url = page["url"]
            if url not in self._pages:
                self._stored[url] = [Passage(**p) for p in page["passages"]]
            self._pages[url] = page
            self._hits.setdefault(url, Hit(url, page["title"]))
            if named:
                self._named[url] = None

    def add_file(self, url: str, name: str, text: str) -> None:
        """Take in a file of the person."""
        self._hits[url] = Hit(url, name, raw_content=text)
        self._shared[url] = None
        self._searched.update(range(len(self.questions)))

    def add_words(self, words: str) -> None:
        """Weigh the sources by these words of the person, too."""
        self._words.append(words)

    def set_scores(self, query: str, scores: Mapping[str, float]) -> None:
        """Order the passages for a query by what a reranker said of them (`Relevance.scores`)."""
        self.scores.pop(query, None)
        if scores:
            self.scores[query] = scores

    def unread(self, question: int, count: int) -> list[str]:
        """Return the best pages of the web for a question that were not read yet."""
        urls = (u for u in self._own[question] if u not in self._pages)
        web = [u for u in urls if self._hits[u].provider != LOCAL and u.startswith("http")]
        return web[:count]

    def findings(self, sentences: int = SENTENCES) -> list[Finding]:
        """Return what the sources say to each question."""
        return [self.finding(n, sentences) for n in range(len(self.questions))]

    def finding(self, question: int, sentences: int = SENTENCES) -> Finding:
        """Return what the sources say to a question, in their own words."""
        asked, query = self.questions[question], self.query(question)
        citations = on_subject(asked.carried, self.citations(query, question))
        finding = find_answer(
            asked.text,
            query,
            citations,
            confidence=self._score(query, citations, question),
            count=sentences,
            searched=question in self._searched or bool(self._named),
        )
        if asked.carried and not says_more(asked.text, finding.sentences):
            return replace(finding, sentences=(), differences=())
        return finding

    def query(self, question: int) -> str:
        """Return what the sources of a question are weighed by."""
        return " ".join([self.questions[question].queries[0], *self._words])

    def passages(self, query: str, question: int | None = None) -> list[Passage]:
        """Return the passages of one question's hits or of all, ranked by the query's words."""
        return passages_of(query, self._hits_for(question), self._stored)

    def citations(self, query: str, question: int | None = None) -> tuple[Citation, ...]:
        """Return the best passages for a query, of one question's hits or of all."""
        passages = reorder(self.passages(query, question), self.scores.get(query, {}))
        dates = {hit.url: hit.published for hit in self._hits_for(question)}
        packed = pack(passages, TOKENS, self._count, dates=dates)
        numbers = {url: n for n, url in enumerate(self._hits, 1)}
        return tuple(replace(c, n=numbers[c.url]) for c in packed.citations)

    def references(self, citations: Iterable[Citation]) -> dict[int, Reference]:
        """Return the sources of citations by their numbers, with all their passages."""
        found: dict[int, Reference] = {}
        for citation in citations:
            hit, known = self._hit(citation.url), found.get(citation.n)
            # Two questions score the same passage differently: it is listed once.
            every = (*citation.passages, *(known.passages if known else ()))
            passages = {(p.start, p.end): p for p in every}.values()
            found[citation.n] = Reference(
                citation.n, hit.url, hit.title, hit.published, hit.author, hit.favicon,
                tuple(sorted(passages, key=lambda p: p.start)), self._origin(hit),
            )  # fmt: skip
        return dict(sorted(found.items()))

    def _hits_for(self, question: int | None) -> list[Hit]:
        own = self._own if question is None else [self._own[question]]
        urls = dict.fromkeys((*self._named, *(u for o in own for u in o), *self._shared))
        return [self._hit(url) for url in sorted(urls, key=self._is_other)]

    def _hit(self, url: str) -> Hit:
        """Return a hit with what its page says of itself; its passages stand for the snippet."""
        hit, page = self._hits[url], self._pages.get(url)
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

    def _origin(self, hit: Hit) -> Origin:
        if hit.url in self._pages:
            return "page"
        return "collection" if hit.provider == LOCAL else "web"

    def _is_other(self, url: str) -> bool:
        """Whether a source is none of the preferred domains."""
        host = host_of(url)
        return not any(in_domain(host, domain) for domain in self._preferred)

    def _score(self, query: str, citations: Sequence[Citation], question: int) -> float | None:
        """Return how sure the search was, or, if more, what it found once pages were read."""
        searched = self._confidence.get(question)
        if not any(c.url in self._pages for c in citations):
            return searched
        return max(searched or 0.0, confidence_of(query, [as_hit(c) for c in citations]).score)


def renumber(text: str, sources: Mapping[int, Reference]) -> tuple[str, list[Reference]]:
    """Number the sources by their first use in the text; leave out those that it does not cite."""
    numbering = Numbering(sources)
    return numbering.apply(text), numbering.cited


class Numbering:
    """Numbers sources by their first use in a text that is written part by part."""

    def __init__(self, sources: Mapping[int, Reference]) -> None:
        self._sources = sources
        self._new: dict[int, int] = {}

    def apply(self, text: str) -> str:
        """Return the next part with its new numbers; marks of unknown sources are left out."""
        return _MARK.sub(self._mark, text)

    @property
    def cited(self) -> list[Reference]:
        """The sources that were cited so far, by their new numbers."""
        return [replace(self._sources[old], n=n) for old, n in self._new.items()]

    def _mark(self, match: re.Match[str]) -> str:
        old = int(match[1])
        if old not in self._sources:
            return ""
        return f"[{self._new.setdefault(old, len(self._new) + 1)}]"
