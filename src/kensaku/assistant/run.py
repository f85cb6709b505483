"""THE loop of the assistant.

    question → plan → act → weigh → answer, search on, or ask → answer with checked citations

Collections are asked first, then the web, then the person. Everything that reaches outside goes
through `Toolbox` and `Journal`: it is approved, bounded, and done once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kensaku.assistant.actions import Assessment, assess
from kensaku.assistant.answer import CitedAnswer, Usage
from kensaku.assistant.approval import Question
from kensaku.assistant.events import Answered, Event, Failed, Planned, QuestionAsked, TextDelta
from kensaku.assistant.evidence import Evidence
from kensaku.assistant.follow_up import in_context
from kensaku.assistant.model import Model, VendorModel
from kensaku.assistant.plan import addresses_in, make_plan
from kensaku.assistant.request import Run, begin
from kensaku.assistant.toolbox import Cancelled, Toolbox
from kensaku.assistant.writer import EXTRACT, Draft, deltas, write_answer
from kensaku.errors import IndexFault
from kensaku.models import LOCAL, Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.assistant.approval import Reply
    from kensaku.client import Kensaku
    from kensaku.options import AskOptions
    from kensaku.research.findings import Finding

PAGES = 3  # that are read for one question in one round
MAX_ROUNDS = 3


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
        tools.addresses.update(addresses := addresses_in(run.question))
        asked = in_context(run.question, run.earlier)
        questions, by = await make_plan(asked, run.model, tools)
        emit(Planned(tuple(q.text for q in questions), by))
        evidence = Evidence(questions, tools.client.settings.context_tokenizer)
        if addresses:
            about = [q.queries[0] for q in questions]
            evidence.add_pages(await tools.web_extract(addresses, about), shared=True)

        own = await _has_collections(tools)
        await _side_by_side(_find_out(n, run, evidence, own=own) for n in range(len(questions)))
        findings = await _weigh(evidence)
        if reply := await _ask_for_help(run, findings):
            await _follow(reply, run, evidence)
            findings = await _weigh(evidence)

        emit_text = None if _must_be_confirmed(run, findings) else _emit_text(run)
        draft = await write_answer(run.question, findings, evidence, run.model, tools, emit_text)
        by_model = draft.written_by != EXTRACT
        assessment = assess(
            findings, run.thresholds, by_model=by_model, cut=draft.cut, marked=draft.marked
        )
        withheld = await _is_withheld(run, draft, assessment)
    except Cancelled:
        return _end(run, (), Draft(), assess((), run.thresholds), tools.phrases.cancelled)
    finally:
        loading.cancel()
    return _end(run, findings, draft, assessment, withheld)


async def _side_by_side(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do independent work at the same time; the first error ends all of it."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in work:
                group.create_task(part)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def _find_out(n: int, run: Run, evidence: Evidence, *, own: bool) -> None:
    """Search for one question: collections, then the web, round by round until it is answered."""
    tools, queries = run.tools, evidence.questions[n].queries[:MAX_ROUNDS]
    if await _is_answered(n, run, evidence):  # by the page that the person named
        return
    if own:
        evidence.add(n, await tools.rag_search(queries[0]))
        if await _is_answered(n, run, evidence):
            return
    if own and tuple(tools.route or tools.client.settings.route) == (LOCAL,):
        return
    for query in queries:
        evidence.add(n, await tools.web_search(query))
        if await _is_answered(n, run, evidence):
            return
        if urls := evidence.unread(n, PAGES):
            evidence.add_pages(await tools.web_extract(urls, [queries[0]]))
            if await _is_answered(n, run, evidence):
                return


async def _is_answered(n: int, run: Run, evidence: Evidence) -> bool:
    finding = await asyncio.to_thread(evidence.finding, n)
    return bool(finding.sentences) and (finding.confidence or 0.0) >= run.thresholds.notify


async def _weigh(evidence: Evidence) -> list[Finding]:
    numbers = range(len(evidence.questions))
    return await asyncio.to_thread(lambda: [evidence.finding(n) for n in numbers])


async def _ask_for_help(run: Run, findings: Sequence[Finding]) -> Reply | None:
    """Ask the person for other words when the sources answer too little."""
    tools = run.tools
    if tools.person is None or assess(findings, run.thresholds).action != "escalate":
        return None
    question = Question(
        "help", tools.phrases.ask_help, urgency="optional",
        reason="; ".join(f.question for f in findings if not f.sentences),
        choices=("modify", "skip", "cancel"),
    )  # fmt: skip
    reply = await tools.ask(question, QuestionAsked(question))
    if reply is not None and reply.action == "cancel":
        raise Cancelled(tools.phrases.cancelled)
    return reply if reply is not None and reply.text.strip() else None


async def _follow(reply: Reply, run: Run, evidence: Evidence) -> None:
    """Do what the person proposed: read the addresses, search for the words."""
    tools, addresses = run.tools, addresses_in(reply.text)
    tools.addresses.update(addresses)
    if addresses:
        about = [q.queries[0] for q in evidence.questions]
        evidence.add_pages(await tools.web_extract(addresses, about), shared=True)
        return
    result = await tools.web_search(reply.text[:300].strip())
    for n in range(len(evidence.questions)):
        evidence.add(n, result)


def _must_be_confirmed(run: Run, findings: Sequence[Finding]) -> bool:
    """Whether the person has to agree before a word of the answer is shown."""
    made = assess(findings, run.thresholds, by_model=run.model is not None)
    return run.tools.person is not None and made.action in ("confirm", "escalate")


def _emit_text(run: Run) -> Callable[[str], None]:
    return lambda part: run.tools.emit(TextDelta(part))


async def _is_withheld(run: Run, draft: Draft, assessment: Assessment) -> str:
    """Ask the person to confirm a doubtful answer. Return why it is withheld, "" if it is not."""
    tools = run.tools
    doubtful = assessment.action in ("confirm", "escalate") and not draft.emitted
    if draft.text is None or not doubtful or tools.person is None:
        return ""
    question = Question("confirm", tools.phrases.ask_confirm, reason=draft.text)
    reply = await tools.ask(question, QuestionAsked(question))
    agreed = reply is not None and reply.action not in ("cancel", "skip")
    return "" if agreed else tools.phrases.not_confirmed


def _end(
    run: Run, findings: Sequence[Finding], draft: Draft, assessment: Assessment, withheld: str
) -> Event:
    """Return the last event; before it, a text that was not emitted yet is emitted in parts."""
    tools = run.tools
    outcome = _outcome(tools, answered=draft.text is not None)
    reason = withheld or (_reason(tools, outcome) if draft.text is None else "")
    said = "" if assessment.action == "silent" else getattr(tools.phrases, assessment.action)
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
    phrases = tools.phrases
    if outcome is Outcome.UNAVAILABLE:
        return phrases.unavailable
    return phrases.empty if outcome is Outcome.EMPTY else phrases.no_answer


def _usage(tools: Toolbox) -> Usage:
    pages = [s for s in tools.steps if s.tool == "web_extract" and s.elapsed_ms]
    return Usage(
        searches=sum(bool(a["sent"]) for r in tools.results for a in r["attempts"]),
        fetches=sum(len(s.arguments["urls"]) for s in pages),
        model_calls=tools.model_calls,
        tokens=tools.tokens,
        money=sum(r["cost"] for r in tools.results),
    )


async def _has_collections(tools: Toolbox) -> bool:
    """Whether there is anything of one's own to search. An index that was never filled is not
    opened."""
    if tools.collection is not None:
        return True
    s = tools.client.settings
    if not s.index_url and not (s.home / "index" / "collections").is_dir():
        return False
    try:
        return bool(await tools.client.index.collections())
    except IndexFault as error:
        tools.notes.append(f"the collections could not be searched: {error.message}")
        return False


async def _load(model: Model | None) -> None:
    if isinstance(model, VendorModel):
        with suppress(Exception):  # asking it says what is wrong
            await model.prepare()
