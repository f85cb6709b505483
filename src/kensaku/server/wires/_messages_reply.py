"""Anthropic's Messages: events of a turn written as one message, or as its stream. Pure.

Searching → server_tool_use      Searched → web_search_tool_result
Text, Cited → text blocks, each with its citations      Called → tool_use
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from kensaku.gateway.turn import (
    Called,
    Cited,
    Event,
    Fetched,
    Fetching,
    Finished,
    Refusal,
    Searched,
    Searching,
    Text,
    Thought,
    Usage,
)
from kensaku.gateway.web import FETCH, SEARCH
from kensaku.server.http import encode
from kensaku.server.wires._messages_turn import seal

_STOPS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
_SEARCH_ERRORS: Mapping[Refusal, str] = {
    "invalid": "invalid_tool_input",
    "uses": "max_uses_exceeded",
    "too_many": "too_many_requests",
}
_FETCH_ERRORS: Mapping[Refusal, str] = {
    **_SEARCH_ERRORS,
    "not_allowed": "url_not_allowed",
    "unreadable": "url_not_accessible",
}


class MessagesReply:
    """One message: `feed` events, then take it whole; or send the frames that are yielded."""

    def __init__(self, id: str, model: str, prompt_tokens: int) -> None:
        """`prompt_tokens`: estimated, for the first frame; the last one has what the model says."""
        self._id, self._model = f"msg_{id}", model
        self._usage = Usage(prompt=prompt_tokens)
        self._content: list[dict[str, Any]] = []
        self._text: dict[str, Any] | None = None  # the block that is being written
        self._stop: str | None = None

    def begin(self) -> Iterator[bytes]:
        """Yield the first frames."""
        yield _frame("message_start", message=self.whole())
        yield _frame("ping")

    def feed(self, event: Event) -> Iterator[bytes]:
        """Take an event, and yield its frames."""
        match event:
            case Text(text):
                yield from self._say(text)
            case Thought():
                return  # its blocks have a signature of Anthropic's, which nobody else can give
            case Cited():
                yield from self._cite(event)
            case Searching(id, query):
                yield from self._tool("server_tool_use", id, SEARCH, {"query": query})
            case Fetching(id, url):
                yield from self._tool("server_tool_use", id, FETCH, {"url": url})
            case Searched():
                yield from self._block(_searched(event))
            case Fetched():
                yield from self._block(_fetched(event))
            case Called(id, name, arguments):
                yield from self._tool("tool_use", id, name, _input(arguments), arguments)
            case Finished(reason, usage):
                yield from self._close()
                self._stop = _STOPS[reason]
                self._usage = (
                    usage
                    if usage.prompt
                    else Usage(self._usage.prompt, usage.completion, usage.searches, usage.fetches)
                )
                delta = {"stop_reason": self._stop, "stop_sequence": None}
                yield _frame("message_delta", delta=delta, usage=self._used())
                yield _frame("message_stop")

    def whole(self) -> dict[str, Any]:
        """Return the message as it is by now."""
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": self._content,
            "stop_reason": self._stop,
            "stop_sequence": None,
            "usage": self._used(),
        }

    def _used(self) -> dict[str, Any]:
        used = self._usage
        tools = {"web_search_requests": used.searches, "web_fetch_requests": used.fetches}
        return {
            "input_tokens": used.prompt,
            "output_tokens": used.completion,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "server_tool_use": tools if used.searches or used.fetches else None,
        }

    # --- text: a block ends behind its citations

    def _say(self, text: str) -> Iterator[bytes]:
        if self._text is not None and self._text["citations"]:
            yield from self._close()
        if self._text is None:
            self._text = {"type": "text", "text": "", "citations": None}
            self._content.append(self._text)
            yield self._start(self._text)
        self._text["text"] += text
        yield self._delta(type="text_delta", text=text)

    def _cite(self, cited: Cited) -> Iterator[bytes]:
        if self._text is None:
            return
        source = cited.source
        citation = {
            "type": "web_search_result_location",
            "url": source.url,
            "title": source.title,
            "encrypted_index": seal(str(source.n)),
            "cited_text": cited.quote,
        }
        self._text["citations"] = [*(self._text["citations"] or ()), citation]
        yield self._delta(type="citations_delta", citation=citation)

    def _close(self) -> Iterator[bytes]:
        if self._text is not None:
            self._text = None
            yield _frame("content_block_stop", index=len(self._content) - 1)

    # --- blocks

    def _tool(
        self, kind: str, id: str, name: str, given: Mapping[str, Any], raw: str = ""
    ) -> Iterator[bytes]:
        yield from self._close()
        block = {"type": kind, "id": id, "name": name, "input": given}
        self._content.append(block)
        yield self._start({**block, "input": {}})
        whole = raw or json.dumps(given, ensure_ascii=False)
        yield self._delta(type="input_json_delta", partial_json=whole)
        yield _frame("content_block_stop", index=len(self._content) - 1)

    def _block(self, block: dict[str, Any]) -> Iterator[bytes]:
        yield from self._close()
        self._content.append(block)
        yield self._start(block)
        yield _frame("content_block_stop", index=len(self._content) - 1)

    def _start(self, block: Mapping[str, Any]) -> bytes:
        return _frame("content_block_start", index=len(self._content) - 1, content_block=block)

    def _delta(self, **delta: Any) -> bytes:
        return _frame("content_block_delta", index=len(self._content) - 1, delta=delta)


def _searched(event: Searched) -> dict[str, Any]:
    content: Any = [
        {
            "type": "web_search_result",
            "url": source.url,
            "title": source.title,
            "page_age": source.published,
            "encrypted_content": seal("\n…\n".join(p.text for p in source.passages)),
        }
        for source in event.sources
    ]
    if event.refusal:
        code = _SEARCH_ERRORS.get(event.refusal, "unavailable")
        content = {"type": "web_search_tool_result_error", "error_code": code}
    return {"type": "web_search_tool_result", "tool_use_id": event.id, "content": content}


def _fetched(event: Fetched) -> dict[str, Any]:
    content: dict[str, Any]
    if event.source is None:
        code = _FETCH_ERRORS.get(event.refusal or "unavailable", "unavailable")
        content = {"type": "web_fetch_tool_result_error", "error_code": code}
    else:
        text = "\n…\n".join(p.text for p in event.source.passages)
        source = {"type": "text", "media_type": "text/plain", "data": text}
        content = {
            "type": "web_fetch_result",
            "url": event.source.url,
            "retrieved_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "content": {
                "type": "document",
                "source": source,
                "title": event.source.title,
                "citations": {"enabled": True},
            },
        }
    return {"type": "web_fetch_tool_result", "tool_use_id": event.id, "content": content}


def _input(arguments: str) -> Mapping[str, Any]:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    return given if isinstance(given, dict) else {}


def _frame(kind: str, **values: Any) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + encode({"type": kind, **values}) + b"\n\n"
