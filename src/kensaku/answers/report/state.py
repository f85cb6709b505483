"""The state of a run: its request, and the result of every finished step. Pure.

    pending(state) → names of the steps that come next, side by side → state.record(name, result)

`to_dict` is JSON. Names: plan, search-ROUND-NUMBER, read-ROUND, weigh-ROUND, write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import chain, zip_longest
from typing import Any, Self

from kensaku.answers.report.request import ResearchRequest
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.messages import msg
from kensaku.models import LOCAL
from kensaku.text.urls import host_of, in_domain

VERSION = 1
PER_CALL = 20  # addresses that one extraction takes
LONG_INPUT = 400  # characters of an input for which `auto` takes the larger effort


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of one run."""

    questions: int
    rounds: int  # of searches; later ones only for questions without an answer
    pages: int  # that are fetched in all
    results: int  # hits of each search


@dataclass(frozen=True, slots=True)
class Extent:
    """Bounds of one report."""

    sentences: int  # of an extract, for each question
    subtopics: int  # headings of the pages that get a section of their own
    words: int  # that a model is asked for


EFFORTS = {
    "mini": Bounds(questions=4, rounds=2, pages=6, results=8),
    "pro": Bounds(questions=10, rounds=3, pages=20, results=12),
}
EXTENTS = {
    "short": Extent(sentences=2, subtopics=0, words=150),
    "standard": Extent(sentences=3, subtopics=3, words=500),
    "long": Extent(sentences=5, subtopics=6, words=1_200),
}


@dataclass(frozen=True, slots=True)
class PlannedSearch:
    """One search of the plan."""

    name: str  # of its step
    question: int
    query: str
    round: int
    preferred: bool = False  # only the domains that the request prefers


@dataclass(frozen=True, slots=True)
class State:
    """A run, as far as it has come."""

    request: ResearchRequest
    results: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def record(self, name: str, result: Any) -> Self:
        """Return the state after one more step."""
        return type(self)(self.request, {**self.results, name: result})

    @property
    def plan(self) -> Mapping[str, Any]:
        """The result of the first step."""
        plan: Mapping[str, Any] = self.results["plan"]
        return plan

    @property
    def questions(self) -> list[str]:
        """The questions of the plan."""
        return [q["text"] for q in self.plan["questions"]]

    @property
    def effort(self) -> Bounds:
        """The bounds of the run."""
        return EFFORTS[self.plan["effort"]]

    @property
    def seconds_left(self) -> float:
        """What remains of the timeout. Only work counts, not the time between two processes."""
        spent: float = sum(r["elapsed"] for n, r in self.results.items() if "search" not in n)
        for number in range(1, self.last_round + 1):
            spent += max((r["elapsed"] for _, r in self.searched(number)), default=0.0)
        return self.request.timeout - spent

    @property
    def last_round(self) -> int:
        """The number of the last round that has begun; 0 before the first."""
        rounds = (int(n.split("-")[1]) for n in self.results if n.startswith("search-"))
        return max(rounds, default=0)

    def searches(self, number: int) -> list[PlannedSearch]:
        """The searches of a round: of every question, then of those that are still open."""
        questions = self.plan["questions"]
        wanted = range(len(questions))
        if number > 1:
            wanted = self.results[f"weigh-{number - 1}"]["missing"]
        found = [
            PlannedSearch(
                f"search-{number}-{n + 1}", n, questions[n]["queries"][number - 1], number
            )
            for n in wanted
            if len(questions[n]["queries"]) >= number
        ]
        if number == 1 and self.request.include_domains:
            found.append(
                PlannedSearch("search-1-0", 0, questions[0]["queries"][0], 1, preferred=True)
            )
        return found

    def searched(self, number: int) -> list[tuple[PlannedSearch, Any]]:
        """The finished searches of a round, with their results."""
        return [(s, self.results[s.name]) for s in self.searches(number) if s.name in self.results]

    def all_searched(self) -> list[tuple[PlannedSearch, Any]]:
        """The finished searches of all rounds, with their results."""
        return [pair for n in range(1, self.last_round + 1) for pair in self.searched(n)]

    def pages(self) -> dict[str, Any]:
        """The pages that were read, by the address of the hit."""
        reads = (self.results.get(f"read-{n}") for n in range(1, self.last_round + 1))
        return {page["url"]: page for read in reads if read for page in read["pages"]}

    def pages_to_read(self, number: int) -> list[str]:
        """The addresses to read after a round: the best hits of its questions in turns.

        Only addresses that a search returned are read.
        """
        known = set(self.pages())
        ranked = [
            [h["url"] for h in result["hits"] if h["provider"] != LOCAL]
            for _, result in self.searched(number)
        ]
        turns = chain.from_iterable(zip_longest(*ranked))
        urls = [u for u in dict.fromkeys(turns) if u and self._may_read(u) and u not in known]
        return urls[: max(0, min(self.effort.pages - len(known), PER_CALL))]

    def _may_read(self, url: str) -> bool:
        host = host_of(url)
        excluded = any(in_domain(host, domain) for domain in self.request.exclude_domains)
        return url.startswith(("http://", "https://")) and not excluded

    def to_dict(self) -> dict[str, Any]:
        """The state, ready for JSON."""
        return {
            "version": VERSION,
            "request": self.request.to_dict(),
            "results": dict(self.results),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The state that `to_dict` wrote. Raises `InvalidQuery` for one of another version."""
        if values.get("version") != VERSION:
            raise InvalidQuery(
                msg(
                    "the state is of version {values!r}, not {version}",
                    values=values.get("version"),
                    version=VERSION,
                )
            )
        return cls(ResearchRequest(**values["request"]), dict(values["results"]))


def start(text: str, options: Mapping[str, Any]) -> State:
    """Return the state of a new run. `options` are the fields of `ResearchRequest`."""
    known = [f.name for f in fields(ResearchRequest) if f.name != "input"]
    if wrong := [name for name in options if name not in known]:
        raise UnknownName(msg("option"), wrong[0], known)
    return State(ResearchRequest(text, **options))


def pending(state: State) -> list[str]:
    """Return the steps that come next; they do not depend on each other. None: it is done."""
    done = state.results
    if "plan" not in done:
        return ["plan"]
    for number in range(1, state.effort.rounds + 1):
        searches = state.searches(number)
        if not searches:
            break
        if waiting := [s.name for s in searches if s.name not in done]:
            return waiting
        for name in (f"read-{number}", f"weigh-{number}"):
            if name not in done:
                return [name]
    return [] if "write" in done else ["write"]


def choose_effort(model: str, text: str, questions: int) -> str:
    """Return `mini` or `pro`; `auto` chooses by how many questions the input holds."""
    if model != "auto":
        return model
    large = questions > EFFORTS["mini"].questions or len(text) > LONG_INPUT
    return "pro" if large else "mini"
