"""A model on loopback that speaks chat completions and says what it is told to say.

model.says("Otters hold hands [1].")            the next reply
model.calls("web_search", query="otters")       a reply that calls a function
model.asked[0]["messages"]                      what it was asked
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


class ScriptedModel:
    """Answers each request with the next reply of its script; the last one again and again."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.url = ""
        self._script: list[dict[str, Any]] = []
        self.app = Starlette(
            routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])]
        )

    def says(self, text: str, *, reason: str = "stop", thought: str = "") -> None:
        """Say a text next."""
        self._script.append({"text": text, "calls": [], "reason": reason, "thought": thought})

    def calls(self, name: str, /, text: str = "", **arguments: Any) -> None:
        """Call a function next; with `also`, a second call in one reply."""
        self.calls_all([(name, arguments)], text=text)

    def calls_all(self, calls: list[tuple[str, dict[str, Any]]], text: str = "") -> None:
        """Call several functions in one reply."""
        self._script.append({"text": text, "calls": calls, "reason": "tool_calls", "thought": ""})

    def fails(self, status: int, message: str) -> None:
        """Refuse the next request."""
        self._script.append({"status": status, "message": message})

    def breaks_off(self, text: str) -> None:
        """Close the connection in the middle of the next reply."""
        self._script.append({"text": text, "calls": [], "reason": None, "thought": ""})

    @property
    def said_to_it(self) -> str:
        """All that it has read, as one text."""
        return json.dumps(self.asked, ensure_ascii=False)

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        self.keys.append(request.headers.get("authorization", ""))
        reply = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if "status" in reply:
            error = {"error": {"message": reply["message"]}}
            return JSONResponse(error, reply["status"])
        assert body["stream"] is True
        return StreamingResponse(_chunks(reply), media_type="text/event-stream")


async def _chunks(reply: dict[str, Any]) -> AsyncIterator[str]:
    """Send words one by one, and arguments in halves, as models do."""
    if reply["thought"]:
        yield _chunk({"reasoning_content": reply["thought"]})
    for word in _words(reply["text"]):
        yield _chunk({"content": word})
    for index, (name, arguments) in enumerate(reply["calls"]):
        raw = json.dumps(arguments, ensure_ascii=False)
        head = {"index": index, "id": f"call_{index}", "type": "function"}
        yield _chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": raw[:5]}}]})
        rest = {"index": index, "function": {"arguments": raw[5:]}}
        yield _chunk({"tool_calls": [rest]})
    if reply["reason"] is None:
        return
    yield _chunk({}, reply["reason"])
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    yield "data: " + json.dumps({"choices": [], "usage": usage}) + "\n\n"
    yield "data: [DONE]\n\n"


def _words(text: str) -> list[str]:
    """Cut a text after 1, 2, 3, 4, 1, … characters."""
    cuts, at = [], 0
    while at < len(text):
        size = len(cuts) % 4 + 1
        cuts.append(text[at : at + size])
        at += size
    return cuts


def _chunk(delta: dict[str, Any], reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return "data: " + json.dumps({"choices": [choice]}) + "\n\n"
