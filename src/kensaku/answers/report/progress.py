"""The events of a research run, derived from its state: a durable job gives the same ones. Pure.

started(step, state) → what is known before it      ended(step, state) → what it came to
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kensaku.answers.events import (
    Completed,
    Event,
    Failed,
    PagesRead,
    Planned,
    Reading,
    SearchEnded,
    SearchStarted,
    SourcesFound,
    SubtopicEnded,
    SubtopicStarted,
    TextDelta,
    Weighed,
    Writing,
)
from kensaku.answers.evidence import Reference
from kensaku.answers.report.report import report_of
from kensaku.answers.report.state import State
from kensaku.models import Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.answers.report.state import PlannedSearch

UNAVAILABLE = "no provider could search"
_PARAGRAPH = re.compile(r".+?(?:\n{2,}|\Z)", re.DOTALL)


def events_of(state: State) -> Iterator[Event]:
    """Yield the events of the finished steps again, for whoever joins later."""
    at = State(state.request)
    for name, result in state.results.items():
        yield from started(name, at)
        at = at.record(name, result)
        yield from ended(name, at)


def started(name: str, state: State) -> Iterator[Event]:
    """Yield what is known before a step. `state` does not have its result yet."""
    kind, _, rest = name.partition("-")
    if kind == "search":
        search = _search_of(name, state)
        if search.round == 1 and (parent := _parent(search, state)) and not search.preferred:
            yield SubtopicStarted(parent, state.questions[search.question])
        yield SearchStarted(name, search.query, _parent(search, state))
    elif kind == "read" and (urls := state.pages_to_read(int(rest))):
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
        yield Failed(UNAVAILABLE, report=report)
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


def _search_of(name: str, state: State) -> PlannedSearch:
    return next(s for s in state.searches(int(name.split("-")[1])) if s.name == name)


def _parent(search: PlannedSearch, state: State) -> str | None:
    large = state.plan["effort"] == "pro" and len(state.questions) > 1
    return f"subtopic-{search.question + 1}" if large else None


def _source(n: int, hit: dict[str, Any]) -> Reference:
    return Reference(n, hit["url"], hit["title"], hit["published"], None, hit.get("favicon"))
