"""The gateway's flow: ask the model, run its web calls, ask again, until it answers.

    messages + functions → model → text, calls → ours: run, results behind the messages → model → …
                                               → the client's: passed on, and the turn ends

Bounded by `MAX_ROUNDS`, by the uses that the client allows, and by the budget of the key.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from kensaku.gateway.marks import Marks
from kensaku.gateway.model import End, open_chat
from kensaku.gateway.turn import Called, Event, Finished, Message, Text, Thought, Turn, Usage
from kensaku.gateway.web import FETCH, SEARCH, Done, WebTools

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.gateway.model import ChatModel
    from kensaku.search.budget import Budget

MAX_ROUNDS = 12  # replies of the model in one turn


async def run(turn: Turn, client: Kensaku, budget: Budget | None = None) -> AsyncIterator[Event]:
    """Yield what happens. The last event is `Finished`. Raises `ModelFailed` and `ConfigError`."""
    model, web = open_chat(client), WebTools(client, turn, budget)
    messages, spent = list(turn.messages), Usage()
    for left in reversed(range(MAX_ROUNDS)):
        reply = _Reply(web)
        async for event in reply.read(
            model, messages, _offered(turn, web, left), _options(turn, web)
        ):
            yield event
        spent = _add(spent, reply.end, web)
        ours = [_own(call) for call in reply.calls if web.owns(call)]
        theirs = [call for call in reply.calls if not web.owns(call)]
        for call in ours:
            yield web.begin(call)
        done = await web.run(ours)
        for result in done:
            yield result.event
        if ours and not theirs and left:
            messages += _turned(reply.text, ours, done)
            continue
        for call in _told_apart(theirs, messages):
            yield call
        break
    tokens = spent.prompt + spent.completion
    await (budget or client.budget).settle(tokens=tokens)
    reason = reply.end.reason
    if reason == "tool_calls" and not theirs:
        reason = "stop"
    yield Finished(reason, _add(spent, End("stop"), web))


class _Reply:
    """One reply of the model."""

    def __init__(self, web: WebTools) -> None:
        self._marks = Marks(web.sources)
        self.text = ""
        self.calls: list[Called] = []
        self.end = End("stop")

    async def read(
        self,
        model: ChatModel,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
    ) -> AsyncIterator[Event]:
        """Yield its text with the citations that hold; calls and end are kept."""
        async with aclosing(model.stream(messages, tools, options)) as parts:
            async for part in parts:
                match part:
                    case Text(text):
                        self.text += text
                        for event in self._marks.feed(text):
                            yield event
                    case Thought():
                        yield part
                    case Called():
                        self.calls.append(part)
                    case End():
                        self.end = part
        for event in self._marks.end():
            yield event


def _own(call: Called) -> Called:
    """Return a call of a web tool under an id of ours: some servers count from 0 in each reply."""
    return replace(call, id=f"srvtoolu_{token_hex(12)}")


def _told_apart(calls: Sequence[Called], messages: Sequence[Message]) -> list[Called]:
    """Return the client's calls, each under an id that the conversation does not have yet."""
    used = {
        str(call.get("id"))
        for message in messages
        if isinstance(made := message.get("tool_calls"), list)
        for call in made
        if isinstance(call, dict)
    }
    return [replace(c, id=f"call_{token_hex(12)}") if c.id in used else c for c in calls]


def _offered(turn: Turn, web: WebTools, left: int) -> list[Mapping[str, Any]]:
    """Return the functions of a round; the last one has none of ours, so that it answers."""
    return [*turn.tools, *(web.offered() if left else [])]


def _options(turn: Turn, web: WebTools) -> Mapping[str, Any]:
    """Return the options of a round: what was to be called was called by the first."""
    options = dict(turn.options)
    if any(web.uses.values()):
        options.pop("tool_choice", None)
    return options


def _turned(text: str, calls: Sequence[Called], done: Sequence[Done]) -> list[dict[str, Any]]:
    """Return calls and their results as messages."""
    made = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c in calls
    ]
    said = {"role": "assistant", "content": text or None, "tool_calls": made}
    results = (
        {"role": "tool", "tool_call_id": call.id, "content": result.text}
        for call, result in zip(calls, done, strict=True)
    )
    return [said, *results]


def _add(spent: Usage, end: End, web: WebTools) -> Usage:
    return Usage(
        spent.prompt + end.prompt_tokens,
        spent.completion + end.completion_tokens,
        web.uses[SEARCH],
        web.uses[FETCH],
    )
