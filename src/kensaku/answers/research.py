"""Many searches, one cited report: rounds of steps, each of which returns JSON.

    input → plan → search (side by side) → read → weigh → … → write → Report

`pending` says which steps come next, `perform` does one, and a `Journal` keeps the results: a run
that was killed goes on from its state, and finished steps are not done again. A step keeps to what
is left of the run's timeout; one that was interrupted is done again as a whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from kensaku.answers.events import Completed, Event, Failed
from kensaku.answers.gather import not_searched, read, rerank, search, within_budget
from kensaku.answers.journal import Journal
from kensaku.answers.model import open_model, unused_settings
from kensaku.answers.plan import make_plan
from kensaku.answers.questions import Subquestion, is_topic, split_questions
from kensaku.answers.report.progress import ended, events_of, started
from kensaku.answers.report.state import EFFORTS, State, choose_effort, pending, start
from kensaku.answers.report.write import evidence_of, write_report
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import Query
from kensaku.search.scrub import QueryWithheld
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.evidence import Evidence
    from kensaku.answers.report.report import Report
    from kensaku.client import Kensaku
    from kensaku.options import ResearchOptions
    from kensaku.search.budget import Budget

READ_SECONDS = 60.0
Save = Callable[[State], None]


class Means(TypedDict):
    """What a run may use that does not belong to its state."""

    budget: Budget | None
    cache: bool | None


def begin(text: str, options: ResearchOptions) -> tuple[State, Means]:
    """Return the state of a new run, and what it may use."""
    request = dict(options)
    means = Means(budget=options.get("budget"), cache=options.get("cache"))
    for name in means:
        request.pop(name, None)
    return start(text, request), means


async def run_research(
    state: State,
    client: Kensaku,
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
    save: Save | None = None,
) -> Report:
    """Do the steps that are left and return the report."""
    last: Event | None = None
    async for event in run_events(state, client, budget=budget, cache=cache, save=save):
        last = event
    if last is None:  # it was finished already
        *_, last = events_of(state)
    assert isinstance(last, Completed | Failed)
    return last.report


async def run_events(
    state: State,
    client: Kensaku,
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
    save: Save | None = None,
) -> AsyncIterator[Event]:
    """Do the steps that are left and yield events; `save` gets the state after each of them.

    A state that was saved goes on where it stopped. The last event is `Completed` or `Failed`.
    """
    request = state.request

    async def keep(name: str, result: Any) -> None:
        if save is not None:
            save(State(request, {**journal.finished, name: result}))

    journal = Journal(state.results, keep)
    while names := pending(state):
        tasks: dict[asyncio.Task[Any], str] = {}
        try:
            for name in names:
                for event in started(name, state):
                    yield event
            for name in names:
                work = partial(perform, name, state, client, budget=budget, cache=cache)
                tasks[asyncio.create_task(journal.once(name, work))] = name
            while tasks:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    name = tasks.pop(task)
                    state = state.record(name, task.result())
                    for event in ended(name, state):
                        yield event
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Work:
    """One step that is about to be done, and what it may use."""

    name: str
    state: State
    client: Kensaku
    budget: Budget | None
    cache: bool | None

    @property
    def number(self) -> int:
        """The round that the step belongs to."""
        return int(self.name.split("-")[1])


async def perform(
    name: str,
    state: State,
    client: Kensaku,
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
) -> dict[str, Any]:
    """Do one step and return its result, ready for JSON.

    Raises `UsageError` for a request that cannot be carried out. What the web, a page or the
    model fails at is part of the result.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    work = Work(name, state, client, budget, cache)
    result = await _STEPS[name.partition("-")[0]](work)
    return {**result, "elapsed": round(loop.time() - began, 3)}


async def _plan(work: Work) -> dict[str, Any]:
    request, client = work.state.request, work.client
    by_rule = split_questions(request.input)
    effort = choose_effort(request.model, request.input, len(by_rule))
    most = EFFORTS[effort].questions
    if is_topic(request.input) and effort == "pro":
        by_rule += [Subquestion(text, (text,)) for text in _aspects(request.input)]
    plan = await make_plan(
        request.input,
        open_model(client, budget=work.budget),
        most=most,
        seconds=work.state.seconds_left,
        by_rule=by_rule,
    )
    notes = [*unused_settings(client.settings), *plan.notes]
    if len(plan.questions) > most:
        notes.append(
            msg(
                "of {count} questions, {effort} takes the first {most}",
                count=len(plan.questions),
                effort=effort,
                most=most,
            )
        )
    questions = plan.to_dict()["questions"][:most]
    return {"effort": effort, "questions": questions, "by": plan.by, "notes": notes}


def _aspects(topic: str) -> tuple[str, ...]:
    t = translator(guess_language(topic))
    return (
        t("what is {topic}", topic=topic),
        t("history of {topic}", topic=topic),
        t("{topic} latest developments", topic=topic),
    )


async def _search(work: Work) -> dict[str, Any]:
    state, request = work.state, work.state.request
    planned = next(s for s in state.searches(work.number) if s.name == work.name)
    seconds = state.seconds_left
    if seconds <= 0:
        return not_searched("the time of the run was over before this search")
    query = Query(
        planned.query,
        max_results=state.effort.results,
        include_domains=request.include_domains if planned.preferred else (),
        exclude_domains=request.exclude_domains,
        collection=request.collection,
    )
    try:
        return await search(
            work.client, query, route=request.route, seconds=seconds, cache=work.cache,
            budget=work.budget,
        )  # fmt: skip
    except QueryWithheld as withheld:  # nobody is there who could agree
        return not_searched(withheld.message)


async def _read(work: Work) -> dict[str, Any]:
    state = work.state
    urls = state.pages_to_read(work.number)
    urls, notes = within_budget(urls, work.budget or work.client.budget)
    seconds = min(READ_SECONDS, state.seconds_left)
    if not urls or seconds <= 0:
        return {"pages": [], "failed": [], "notes": notes}
    about = [q["queries"][0] for q in state.plan["questions"]]
    result = await read(work.client, urls, about, seconds=seconds, budget=work.budget)
    return {**result, "notes": notes + result["notes"]}


async def _weigh(work: Work) -> dict[str, Any]:
    """Say which questions have no answer yet. When the time is over, no further round begins."""
    evidence, notes = await _evidence(work)
    findings = await asyncio.to_thread(evidence.findings, 1)
    missing = [n for n, finding in enumerate(findings) if not finding.sentences]
    if work.state.seconds_left <= 0:
        return {"missing": [], "open": missing, "notes": [msg("the time of the run was over")]}
    return {"missing": missing, "open": missing, "notes": notes}


async def _write(work: Work) -> dict[str, Any]:
    model = open_model(work.client, budget=work.budget)
    evidence, notes = await _evidence(work)
    result = await write_report(work.state, evidence, model, work.state.seconds_left)
    kept = {"scores": evidence.scores} if evidence.scores else {}  # for a replay
    return {**result, **kept, "notes": [*notes, *result["notes"]]}


async def _evidence(work: Work) -> tuple[Evidence, list[str]]:
    """Return what the finished steps have found, ordered by the reranker, and notes about that."""
    state = work.state
    evidence = evidence_of(state, work.client.settings.context_tokenizer)
    questions = range(len(evidence.questions))
    return evidence, await rerank(work.client, evidence, questions, state.seconds_left)


_STEPS: dict[str, Callable[[Work], Awaitable[dict[str, Any]]]] = {
    "plan": _plan,
    "search": _search,
    "read": _read,
    "weigh": _weigh,
    "write": _write,
}
