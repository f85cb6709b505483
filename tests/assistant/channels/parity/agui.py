"""AG-UI, by requests of the protocol; its own client does the same in tests/server/test_agui.py."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from . import Stage, Turn, query_of

NAME = "agui"


class Agent:
    """A thread of one front end."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http, self._runs = http, 0
        self._messages: list[dict[str, Any]] = []
        self._open: list[dict[str, Any]] = []  # interrupts

    async def say(self, text: str) -> Turn:
        self._runs += 1
        sent: dict[str, Any] = {"threadId": "t1", "runId": f"r{self._runs}"}
        if self._open:
            sent["resume"] = [
                {"interruptId": i["id"], "status": "resolved", "payload": text} for i in self._open
            ]
        else:
            message = {"id": f"m{self._runs}", "role": "user", "content": text}
            self._messages.append(message)
        got = await self._http.post("/agent", json=sent | {"messages": self._messages})
        lines = (line[6:] for line in got.text.splitlines() if line.startswith("data: "))
        return self._turn([json.loads(line) for line in lines])

    def _turn(self, events: list[dict[str, Any]]) -> Turn:
        calls: dict[str, list[str]] = {}
        said = ""
        for event in events:
            match event["type"]:
                case "TOOL_CALL_START":
                    calls[event["toolCallId"]] = [event["toolCallName"], "", ""]
                case "TOOL_CALL_ARGS":
                    calls[event["toolCallId"]][1] += event["delta"]
                case "TOOL_CALL_RESULT":
                    calls[event["toolCallId"]][2] = json.loads(event["content"])["outcome"]
                case "TEXT_MESSAGE_CONTENT":
                    said += event["delta"]
        self._open = events[-1].get("outcome", {}).get("interrupts", [])
        questions = [i["metadata"]["question"] for i in self._open]
        return Turn(
            tuple((q["tool"], query_of(q["arguments"])) for q in questions),
            tuple((tool, query_of(sent), outcome) for tool, sent, outcome in calls.values()),
            said,
        )


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Agent]:
    """A client of the server."""
    async with httpx.AsyncClient(base_url=stage.url, headers=stage.owner, timeout=60) as http:
        yield Agent(http)
