"""What happens during a run, as values: for a terminal, a page, a stream of a wire, a test.

    Planned → (SubtopicStarted → SearchStarted → SearchEnded)* → Reading → PagesRead → Weighed
            → … → Writing → TextDelta* → SourcesFound → Completed | Failed

`started` and `ended` derive them from the state, so that a durable job gives the same events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from kensaku.models import Attempt, Outcome
from kensaku.research.evidence import Reference
from kensaku.research.pages import choose_pages
from kensaku.research.report import Report, report_of

if TYPE_CHECKING:
    from kensaku.research.state import Search, State

UNAVAILABLE = "no provider could search"
_PARAGRAPH = re.compile(r".+?(?:\n{2,}|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    def to_dict(self) -> dict[str, Any]:
        """The event, ready for JSON; `type` is the name of its class."""
        values = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}
        return {"type": type(self).__name__, **values}


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """The questions are known."""

    questions: tuple[str, ...]
    by: str  # "rule", or the model's name
    effort: str  # "mini" or "pro"


@dataclass(frozen=True, slots=True)
class SubtopicStarted(Event):
    """A question of a large run is being looked into."""

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class SubtopicEnded(Event):
    """A question of a large run was answered, or given up."""

    id: str
    question: str
    answered: bool


@dataclass(frozen=True, slots=True)
class SearchStarted(Event):
    """A search is being made."""

    id: str
    query: str
    parent: str | None = None  # the id of its subtopic


@dataclass(frozen=True, slots=True)
class SearchEnded(Event):
    """A search has ended. `unavailable`: nobody could search, and `attempts` say why."""

    id: str
    query: str
    outcome: Outcome
    sources: tuple[Reference, ...]  # its hits, without passages
    attempts: tuple[Attempt, ...] = ()
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Reading(Event):
    """Pages are being read."""

    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PagesRead(Event):
    """Pages were read."""

    urls: tuple[str, ...]
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighed(Event):
    """It is known which questions have no answer yet."""

    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Writing(Event):
    """The report is being written."""


@dataclass(frozen=True, slots=True)
class TextDelta(Event):
    """A part of the report. All parts joined are its text."""

    text: str


@dataclass(frozen=True, slots=True)
class SourcesFound(Event):
    """The sources that the report cites."""

    sources: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Completed(Event):
    """The report is there. Its outcome may be `empty`."""

    report: Report


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """Nobody could search: there is nothing to report on."""

    message: str
    report: Report

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Who was asked, and why each could not search."""
        return self.report.attempts


def started(name: str, state: State) -> Iterator[Event]:
    """Yield what is known before a step. `state` does not have its result yet."""
    kind, _, rest = name.partition("-")
    if kind == "search":
        search = _search_of(name, state)
        if search.round == 1 and (parent := _parent(search, state)) and not search.preferred:
            yield SubtopicStarted(parent, state.questions[search.question])
        yield SearchStarted(name, search.query, _parent(search, state))
    elif kind == "read" and (urls := choose_pages(state, int(rest))):
        yield Reading(tuple(urls))
    elif kind == "write":
        yield Writing()


def ended(name: str, state: State) -> Iterator[Event]:
    """Yield what a step came to. `state` has its result."""
    kind = name.partition("-")[0]
    yield from _ENDED[kind](name, state)


def _ended_plan(_: str, state: State) -> Iterator[Event]:
    plan = state.plan
    yield Planned(tuple(state.questions), plan["by"], plan["effort"])


def _ended_search(name: str, state: State) -> Iterator[Event]:
    search, result = _search_of(name, state), state.results[name]
    yield SearchEnded(
        name,
        search.query,
        Outcome(result["outcome"]),
        tuple(_source(n, hit) for n, hit in enumerate(result["hits"], 1)),
        tuple(Attempt.from_dict(a) for a in result["attempts"]),
        _parent(search, state),
    )


def _ended_read(name: str, state: State) -> Iterator[Event]:
    result = state.results[name]
    urls, failed = (tuple(p["url"] for p in result[part]) for part in ("pages", "failed"))
    if urls or failed:
        yield PagesRead(urls, failed)


def _ended_weigh(name: str, state: State) -> Iterator[Event]:
    number, result = int(name.split("-")[1]), state.results[name]
    questions, unanswered = state.questions, set(result["open"])
    again = {s.question for s in state.searches(number + 1)}
    again = again if number < state.effort.rounds else set()
    for search in state.searches(number):
        parent = _parent(search, state)
        if parent and not search.preferred and search.question not in again:
            done = search.question not in unanswered
            yield SubtopicEnded(parent, questions[search.question], done)
    yield Weighed(tuple(questions[n] for n in result["open"]))


def _ended_write(_: str, state: State) -> Iterator[Event]:
    report = report_of(state)
    if report.outcome is Outcome.UNAVAILABLE:
        yield Failed(UNAVAILABLE, report)
        return
    if report.structured is None:
        for part in _PARAGRAPH.findall(report.text or ""):
            yield TextDelta(part)
    yield SourcesFound(report.sources)
    yield Completed(report)


_ENDED = {
    "plan": _ended_plan,
    "search": _ended_search,
    "read": _ended_read,
    "weigh": _ended_weigh,
    "write": _ended_write,
}


def _search_of(name: str, state: State) -> Search:
    return next(s for s in state.searches(int(name.split("-")[1])) if s.name == name)


def _parent(search: Search, state: State) -> str | None:
    large = state.plan["effort"] == "pro" and len(state.questions) > 1
    return f"subtopic-{search.question + 1}" if large else None


def _source(n: int, hit: dict[str, Any]) -> Reference:
    return Reference(n, hit["url"], hit["title"], hit["published"], None, hit.get("favicon"))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Outcome):
        return str(value)
    return value.to_dict() if hasattr(value, "to_dict") else value
