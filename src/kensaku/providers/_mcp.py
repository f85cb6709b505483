"""A provider behind an MCP server: its request is one `tools/call` over Streamable HTTP.

    Query → POST {"method": "tools/call", …} → JSON, or one event with it → the tool's text

These servers keep no session, so nothing has to be opened before the call.
"""

from __future__ import annotations

from typing import Any, ClassVar

from kensaku.errors import ProviderError, RateLimited
from kensaku.foreign_json import decode_json
from kensaku.models import Query
from kensaku.providers.base import Provider, Reply, Request, member, rows

ID = 1
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


class McpProvider(Provider):
    """Subclasses name the tool, and write `arguments` and `hits_in`."""

    tool: ClassVar[str]
    format = "a result of MCP"

    def arguments(self, query: Query) -> dict[str, Any]:
        """The tool's arguments."""
        raise NotImplementedError

    def request(self, query: Query, key: str) -> Request:
        call = {"name": self.tool, "arguments": self.arguments(query)}
        return Request(
            url=self.base_url + "/mcp",
            headers=HEADERS,
            json={"jsonrpc": "2.0", "id": ID, "method": "tools/call", "params": call},
        )

    def decode(self, reply: Reply) -> Any:
        if "event-stream" not in reply.headers.get("content-type", ""):
            return reply.json()
        for message in _events(reply.body.decode("utf-8", "replace")):
            if isinstance(message, dict) and message.get("id") == ID:
                return message
        raise ValueError("no event has the result")

    def failure(self, reply: Reply) -> ProviderError | None:
        error = super().failure(reply)
        # Some count their calls inside the tool, and say so with status 200.
        if error is None and b"ateLimited" in reply.body[:100_000] and self._is_limited(reply):
            return self.refusal(reply, RateLimited, "the free calls are used up for now")
        return error

    def _is_limited(self, reply: Reply) -> bool:
        try:
            meta = member(self.decode(reply), "result", "_meta")
        except ValueError:
            return False
        return isinstance(meta, dict) and any(
            name.endswith("/rateLimited") and value for name, value in meta.items()
        )

    def complaint(self, body: Any) -> str:
        if member(body, "result", "isError"):
            return _text(body)[:300] or "the tool failed"
        return super().complaint(body)


def tool_text(body: Any) -> str:
    """The text of a tool's result. Raises `ValueError` when there is none."""
    if not (found := _text(body)):
        raise ValueError("the tool returned no text")
    return found


def tool_data(body: Any) -> Any:
    """A tool's result as data: its structured content, or its text as JSON."""
    found = member(body, "result", "structuredContent")
    return found if isinstance(found, dict) else decode_json(tool_text(body))


def _text(body: Any) -> str:
    parts = rows(body["result"]["content"])
    texts = [p["text"] for p in parts if p.get("type") == "text" and isinstance(p.get("text"), str)]
    return "\n".join(texts).strip()


def _events(stream: str) -> list[Any]:
    """The messages of a stream of events, in order."""
    messages = []
    for event in stream.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].strip() for line in event.split("\n") if line.startswith("data:")]
        if lines:
            messages.append(decode_json("\n".join(lines)))
    return messages
