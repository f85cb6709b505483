"""THE loop of the assistant.

    question → plan → act → weigh → answer, search on, or ask → answer with checked citations

Collections are asked first, then the web, then the person. Everything that reaches outside goes
through `Toolbox` and `Journal`: it is approved, bounded, and done once.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from kensaku.assistant.actions import Assessment, assess
from kensaku.assistant.answer import CitedAnswer, Usage
from kensaku.assistant.events import Answered, Event, Failed, Planned, TextDelta
from kensaku.assistant.evidence import Evidence
from kensaku.assistant.find import find_out, weigh
from kensaku.assistant.follow_up import in_context
from kensaku.assistant.interventions import clarify, confirm, get_help, read_addresses
from kensaku.assistant.model import Model, VendorModel
from kensaku.assistant.plan import addresses_in, make_plan
from kensaku.assistant.request import Run, begin
from kensaku.assistant.toolbox import Cancelled, Toolbox
from kensaku.assistant.writer import EXTRACT, Draft, deltas, write_answer
from kensaku.messages import msg
from kensaku.models import Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.options import AskOptions
    from kensaku.research.findings import Finding

_DOUBT = {
    "silent": "",
    "notify": msg("This is likely, not certain."),
    "confirm": msg("This is uncertain: check it before you rely on it."),
    "escalate": msg("This is very uncertain: the sources hardly answer the question."),
}


async def ask(question: str, client: Kensaku, options: AskOptions) -> CitedAnswer:
    """Answer a question. `CitedAnswer.text` is None when nothing answers it."""
    run = begin(question, client, options, lambda _: None)
    done = await answer(run)
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


async def answer(run: Run) -> Event:
    """Answer a question, and emit what happens meanwhile. Returns the last event."""
    tools, emit = run.tools, run.tools.emit
    loading = asyncio.ensure_future(_load(run.model))  # while the first search runs
    try:
        addresses = addresses_in(run.question)
        asked = in_context(run.question, run.earlier)
        plan = await make_plan(asked, run.model, tools)
        emit(Planned(tuple(q.text for q in plan.questions), plan.by))
        if said := await clarify(plan, tools):
            addresses += addresses_in(" ".join(said))
            plan = await make_plan(f"{'; '.join(said)}: {asked}", run.model, tools, again=True)
            emit(Planned(tuple(q.text for q in plan.questions), plan.by))
        evidence = Evidence(plan.questions, tools.client.settings.context_tokenizer)
        await read_addresses(addresses, tools, evidence)
        await find_out(run, evidence)
        findings = await weigh(evidence)
        if await get_help(run, evidence, findings):
            findings = await weigh(evidence)
        for number in itertools.count(1):
            draft, assessment = await _write(run, evidence, findings, number)
            withheld = await confirm(run, evidence, draft, assessment, number)
            if withheld is not None:
                break
            findings = await weigh(evidence)
    except Cancelled as cancelled:
        return _end(run, (), Draft(), assess((), run.thresholds), str(cancelled))
    finally:
        loading.cancel()
    return _end(run, findings, draft, assessment, withheld or "")


async def _write(
    run: Run, evidence: Evidence, findings: Sequence[Finding], number: int
) -> tuple[Draft, Assessment]:
    """Write the answer, and say how far it can be trusted."""
    emit = None if _must_be_confirmed(run, findings) else _emit_text(run)
    step = "write" if number == 1 else f"write:{number}"
    draft = await write_answer(run.question, findings, evidence, run.model, run.tools, emit, step)
    by_model = draft.written_by != EXTRACT
    return draft, assess(
        findings, run.thresholds, by_model=by_model, cut=draft.cut, marked=draft.marked
    )


def _must_be_confirmed(run: Run, findings: Sequence[Finding]) -> bool:
    """Whether the person has to agree before a word of the answer is shown."""
    made = assess(findings, run.thresholds, by_model=run.model is not None)
    return run.tools.person is not None and made.action in ("confirm", "escalate")


def _emit_text(run: Run) -> Callable[[str], None]:
    return lambda part: run.tools.emit(TextDelta(part))


def _end(
    run: Run, findings: Sequence[Finding], draft: Draft, assessment: Assessment, withheld: str
) -> Event:
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
        usage=_usage(tools),
        elapsed_ms=round(1000 * elapsed, 1),
        doubt="" if reason else said,
        reason=reason,
        notes=tuple(dict.fromkeys([*tools.notes, *draft.notes])),
        attempts=tuple(Attempt.from_dict(a) for r in tools.results for a in r["attempts"]),
    )
    if made.text is None:
        return Failed(reason, made)
    for part in () if draft.emitted else deltas(made.text):
        tools.emit(TextDelta(part))
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


def _usage(tools: Toolbox) -> Usage:
    pages = [s for s in tools.steps if s.tool == "web_extract" and s.elapsed_ms]
    return Usage(
        searches=sum(bool(a["sent"]) for r in tools.results for a in r["attempts"]),
        fetches=sum(len(s.arguments["urls"]) for s in pages),
        model_calls=tools.model_calls,
        tokens=tools.tokens,
        money=sum(r["cost"] for r in tools.results),
    )


async def _load(model: Model | None) -> None:
    if isinstance(model, VendorModel):
        with suppress(Exception):  # asking it says what is wrong
            await model.prepare()
