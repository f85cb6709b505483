"""Anthropic's Messages: a request read into a turn. Pure. What comes of it: `_messages_reply.py`.

    system, messages, tools → Turn

What an earlier turn found comes back in the conversation, as the client got it: `encrypted_content`
holds the passages, so that the model reads them again under the same numbers.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kensaku.answers.evidence import Reference
from kensaku.answers.prompts import with_sources
from kensaku.errors import InvalidQuery
from kensaku.gateway.turn import Turn, WebTool
from kensaku.models import Passage
from kensaku.server.wires import _fields as fields
from kensaku.server.wires._native import (
    CONTEXT_TOKENS,
    MAX_MESSAGES,
    MAX_PAGE_TOKENS,
    MAX_TOOLS,
    PAGE_TOKENS,
    objects,
    refuse_tool,
    web_tool,
)

MAX_PASSAGE = 20_000  # characters of a source that a conversation brings back
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}
_OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop_sequences": "stop",
}
NOTHING = "The results of this call are no longer there."


@dataclass(frozen=True, slots=True)
class Messaging:
    """A request: what the model is asked, and what the reply has to repeat of it."""

    turn: Turn
    model: str
    stream: bool = False


def read_messaging(body: Mapping[str, Any]) -> Messaging:
    """Read a request. Raises `InvalidQuery`."""
    tools, search, fetch = _tools(body)
    conversation = _Conversation()
    conversation.system(body.get("system"))
    said = objects(body, "messages", MAX_MESSAGES)
    if not said:
        raise InvalidQuery("messages must be a list of messages")
    for position, message in enumerate(said):
        conversation.add(position, message)
    turn = Turn(
        messages=conversation.messages,
        tools=tools,
        options=_options(body),
        search=search,
        fetch=fetch,
        sources=tuple(conversation.sources),
    )
    model = fields.text(body, "model", most=200)
    return Messaging(turn, model, fields.switch(body, "stream"))


def _tools(
    body: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], WebTool | None, WebTool | None]:
    tools, search, fetch = list[dict[str, Any]](), None, None
    for position, tool in enumerate(objects(body, "tools", MAX_TOOLS)):
        kind = tool.get("type") or "custom"
        if kind == "custom" and isinstance(tool.get("name"), str):
            function = {"name": tool["name"], "parameters": tool.get("input_schema") or {}}
            if tool.get("description"):
                function["description"] = tool["description"]
            tools.append({"type": "function", "function": function})
        elif str(kind).startswith("web_search_"):
            search = web_tool(tool, tool.get("user_location"), CONTEXT_TOKENS["medium"])
        elif str(kind).startswith("web_fetch_"):
            most = fields.integer(
                tool, "max_content_tokens", PAGE_TOKENS, 1, MAX_PAGE_TOKENS, clip=True
            )
            fetch = web_tool(tool, None, most)
        else:
            raise refuse_tool(position, kind)
    return tools, search, fetch


def _options(body: Mapping[str, Any]) -> dict[str, Any]:
    options = {ours: body[n] for n, ours in _OPTIONS.items() if body.get(n) is not None}
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        kind = str(choice.get("type"))
        if kind in _CHOICES:
            options["tool_choice"] = _CHOICES[kind]
        elif kind == "tool":
            function = {"name": fields.text(choice, "name", most=200)}
            options["tool_choice"] = {"type": "function", "function": function}
        if fields.switch(choice, "disable_parallel_tool_use"):
            options["parallel_tool_calls"] = False
    form = body.get("output_format")
    config = body.get("output_config")
    form = form or (config.get("format") if isinstance(config, dict) else None)
    if isinstance(form, dict) and form.get("type") == "json_schema":
        schema = {"name": "reply", "schema": form.get("schema") or {}}
        options["response_format"] = {"type": "json_schema", "json_schema": schema}
    return options


class _Conversation:
    """The messages of chat completions, made of Anthropic's blocks."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.sources: list[Reference] = []

    def system(self, said: Any) -> None:
        blocks = [{"type": "text", "text": said}] if isinstance(said, str) else said or []
        text = "\n\n".join(str(b.get("text") or "") for b in blocks if isinstance(b, dict))
        if text.strip():
            self.messages.append({"role": "system", "content": text})

    def add(self, position: int, message: Mapping[str, Any]) -> None:
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant", "system"):
            raise InvalidQuery(f"messages[{position}] has the role {str(role)[:60]!r}")
        if isinstance(content, str):
            self.messages.append({"role": role, "content": content})
            return
        if not isinstance(content, list) or not all(isinstance(b, dict) for b in content):
            raise InvalidQuery(f"messages[{position}] must have a text, or a list of blocks")
        if role == "assistant":
            self._assistant(content)
        else:
            self._user(role, position, content)

    def _user(self, role: str, position: int, blocks: list[Mapping[str, Any]]) -> None:
        """Results of tools come first: models want them right behind the calls."""
        parts: list[dict[str, Any]] = []
        for block in blocks:
            if block.get("type") == "tool_result":
                text, images = _result(block)
                call = str(block.get("tool_use_id"))
                self.messages.append({"role": "tool", "tool_call_id": call, "content": text})
                parts += images
            else:
                parts.append(_part(position, block))
        if parts:
            is_text = all(part["type"] == "text" for part in parts)
            content = "\n\n".join(p["text"] for p in parts) if is_text else parts
            self.messages.append({"role": role, "content": content})

    def _assistant(self, blocks: list[Mapping[str, Any]]) -> None:
        """A web tool's result ends a message: what follows it was said with it in mind."""
        said: dict[str, Any] = {"role": "assistant", "content": ""}
        results: list[dict[str, Any]] = []
        for block in blocks:
            match block:
                case {"type": "text", "text": str(text)}:
                    if results:
                        said, results = self._end(said, results), []
                    said["content"] += text
                case {"type": "tool_use" | "server_tool_use", "id": id, "name": name}:
                    if results and block["type"] == "server_tool_use":
                        said, results = self._end(said, results), []
                    arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
                    function = {"name": name, "arguments": arguments}
                    call = {"id": id, "type": "function", "function": function}
                    said.setdefault("tool_calls", []).append(call)
                case {"type": "web_search_tool_result" | "web_fetch_tool_result"}:
                    text = self._found(block.get("content"))
                    call_id = str(block.get("tool_use_id"))
                    results.append({"role": "tool", "tool_call_id": call_id, "content": text})
        self._end(said, results)

    def _end(self, said: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
        if said["content"] or said.get("tool_calls"):
            self.messages.append({**said, "content": said["content"] or None})
        self.messages += results
        return {"role": "assistant", "content": ""}

    def _found(self, content: Any) -> str:
        """Return the sources of an earlier turn as the model reads them."""
        items = content if isinstance(content, list) else [content]
        found = [self._number(source) for item in items for source in _source(item)]
        return with_sources(found) if found else NOTHING

    def _number(self, found: Reference) -> Reference:
        known = next((s for s in self.sources if s.url == found.url), None)
        if known is not None:
            return replace(found, n=known.n)
        numbered = replace(found, n=len(self.sources) + 1)
        self.sources.append(numbered)
        return numbered


def seal(text: str) -> str:
    """Return passages as the opaque content that a client sends back."""
    return base64.b64encode(text[:MAX_PASSAGE].encode("utf-8", "replace")).decode()


def _source(item: Any) -> list[Reference]:
    match item:
        case {"type": "web_search_result", "url": str(url)}:
            title, sealed = str(item.get("title") or ""), str(item.get("encrypted_content") or "")
            text = _unseal(sealed)
        case {"type": "web_fetch_result", "url": str(url), "content": dict(document)}:
            source = document.get("source")
            title = str(document.get("title") or "")
            text = str(source.get("data") or "") if isinstance(source, dict) else ""
        case _:
            return []
    passage = Passage(url, text[:MAX_PASSAGE], 0, len(text[:MAX_PASSAGE]), title=title)
    return [Reference(0, url, title, passages=(passage,))]


def _unseal(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _part(position: int, block: Mapping[str, Any]) -> dict[str, Any]:
    match block:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}:
            return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
        case {"type": "image", "source": {"type": "url", "url": str(url)}}:
            return {"type": "image_url", "image_url": {"url": url}}
        case {"type": "document", "source": {"type": "text", "data": str(text)}}:
            return {"type": "text", "text": text}
        case {"type": "tool_reference", "tool_name": str(name)}:  # found by a search for tools
            return {"type": "text", "text": f"The tool {name} can be called now."}
        case {"type": "search_result", "content": list(content)}:
            texts = [str(c.get("text") or "") for c in content if isinstance(c, dict)]
            return {"type": "text", "text": "\n".join(texts)}
    kind = str(block.get("type"))[:60]
    raise InvalidQuery(f"messages[{position}] has a block of the type {kind!r}")


def _result(block: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return the text of a tool result, and its images, which a tool message cannot hold."""
    content = block.get("content")
    if not isinstance(content, list):
        return content if isinstance(content, str) else "", []
    parts = [_part(0, b) for b in content if isinstance(b, dict)]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    return "\n".join(texts), [part for part in parts if part["type"] != "text"]
