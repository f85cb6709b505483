"""OpenAI's Chat Completions through the gateway: a request read, events written. Pure.

    messages, tools, web_search_options → Turn
    Text · Cited · Called · Finished    → one message, or chunks as they come

A citation becomes a link in the text, and an annotation that says where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.gateway.turn import Called, Cited, Event, Finished, Text, Thought, Turn, Usage
from kensaku.server.http import data_frame
from kensaku.server.wires import _fields as fields
from kensaku.server.wires._native import (
    MAX_MESSAGES,
    MAX_TOOLS,
    context_tokens,
    objects,
    refuse_tool,
    web_tool,
)
from kensaku.text.escape import flatten
from kensaku.text.urls import host_of

DONE = b"data: [DONE]\n\n"
# What we read; every other field goes to the model as it is.
_OURS = frozenset(
    {
        *("model", "messages", "tools", "stream", "stream_options", "web_search_options", "n"),
        *("store", "metadata", "user", "service_tier", "safety_identifier", "prompt_cache_key"),
    }
)


def read_turn(body: Mapping[str, Any]) -> Turn:
    """Read a request. Raises `InvalidQuery`."""
    if fields.integer(body, "n", 1, 1, 128) != 1:
        raise InvalidQuery("n is over 1; one reply is made for a request")
    messages = objects(body, "messages", MAX_MESSAGES)
    if not messages or not all(isinstance(m.get("role"), str) for m in messages):
        raise InvalidQuery("messages must be a list of messages, each with a role")
    tools = objects(body, "tools", MAX_TOOLS)
    for position, tool in enumerate(tools):
        if tool.get("type") != "function" or not isinstance(tool.get("function"), dict):
            raise refuse_tool(position, tool.get("type"))
    return Turn(
        messages=messages,
        tools=tools,
        options={n: v for n, v in body.items() if n not in _OURS and v is not None},
        search=_search(body),
    )


def _search(body: Mapping[str, Any]) -> Any:
    """Read `web_search_options`; a model whose name says so searches without them."""
    options = body.get("web_search_options")
    if options is None and "-search" not in fields.text(body, "model", most=200):
        return None
    if options is not None and not isinstance(options, dict):
        raise InvalidQuery("web_search_options must be an object")
    location = (options or {}).get("user_location")
    place = location.get("approximate") if isinstance(location, dict) else None
    return web_tool(options or {}, place, context_tokens(options or {}))


def link_of(cited: Cited) -> str:
    """Return a citation as OpenAI writes it into a text."""
    url = cited.source.url.replace("(", "%28").replace(")", "%29")
    return f" ([{flatten(host_of(url) or cited.source.title)}]({url}))"


def annotation_of(cited: Cited, start: int, end: int) -> dict[str, Any]:
    """Return a citation that stands in a text from `start` to `end`."""
    about = {"start_index": start, "end_index": end}
    return about | {"url": cited.source.url, "title": cited.source.title}


class ChatReply:
    """One reply: `feed` events, then take it whole; or send the frames that `feed` yields."""

    def __init__(self, id: str, created: int, model: str, *, include_usage: bool = False) -> None:
        self._head = {"id": id, "created": created, "model": model}
        self._include_usage = include_usage
        self._content, self._thoughts = "", ""
        self._annotations: list[dict[str, Any]] = []
        self._calls: list[dict[str, Any]] = []
        self._finished = Finished("stop", Usage())

    def begin(self) -> Iterator[bytes]:
        """Yield nothing: the first delta begins a reply."""
        return iter(())

    def feed(self, event: Event) -> Iterator[bytes]:
        """Take an event, and yield its frames."""
        match event:
            case Text(text):
                yield self._delta(content=text)
                self._content += text
            case Thought(text):
                yield self._delta(reasoning_content=text)
                self._thoughts += text
            case Cited():
                link, start = link_of(event), len(self._content)
                about = annotation_of(event, start + 1, start + len(link))
                annotation = {"type": "url_citation", "url_citation": about}
                yield self._delta(content=link, annotations=[annotation])
                self._content += link
                self._annotations.append(annotation)
            case Called(id, name, arguments):
                function = {"name": name, "arguments": arguments}
                call = {"id": id, "type": "function", "function": function}
                yield self._delta(tool_calls=[{"index": len(self._calls), **call}])
                self._calls.append(call)
            case Finished():
                self._finished = event
                yield from self._last()

    def whole(self) -> dict[str, Any]:
        """Return the reply in one piece."""
        message: dict[str, Any] = {
            "role": "assistant",
            "content": self._content or (None if self._calls else ""),
            "refusal": None,
            "annotations": self._annotations,
        }
        if self._thoughts:
            message["reasoning_content"] = self._thoughts
        if self._calls:
            message["tool_calls"] = self._calls
        reason = self._finished.reason
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": self._usage(),
        }

    def _delta(self, **delta: Any) -> bytes:
        if not (self._content or self._thoughts or self._calls):
            delta = {"role": "assistant", **delta}
        return self._chunk([{"index": 0, "delta": delta, "finish_reason": None}])

    def _last(self) -> Iterator[bytes]:
        yield self._chunk([{"index": 0, "delta": {}, "finish_reason": self._finished.reason}])
        if self._include_usage:
            yield self._chunk([], usage=self._usage())
        yield DONE

    def _chunk(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        chunk = {**self._head, "object": "chat.completion.chunk", "choices": choices, **more}
        return data_frame(chunk)

    def _usage(self) -> dict[str, Any]:
        used = self._finished.usage
        return {
            "prompt_tokens": used.prompt,
            "completion_tokens": used.completion,
            "total_tokens": used.prompt + used.completion,
            "num_search_queries": used.searches,
        }
