"""What a run has found, by question: numbered sources with their passages. Pure.

results of calls → hits and pages of each question → citations, references, findings
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.answer import as_hit, best_sentences
from kensaku.answers.context import Citation, pack
from kensaku.answers.passages import passages_of
from kensaku.answers.tokenizer import counter
from kensaku.models import LOCAL, Hit, Outcome, Passage
from kensaku.models.confidence import confidence_of
from kensaku.research.differences import differences
from kensaku.research.evidence import Reference, with_page
from kensaku.research.findings import Finding

if TYPE_CHECKING:
    from kensaku.assistant.answer import Origin
    from kensaku.research.questions import Question

TOKENS = 3_000  # of passages for one question
SENTENCES = 3  # of an extract for one question


class Evidence:
    """The sources of a run. A source keeps its number whichever question it is cited for."""

    def __init__(self, questions: Sequence[Question], tokenizer: str) -> None:
        self.questions = list(questions)
        self._count = counter(tokenizer)
        self._hits: dict[str, Hit] = {}
        self._own: list[dict[str, None]] = [{} for _ in questions]
        self._shared: dict[str, None] = {}  # pages that the person named
        self._pages: dict[str, dict[str, Any]] = {}
        self._stored: dict[str, list[Passage]] = {}
        self._confidence: dict[int, float] = {}
        self._searched: set[int] = set()
        self._words: list[str] = []  # other words that the person gave

    def add(self, question: int, result: Mapping[str, Any]) -> None:
        """Take in what a search found for a question."""
        if result["outcome"] != Outcome.UNAVAILABLE:
            self._searched.add(question)
        if result["confidence"] is not None:
            known = self._confidence.get(question, 0.0)
            self._confidence[question] = max(known, result["confidence"])
        for values in result["hits"]:
            self._hits.setdefault(values["url"], Hit.from_dict(values))
            self._own[question][values["url"]] = None
        for url, passages in result["stored"].items():
            self._stored.setdefault(url, []).extend(Passage(**p) for p in passages)

    def add_words(self, words: str) -> None:
        """Weigh the sources by these words of the person, too."""
        self._words.append(words)

    def add_pages(self, result: Mapping[str, Any], *, shared: bool = False) -> None:
        """Take in pages that were read; `shared`: any question may use them."""
        for page in result["pages"]:
            url = page["url"]
            if url not in self._pages:
                self._stored[url] = [Passage(**p) for p in page["passages"]]
            self._pages[url] = page
            self._hits.setdefault(url, Hit(url, page["title"]))
            if shared:
                self._shared[url] = None

    def origin(self, url: str) -> Origin:
        """Say where a source is from."""
        if url in self._pages:
            return "page"
        return "collection" if self._hits[url].provider == LOCAL else "web"

    def unread(self, question: int, count: int) -> list[str]:
        """Return the best pages of the web for a question that were not read yet."""
        urls = (u for u in self._own[question] if u not in self._pages)
        web = [u for u in urls if self._hits[u].provider != LOCAL and u.startswith("http")]
        return web[:count]

    def finding(self, question: int) -> Finding:
        """Return what the sources say to a question, in their own words."""
        asked = self.questions[question]
        query = " ".join([asked.queries[0], *self._words])
        citations = self._citations(query, question)
        score = self._score(query, citations, question)
        chosen = best_sentences(query, citations, score, SENTENCES)
        return Finding(
            asked.text,
            tuple(chosen),
            citations,
            tuple(differences(query, citations)) if chosen else (),
            question in self._searched or bool(self._shared),
            score,
        )

    def references(self, findings: Sequence[Finding]) -> dict[int, Reference]:
        """Return the sources of findings by their numbers, with all their passages."""
        found: dict[int, Reference] = {}
        for citation in (c for f in findings for c in f.citations):
            known = found.get(citation.n)
            every = (*(known.passages if known else ()), *citation.passages)
            # Two questions score the same passage differently: it is listed once.
            passages = {(p.start, p.end): p for p in every}.values()
            ordered = tuple(sorted(passages, key=lambda p: p.start))
            found[citation.n] = Reference(
                citation.n, citation.url, citation.title, citation.published, passages=ordered
            )
        return dict(sorted(found.items()))

    def _citations(self, query: str, question: int) -> tuple[Citation, ...]:
        urls = dict.fromkeys((*self._shared, *self._own[question]))
        hits = [with_page(self._hits[url], self._pages.get(url)) for url in urls]
        dates = {hit.url: hit.published for hit in hits}
        packed = pack(passages_of(query, hits, self._stored), TOKENS, self._count, dates=dates)
        numbers = {url: n for n, url in enumerate(self._hits, 1)}
        return tuple(replace(c, n=numbers[c.url]) for c in packed.citations)

    def _score(self, query: str, citations: Sequence[Citation], question: int) -> float | None:
        """Return how sure the search was, or, if more, what it found once pages were read."""
        searched = self._confidence.get(question)
        if not any(c.url in self._pages for c in citations):
            return searched
        return max(searched or 0.0, confidence_of(query, [as_hit(c) for c in citations]).score)
