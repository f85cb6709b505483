"""A run of the assistant for the wires that offer it as a model.

    Chat → run_assistant → the events of a run → as_turn → the events of a turn

A request keeps nothing: clients send the whole conversation. The run ends with its client.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from kensaku.answers import events
from kensaku.answers.evidence import Reference
from kensaku.answers.person import Question, Reply
from kensaku.assistant.registrations import registered_tiers
from kensaku.assistant.replies import read_reply
from kensaku.gateway import turn
from kensaku.gateway.marks import MAX_QUOTE
from kensaku.models import Outcome, Passage
from kensaku.server.perform import Unavailable
from kensaku.server.wires._completion import ASKS, Chat, asking_text, is_asked

if TYPE_CHECKING:
    from kensaku.answers.cited import Cited
    from kensaku.server.request import Request

CHANNEL = "openai"
_MARK = re.compile(r"\s?\[(\d{1,3})\]")


async def run_assistant(request: Request, chat: Chat) -> AsyncIterator[events.Event]:
    """Yield the events of a run. It waits for ever with a question that is not answered yet."""
    from kensaku.database import url_of

    if chat.done is not None:  # a task that needs no run
        yield events.TextDelta(chat.done)
        return

    async def person(question: Question) -> Reply | None:
        if not is_asked(question):
            return Reply("proceed") if question.kind == "confirm" else None
        said = chat.reply_to(question)
        if said is None:
            await asyncio.get_running_loop().create_future()
        answered = read_reply(question, said or "")
        await _record(request, question, answered)
        return answered

    client = request.client
    tiers = await registered_tiers(url_of(client.settings), request.principal.key_id)
    run = client.ask_events(
        chat.question, earlier=chat.earlier, person=person, approvals=tiers,
        budget=request.run_budget,
    )  # fmt: skip
    async with aclosing(run) as happening:  # type: ignore[type-var]  # it is a generator
        async for event in happening:
            yield event
            if is_open(event, chat):
                return  # the question is the reply


async def as_turn(request: Request, chat: Chat) -> AsyncIterator[turn.Event]:
    """Yield a run as a turn of a model with web tools. Raises `Unavailable`."""
    cited: dict[int, Cited] = {}
    tokens, searches, fetches = 0, 0, 0
    async with aclosing(run_assistant(request, chat)) as happening:  # type: ignore[type-var]
        async for event in happening:
            match event:
                case events.TextDelta(text):
                    cited |= {c.n: c for c in event.cited}
                    # Of a page it may be, and would make the next message a reply.
                    for part in _cite(text.replace(ASKS.strip(), "?"), cited):
                        yield part
                case events.ToolStarted() | events.ToolEnded():
                    for made in _tool(event):
                        yield made
                        searches += isinstance(made, turn.Searched)
                        fetches += isinstance(made, turn.Fetched)
                case events.ApprovalNeeded(question) | events.QuestionAsked(question):
                    if is_open(event, chat):
                        yield turn.Text(asking_text(question))
                case events.Answered(answer):
                    tokens = answer.usage.tokens
                    request.outcome = str(answer.outcome)
                    if answer.doubt:
                        yield turn.Text(f"\n\n{answer.doubt}")
                case events.Failed(message, answer):
                    request.outcome = str(answer.outcome)
                    failed = any(a.error for a in answer.attempts)
                    if answer.outcome is Outcome.UNAVAILABLE and failed:
                        raise Unavailable(answer.attempts)
                    yield turn.Text(message)
    yield turn.Finished("stop", turn.Usage(chat.tokens, tokens, searches, fetches))


def is_open(event: events.Event, chat: Chat) -> bool:
    """Whether an event is a question that the conversation has no answer to."""
    asking = (events.ApprovalNeeded, events.QuestionAsked)
    asks = isinstance(event, asking) and is_asked(event.question)
    return asks and chat.reply_to(event.question) is None  # type: ignore[attr-defined]


def _cite(text: str, cited: dict[int, Cited]) -> Iterator[turn.Text | turn.Cited]:
    at = 0
    for mark in _MARK.finditer(text):
        source = cited.get(int(mark[1]))
        if source is None:
            continue
        if mark.start() > at:
            yield turn.Text(text[at : mark.start()])
        passage = Passage(source.url, source.passage, 0, len(source.passage), title=source.title)
        about = Reference(source.n, source.url, source.title, source.published, passages=(passage,))
        yield turn.Cited(about, source.passage[:MAX_QUOTE], mark[0])
        at = mark.end()
    if text[at:]:
        yield turn.Text(text[at:])


def _tool(event: events.ToolStarted | events.ToolEnded) -> list[turn.Event]:
    """Return a tool of the assistant as a web tool: what searches, or what reads pages."""
    given = event.arguments
    id = f"srvtoolu_{event.id}"
    urls = [str(url) for url in given.get("urls", ())]
    if "query" in given:
        query = str(given["query"])
        if isinstance(event, events.ToolStarted):
            return [turn.Searching(id, query)]
        found = tuple(Reference(n, url, title) for n, (title, url) in enumerate(event.found, 1))
        failed = event.outcome in (Outcome.UNAVAILABLE, "refused")
        return [turn.Searched(id, query, found, "unavailable" if failed else None)]
    if isinstance(event, events.ToolStarted):
        return [turn.Fetching(f"{id}_{n}", url) for n, url in enumerate(urls)]
    titles = {url: title for title, url in event.found}
    return [
        turn.Fetched(f"{id}_{n}", url, Reference(n, url, titles[url]))
        if url in titles
        else turn.Fetched(f"{id}_{n}", url, refusal="unreadable")
        for n, url in enumerate(urls)
    ]


async def _record(request: Request, question: Question, said: Reply) -> None:
    """Add a decision to the audit trail."""
    from kensaku.database.conversations import Sender
    from kensaku.database.people import record_decisions

    who = request.principal
    sender = Sender(CHANNEL, who.key_id, "", who.tenant)
    async with request.state.database.write() as connection:
        kinds = [(question.kind, question.tool, said.action)]
        await record_decisions(connection, sender, "", kinds)
