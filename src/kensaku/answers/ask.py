"""One question, a cited answer, with a person in the loop.

    question → plan → act → weigh → answer, search on, or ask → answer with checked citations

Collections are asked first, then the web, then the person. Everything that reaches outside goes
through `Toolbox` and `Journal`: it is approved, bounded, and done once.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.cited import Assessment, CitedAnswer, Thresholds, Usage, assess
from kensaku.answers.events import Answered, Event, Failed, Planned, TextDelta
from kensaku.answers.evidence import Evidence
from kensaku.answers.gather import find, gather
from kensaku.answers.interventions import clarify, confirm, get_help, read_addresses
from kensaku.answers.journal import Journal
from kensaku.answers.model import Metered, open_model, unused_settings
from kensaku.answers.person import Approvals, Cancelled
from kensaku.answers.plan import QuestionPlan, make_plan
from kensaku.answers.prompts import today
from kensaku.answers.questions import (
    addresses_in,
    in_context,
    split_questions,
    without_addresses,
)
from kensaku.answers.toolbox import Emit, Toolbox
from kensaku.answers.write import EXTRACT, Draft, deltas, write_answer
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import Attempt, Outcome, Query
from kensaku.options import AskOptions
from kensaku.search.budget import Budget
from kensaku.text.clean import visible
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.weigh import Finding
    from kensaku.client import Kensaku

MAX_QUESTION = 4_000
MAX_SECONDS = 3_600.0
MAX_QUESTIONS = 4  # of a plan
SIMPLE_CHARS = 200  # a single question as short as this needs no model to plan it
_DOUBT = {
    "silent": "",
    "notify": msg("This is likely, not certain."),
    "confirm": msg("This is uncertain: check it before you rely on it."),
    "escalate": msg("This is very uncertain: the sources hardly answer the question."),
}


@dataclass(frozen=True, slots=True)
class AskRun:
    """One question on its way to an answer, and what it may use."""

    question: str
    tools: Toolbox
    thresholds: Thresholds
    model: Metered | None
    began: float
    earlier: tuple[str, ...] = ()  # what the person asked before


async def ask(question: str, client: Kensaku, options: AskOptions) -> CitedAnswer:
    """Answer a question. `CitedAnswer.text` is None when nothing answers it."""
    done = await answer(begin(question, client, options, lambda _: None))
    made: CitedAnswer = done.answer  # type: ignore[attr-defined]  # the last event has it
    return made


async def ask_events(question: str, client: Kensaku, options: AskOptions) -> AsyncIterator[Event]:
    """Do the same as `ask`, and yield what happens; the last is `Answered` or `Failed`."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    task = asyncio.create_task(answer(begin(question, client, options, events.put_nowait)))
    task.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def begin(question: str, client: Kensaku, options: AskOptions, emit: Emit) -> AskRun:
    """Return a run that is about to start. Raises `UsageError`, before anything is sent."""
    if wrong := [name for name in options if name not in AskOptions.__annotations__]:
        raise UnknownName(msg("option"), wrong[0], AskOptions.__annotations__)
    text, settings = _text(question), client.settings
    Query("x", collection=options.get("collection"))
    began = asyncio.get_running_loop().time()
    tools = Toolbox(
        client=client,
        budget=_budget(client, options.get("budget")),
        deadline=began + _seconds(options.get("timeout"), settings.assistant_seconds),
        approvals=Approvals.from_words(settings.assistant_approvals, options.get("approvals")),
        journal=options.get("journal") or Journal(),
        emit=emit,
        t=translator(guess_language(text)),
        person=options.get("person"),
        wait=settings.assistant_wait,
        route=_route(options),
        collection=options.get("collection"),
        cache=options.get("cache"),
        notes=[] if options.get("model") else unused_settings(settings),
    )
    model = open_model(client, options.get("model"), tools.budget)
    earlier = tuple(options.get("earlier") or ())
    return AskRun(text, tools, Thresholds.from_settings(settings), model, began, earlier)


async def answer(run: AskRun) -> Event:
    """Answer a question, and emit what happens meanwhile. Returns the last event."""
    tools = run.tools
    loading = asyncio.ensure_future(_load(run.model))  # while the first search runs
    try:
        addresses = addresses_in(run.question)
        asked = in_context(run.question, run.earlier)
        plan = await _plan(run, asked)
        if said := await clarify(plan, tools):
            addresses += addresses_in(" ".join(said))
            plan = await _plan(run, f"{'; '.join(said)}: {asked}", again=True)
        evidence = Evidence(plan.questions, tools.client.settings.context_tokenizer)
        await read_addresses(addresses, tools, evidence)
        await gather(tools, evidence, run.thresholds.notify)
        findings = await find(tools, evidence)
        if await get_help(run, evidence, findings):
            findings = await find(tools, evidence)
        for number in itertools.count(1):
            draft, assessment = await _write(run, evidence, findings, number)
            withheld = await confirm(run, evidence, draft, assessment, number)
            if withheld is not None:
                break
            findings = await find(tools, evidence)
    except Cancelled as cancelled:
        return _end(run, Draft(), assess((), run.thresholds), str(cancelled))
    finally:
        loading.cancel()
    return _end(run, draft, assessment, withheld or "")


async def _plan(run: AskRun, question: str, *, again: bool = False) -> QuestionPlan:
    """Return the plan; it is made once. `again`: the person has answered its questions."""
    tools, text = run.tools, without_addresses(question)
    by_rule = split_questions(text)[:MAX_QUESTIONS]
    simple = len(by_rule) == 1 and len(text) <= SIMPLE_CHARS and not again

    async def plan() -> dict[str, Any]:
        made = await make_plan(
            f"{text}\n\nToday is {today()}. What may be spent: {tools.left()}.",
            run.model,
            most=MAX_QUESTIONS,
            seconds=tools.seconds_left,
            by_rule=by_rule,
            may_ask=tools.person is not None and not again,
        )
        return made.to_dict()

    if run.model is None or simple:
        made = QuestionPlan(tuple(by_rule))
    else:
        step = "plan:2" if again else "plan"
        made = QuestionPlan.from_dict(await tools.journal.once(step, plan))
    made = replace(made, questions=made.questions[:MAX_QUESTIONS])
    tools.notes += made.notes
    tools.emit(Planned(tuple(q.text for q in made.questions), made.by))
    return made


async def _write(
    run: AskRun, evidence: Evidence, findings: Sequence[Finding], number: int
) -> tuple[Draft, Assessment]:
    """Write the answer, and say how far it can be trusted."""
    tools = run.tools
    shown = None if _must_be_confirmed(run, findings) else tools.emit
    emit = None if shown is None else lambda part, cited: shown(TextDelta(part, cited))
    step = "write" if number == 1 else f"write:{number}"
    sources = evidence.references(c for f in findings for c in f.citations)
    draft = await write_answer(run, findings, sources, emit, step)
    by_model = draft.written_by != EXTRACT
    return draft, assess(
        findings, run.thresholds, by_model=by_model, cut=draft.cut, marked=draft.marked
    )


def _must_be_confirmed(run: AskRun, findings: Sequence[Finding]) -> bool:
    """Whether the person has to agree before a word of the answer is shown."""
    made = assess(findings, run.thresholds, by_model=run.model is not None)
    return run.tools.person is not None and made.action in ("confirm", "escalate")


def _end(run: AskRun, draft: Draft, assessment: Assessment, withheld: str) -> Event:
    """Return the last event; before it, a text that was not emitted yet is emitted in parts."""
    tools = run.tools
    outcome = _outcome(tools, answered=draft.text is not None)
    reason = withheld or (_reason(tools, outcome) if draft.text is None else "")
    said = tools.t(_DOUBT[assessment.action])
    elapsed = asyncio.get_running_loop().time() - run.began
    made = CitedAnswer(
        question=run.question,
        text=None if reason else draft.text,
        citations=() if reason else draft.citations,
        outcome=outcome,
        confidence=assessment,
        steps=tuple(tools.steps),
        written_by=draft.written_by,
        usage=_usage(run),
        elapsed_ms=round(1000 * elapsed, 1),
        doubt="" if reason else said,
        reason=reason,
        notes=tuple(dict.fromkeys([*tools.notes, *draft.notes])),
        attempts=tuple(Attempt.from_dict(a) for r in tools.results for a in r["attempts"]),
    )
    if made.text is None:
        return Failed(reason, answer=made)
    left = {c.n: c for c in made.citations}
    for part in () if draft.emitted else deltas(made.text):
        marks = [n for n in left if f"[{n}]" in part]
        tools.emit(TextDelta(part, tuple(left.pop(n) for n in marks)))
    return Answered(made)


def _outcome(tools: Toolbox, *, answered: bool) -> Outcome:
    """Say whether anything was found. Collections that know nothing do not stand for a web that
    could not be searched."""
    if answered:
        return Outcome.FOUND
    web = {s.outcome for s in tools.steps if s.tool == "web_search"}
    searched = web or {s.outcome for s in tools.steps if s.tool == "rag_search"}
    if not searched & {Outcome.FOUND, Outcome.EMPTY}:
        return Outcome.UNAVAILABLE
    any_source = any(r["hits"] or r["pages"] for r in tools.results)
    return Outcome.FOUND if any_source else Outcome.EMPTY


def _reason(tools: Toolbox, outcome: Outcome) -> str:
    if outcome is Outcome.UNAVAILABLE:
        return tools.t("Nobody could search. That does not mean that nothing exists.")
    if outcome is Outcome.EMPTY:
        return tools.t("Nothing was found.")
    return tools.t("None of the sources that were found answers this.")


def _usage(run: AskRun) -> Usage:
    tools, model = run.tools, run.model
    attempts = [attempt for result in tools.results for attempt in result["attempts"]]
    pages = [s for s in tools.steps if s.tool == "web_extract" and s.elapsed_ms]
    return Usage(
        searches=sum(bool(attempt["sent"]) for attempt in attempts),
        fetches=sum(len(s.arguments["urls"]) for s in pages),
        model_calls=model.calls if model else 0,
        tokens=model.tokens if model else 0,
        money=sum(attempt["cost"] for attempt in attempts),
    )


async def _load(model: Metered | None) -> None:
    if model is not None:
        await model.prepare()


def _budget(client: Kensaku, given: Budget | None) -> Budget:
    """Return the budget of one run; it counts against the given one or the client's, too."""
    s = client.settings
    return Budget(
        searches=s.assistant_searches,
        fetches=s.assistant_fetches,
        tokens=s.assistant_tokens,
        money=s.assistant_money or None,
        parent=given or client.budget,
    )


def _route(options: AskOptions) -> tuple[str, ...] | None:
    route = options.get("route")
    if route is None:
        return None
    names = route.split(",") if isinstance(route, str) else route
    return tuple(str(name).strip() for name in names)


def _seconds(value: object, default: float) -> float:
    seconds = default if value is None else value
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < seconds <= MAX_SECONDS:  # type: ignore[operator]
        raise InvalidQuery(
            msg(
                "timeout is {value!r}; it must be more than 0 and at most {max_seconds:g} s",
                value=value,
                max_seconds=MAX_SECONDS,
            )
        )
    return float(seconds)  # type: ignore[arg-type]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidQuery(msg("the question must be text, not {name}", name=type(value).__name__))
    text = visible(value).strip()  # also without what is not valid Unicode
    if not text:
        raise InvalidQuery(msg("the question is empty"), remedy=msg("say what to find out"))
    if len(text) > MAX_QUESTION:
        raise InvalidQuery(
            msg(
                "the question has {count:,} characters; at most {max_question:,} are taken",
                count=len(text),
                max_question=MAX_QUESTION,
            )
        )
    return text
