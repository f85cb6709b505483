"""The state of a run: its request, and the result of every finished step. Pure.

    pending(state) → names of the steps that come next, side by side → state.record(name, result)

`to_dict` is JSON. Names: plan, search-ROUND-NUMBER, read-ROUND, weigh-ROUND, write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from kensaku.errors import InvalidQuery, UnknownName
from kensaku.research.effort import EFFORTS, Effort
from kensaku.research.request import ResearchRequest

VERSION = 1


@dataclass(frozen=True, slots=True)
class Search:
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
    def effort(self) -> Effort:
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

    def searches(self, number: int) -> list[Search]:
        """The searches of a round: of every question, then of those that are still open."""
        questions = self.plan["questions"]
        wanted = range(len(questions))
        if number > 1:
            wanted = self.results[f"weigh-{number - 1}"]["missing"]
        found = [
            Search(f"search-{number}-{n + 1}", n, questions[n]["queries"][number - 1], number)
            for n in wanted
            if len(questions[n]["queries"]) >= number
        ]
        if number == 1 and self.request.include_domains:
            found.append(Search("search-1-0", 0, questions[0]["queries"][0], 1, preferred=True))
        return found

    def searched(self, number: int) -> list[tuple[Search, Any]]:
        """The finished searches of a round, with their results."""
        return [(s, self.results[s.name]) for s in self.searches(number) if s.name in self.results]

    def all_searched(self) -> list[tuple[Search, Any]]:
        """The finished searches of all rounds, with their results."""
        return [pair for n in range(1, self.last_round + 1) for pair in self.searched(n)]

    def pages(self) -> dict[str, Any]:
        """The pages that were read, by the address of the hit."""
        reads = (self.results.get(f"read-{n}") for n in range(1, self.last_round + 1))
        return {page["url"]: page for read in reads if read for page in read["pages"]}

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
            raise InvalidQuery(f"the state is of version {values.get('version')!r}, not {VERSION}")
        return cls(ResearchRequest(**values["request"]), dict(values["results"]))


def start(text: str, options: Mapping[str, Any]) -> State:
    """Return the state of a new run. `options` are the fields of `ResearchRequest`."""
    known = [f.name for f in fields(ResearchRequest) if f.name != "input"]
    if wrong := [name for name in options if name not in known]:
        raise UnknownName("option", wrong[0], known)
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
