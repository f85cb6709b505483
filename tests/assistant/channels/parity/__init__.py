"""One conversation through every channel. A channel is one file here, and nothing else.

    NAME = "…"                      as the database calls it; "" for a channel that keeps nothing
    open_channel(stage) → Channel   an asynchronous context manager
    Channel.say(text) → Turn        what the channel showed until it asked, or had answered

A driver reads what the channel shows outside: its stream, its screen, the messages that it sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kensaku import Kensaku


@dataclass(frozen=True)
class Stage:
    """What a channel may use. All of it has the same home, database and upstream."""

    client: Kensaku
    url: str  # of the server
    owner: Mapping[str, str]  # the headers of its owner
    env: Mapping[str, str]  # of a process, or of settings, that a channel makes itself


@dataclass(frozen=True)
class Turn:
    """What a channel showed after one message."""

    asked: tuple[tuple[str, str], ...] = ()  # consent to which tool, with which query
    # Tool, query, outcome. None: the channel may leave out a call that was quick.
    tools: tuple[tuple[str, str, str], ...] | None = ()
    said: str = ""  # the text, with its sources and whatever stands around it
    doubt: str = ""  # of the run itself: a channel has it in `said`


class Channel(Protocol):
    """A person at one end of a channel."""

    async def say(self, text: str) -> Turn:
        """Send a message; return what came back."""


def turn_of(events: Iterable[Mapping[str, Any]], said: str | None = None) -> Turn:
    """Return what events of a run, as JSON, amount to. `said`: the text, where it was shown."""
    asked, tools, text = [], [], ""
    for event in events:
        kind = event["type"]
        if kind in ("ApprovalNeeded", "QuestionAsked"):
            asked.append((event["question"]["tool"], query_of(event["question"]["arguments"])))
        elif kind == "ToolEnded":
            tools.append((event["tool"], query_of(event["arguments"]), event["outcome"]))
        elif kind == "TextDelta":
            text += event["text"]
        elif kind == "Answered":
            text += "".join(f"\n{c['url']}" for c in event["answer"]["citations"])
    return Turn(tuple(asked), tuple(tools), text if said is None else said)


def query_of(arguments: Mapping[str, Any] | str) -> str:
    """Return the query of a call."""
    values = json.loads(arguments) if isinstance(arguments, str) else arguments
    return str(values.get("query", ""))
