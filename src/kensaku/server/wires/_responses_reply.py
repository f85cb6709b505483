"""OpenAI's Responses: events of a turn written as one response, or as its stream. Pure.

Searching → web_search_call in progress     Searched → web_search_call completed
Text, Cited → message with annotations      Called → function_call | custom_tool_call
Finished → response.completed | response.incomplete
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kensaku.gateway.turn import (
    Called,
    Cited,
    Event,
    Fetched,
    Fetching,
    Finished,
    Searched,
    Searching,
    Text,
    Usage,
)
from kensaku.server.http import encode
from kensaku.server.wires._chat_turn import annotation_of, link_of
from kensaku.server.wires._responses_turn import TOOL_SEARCH, OwnTool, Responding


class ResponsesReply:
    """One response: `feed` events, then take it whole; or send the frames that are yielded."""

    def __init__(self, id: str, created: int, asked: Responding) -> None:
        self.id = f"resp_{id}"
        self._created, self._asked = created, asked
        self._output: list[dict[str, Any]] = []
        self._message: dict[str, Any] | None = None  # that is being written
        self._sequence = 0
        self._finished: Finished | None = None
        self._error: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """What was said."""
        messages = [item for item in self._output if item["type"] == "message"]
        return "\n\n".join(m["content"][0]["text"] for m in messages)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of the client's functions, as chat completions have them."""
        return [
            {
                "id": item["call_id"],
                "type": "function",
                "function": {"name": _full_name(item), "arguments": _arguments(item)},
            }
            for item in self._output
            if item["type"] in ("function_call", "custom_tool_call", "tool_search_call")
        ]

    def begin(self) -> Iterator[bytes]:
        """Yield the first frames."""
        yield self._frame("response.created", response=self.whole())
        yield self._frame("response.in_progress", response=self.whole())

    def feed(self, event: Event) -> Iterator[bytes]:
        """Take an event, and yield its frames."""
        match event:
            case Text(text):
                yield from self._say(text)
            case Cited():
                yield from self._cite(event)
            case Searching(id, query):
                action = {"type": "search", "query": query, "queries": [query]}
                yield from self._start_web(id, action)
            case Fetching(id, url):
                yield from self._start_web(id, {"type": "open_page", "url": url})
            case Searched(id) | Fetched(id):
                yield from self._end_web(event)
            case Called():
                yield from self._call(event)
            case Finished():
                yield from self._close()
                self._finished = event
                status = self.whole()["status"]
                yield self._frame(f"response.{status}", response=self.whole())

    def fail(self, code: str, message: str) -> bytes:
        """Return the last frame of a response that failed."""
        self._error = {"code": code, "message": message}
        return self._frame("response.failed", response=self.whole())

    def whole(self) -> dict[str, Any]:
        """Return the response as it is by now."""
        asked, end = self._asked, self._finished
        early = {"length": "max_output_tokens", "content_filter": "content_filter"}
        reason = early.get(end.reason) if end else None
        status = "in_progress" if end is None else "incomplete" if reason else "completed"
        return {
            "id": self.id,
            "object": "response",
            "created_at": self._created,
            "status": "failed" if self._error else status,
            "background": False,
            "error": self._error,
            "incomplete_details": {"reason": reason} if reason else None,
            "model": asked.model,
            "output": self._output,
            "previous_response_id": asked.previous,
            "store": asked.store,
            "usage": _usage(end.usage) if end else None,
            "user": None,
            **asked.said,
        }

    # --- text

    def _say(self, text: str) -> Iterator[bytes]:
        yield from self._open_message()
        assert self._message is not None
        self._message["content"][0]["text"] += text
        yield self._part_frame("response.output_text.delta", delta=text, logprobs=[])

    def _cite(self, cited: Cited) -> Iterator[bytes]:
        yield from self._open_message()
        assert self._message is not None
        part, link = self._message["content"][0], link_of(cited)
        start = len(part["text"]) + 1
        yield from self._say(link)
        about = annotation_of(cited, start, len(part["text"]))
        annotation = {"type": "url_citation", **about}
        part["annotations"].append(annotation)
        yield self._part_frame(
            "response.output_text.annotation.added",
            annotation=annotation,
            annotation_index=len(part["annotations"]) - 1,
        )

    def _open_message(self) -> Iterator[bytes]:
        if self._message is not None:
            return
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        self._message = {
            "id": self._item_id("msg"),
            "type": "message",
            "role": "assistant",
            "status": "in_progress",
            "content": [],
        }
        self._output.append(self._message)
        yield self._item_frame("response.output_item.added", self._message)
        self._message["content"].append(part)
        yield self._part_frame("response.content_part.added", part=part)

    def _close(self) -> Iterator[bytes]:
        """End the message that is being written."""
        if (message := self._message) is None:
            return
        part = message["content"][0]
        yield self._part_frame("response.output_text.done", text=part["text"], logprobs=[])
        yield self._part_frame("response.content_part.done", part=part)
        message["status"] = "completed"
        yield self._item_frame("response.output_item.done", message)
        self._message = None

    # --- calls

    def _start_web(self, id: str, action: dict[str, Any]) -> Iterator[bytes]:
        yield from self._close()
        item = {
            "id": self._web_id(id),
            "type": "web_search_call",
            "status": "in_progress",
            "action": action,
        }
        self._output.append(item)
        yield self._item_frame("response.output_item.added", item)
        for state in ("in_progress", "searching"):
            yield self._web_frame(state, item)

    def _end_web(self, event: Searched | Fetched) -> Iterator[bytes]:
        item = next(i for i in self._output if i["id"] == self._web_id(event.id))
        item["status"] = "failed" if event.refusal else "completed"
        if isinstance(event, Searched) and self._asked.lists_sources:
            item["action"]["sources"] = [{"type": "url", "url": s.url} for s in event.sources]
        yield self._web_frame("completed", item)
        yield self._item_frame("response.output_item.done", item)

    def _call(self, call: Called) -> Iterator[bytes]:
        yield from self._close()
        tool = self._asked.tools.get(call.name, OwnTool(call.name))
        if tool.is_search:
            yield from self._call_search(call)
            return
        if tool.is_custom:
            kind, field, value = "custom_tool_call", "input", _free_text(call.arguments)
            stem = "response.custom_tool_call_input"
        else:
            kind, field, value = "function_call", "arguments", call.arguments
            stem = "response.function_call_arguments"
        prefix = "ctc" if kind == "custom_tool_call" else "fc"
        item = {
            "id": self._item_id(prefix),
            "type": kind,
            "call_id": call.id,
            "name": tool.name,
            **({"namespace": tool.namespace} if tool.namespace else {}),
            field: "",
            "status": "in_progress",
        }
        self._output.append(item)
        yield self._item_frame("response.output_item.added", item)
        about = {"item_id": item["id"], "output_index": self._output.index(item)}
        yield self._frame(f"{stem}.delta", **about, delta=value)
        yield self._frame(f"{stem}.done", **about, name=tool.name, **{field: value})
        item[field], item["status"] = value, "completed"
        yield self._item_frame("response.output_item.done", item)

    def _call_search(self, call: Called) -> Iterator[bytes]:
        """Let the client look for tools."""
        item = {
            "id": self._item_id("tsc"),
            "type": "tool_search_call",
            "call_id": call.id,
            "execution": "client",
            "arguments": _object(call.arguments),
            "status": "completed",
        }
        self._output.append(item)
        yield self._item_frame("response.output_item.added", item)
        yield self._item_frame("response.output_item.done", item)

    # --- frames

    def _item_id(self, prefix: str) -> str:
        return f"{prefix}_{self.id.removeprefix('resp_')}_{len(self._output)}"

    def _web_id(self, call_id: str) -> str:
        return f"ws_{self.id.removeprefix('resp_')}_{call_id}"

    def _web_frame(self, state: str, item: Mapping[str, Any]) -> bytes:
        position = self._position(item)
        return self._frame(
            f"response.web_search_call.{state}", item_id=item["id"], output_index=position
        )

    def _item_frame(self, kind: str, item: Mapping[str, Any]) -> bytes:
        return self._frame(kind, output_index=self._position(item), item=item)

    def _part_frame(self, kind: str, **more: Any) -> bytes:
        assert self._message is not None
        about = {"item_id": self._message["id"], "output_index": self._position(self._message)}
        return self._frame(kind, **about, content_index=0, **more)

    def _position(self, item: Mapping[str, Any]) -> int:
        return next(n for n, other in enumerate(self._output) if other is item)

    def _frame(self, kind: str, **values: Any) -> bytes:
        data = encode({"type": kind, "sequence_number": self._sequence, **values})
        self._sequence += 1
        return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


def _free_text(arguments: str) -> str:
    """Return the free text of a call; a model may also have sent it bare."""
    value = _object(arguments).get("input")
    return value if isinstance(value, str) else arguments


def _object(arguments: str) -> dict[str, Any]:
    """Return the arguments of a call; none if they are no object."""
    try:
        read = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _full_name(item: Mapping[str, Any]) -> str:
    if item["type"] == "tool_search_call":
        return TOOL_SEARCH
    namespace = item.get("namespace")
    return f"{namespace}__{item['name']}" if namespace else str(item["name"])


def _arguments(item: Mapping[str, Any]) -> str:
    if item["type"] == "function_call":
        return str(item["arguments"])
    if item["type"] == "tool_search_call":
        return json.dumps(item["arguments"], ensure_ascii=False)
    return json.dumps({"input": item["input"]}, ensure_ascii=False)


def _usage(used: Usage) -> dict[str, Any]:
    return {
        "input_tokens": used.prompt,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": used.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used.prompt + used.completion,
    }
