"""OpenAI's Responses: input items read into a turn. Pure. What comes of it: `_responses_reply.py`.

    instructions, input, tools → Turn

Items of the Responses format become messages of chat completions. A `custom` tool, which takes
free text, becomes a function with one argument, `input`; a tool of a namespace has its name in
front. Tools that the client loads by a search of its own come with that search's output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.gateway.turn import Turn, WebTool
from kensaku.gateway.web import SEARCH
from kensaku.server.wires import _fields as fields
from kensaku.server.wires._native import (
    MAX_MESSAGES,
    MAX_TOOLS,
    context_tokens,
    objects,
    refuse_tool,
    web_tool,
)

_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
_OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_output_tokens": "max_tokens",
    "parallel_tool_calls": "parallel_tool_calls",
}
_WEB = ("web_search", "web_search_preview")
# What earlier replies held, and the model need not be told again.
_LEFT_OUT = frozenset(
    {"reasoning", "web_search_call", "compaction", "tool_search_call", "tool_search_output"}
)
TOOL_SEARCH = "tool_search"
_FREE_TEXT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class OwnTool:
    """A tool of the client: its name there, and whether it takes free text, or finds tools."""

    name: str
    namespace: str | None = None
    is_custom: bool = False
    is_search: bool = False


@dataclass(frozen=True, slots=True)
class Responding:
    """A request: what the model is asked, and what the reply has to repeat of it."""

    turn: Turn
    model: str
    stream: bool = False
    store: bool = True
    previous: str | None = None
    tools: Mapping[str, OwnTool] = field(
        default_factory=dict
    )  # the client's, as the model names them
    lists_sources: bool = False  # of every search, in its item
    said: Mapping[str, Any] = field(default_factory=dict, repr=False)  # fields to repeat


def read_responding(body: Mapping[str, Any]) -> Responding:
    """Read a request. Raises `InvalidQuery`."""
    tools = _Tools()
    for position, tool in enumerate(objects(body, "tools", MAX_TOOLS)):
        tools.add(position, tool)
    items = _items(body)
    for position, item in enumerate(items):
        if item.get("type") == TOOL_SEARCH + "_output":
            for tool in objects(item, "tools", MAX_TOOLS):
                tools.add(position, tool)
    messages = _messages(body, items)
    include = fields.texts(body, "include", 50)
    return Responding(
        turn=Turn(messages, tools.functions, _options(body), tools.search),
        model=fields.text(body, "model", most=200),
        stream=fields.switch(body, "stream"),
        store=fields.switch(body, "store", True),
        previous=fields.text(body, "previous_response_id", most=200) or None,
        tools=tools.own,
        lists_sources="web_search_call.action.sources" in include,
        said={
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "metadata": body.get("metadata") or {},
            "parallel_tool_calls": fields.switch(body, "parallel_tool_calls", True),
            "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
            "temperature": body.get("temperature"),
            "text": body.get("text") or {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice") or "auto",
            "tools": body.get("tools") or [],
            "top_p": body.get("top_p"),
            "truncation": body.get("truncation") or "disabled",
        },
    )


def _options(body: Mapping[str, Any]) -> dict[str, Any]:
    options = {ours: body[n] for n, ours in _OPTIONS.items() if body.get(n) is not None}
    reasoning, text = body.get("reasoning"), body.get("text")
    if isinstance(reasoning, dict) and isinstance(reasoning.get("effort"), str):
        options["reasoning_effort"] = reasoning["effort"]
    form = text.get("format") if isinstance(text, dict) else None
    if isinstance(form, dict) and form.get("type") == "json_schema":
        schema = {n: form[n] for n in ("name", "description", "schema", "strict") if n in form}
        options["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif isinstance(form, dict) and form.get("type") == "json_object":
        options["response_format"] = {"type": "json_object"}
    choice = body.get("tool_choice")
    if isinstance(choice, str):
        options["tool_choice"] = choice
    elif isinstance(choice, dict):
        kind = choice.get("type")
        name = SEARCH if kind in _WEB else choice.get("name")
        if name:
            options["tool_choice"] = {"type": "function", "function": {"name": name}}
    return options


class _Tools:
    """The tools of a request as functions. A namespace becomes the beginning of their names."""

    def __init__(self) -> None:
        self.functions: list[dict[str, Any]] = []
        self.own: dict[str, OwnTool] = {}
        self.search: WebTool | None = None

    def add(self, position: int, tool: Mapping[str, Any], namespace: str | None = None) -> None:
        match tool:
            case {"type": "function" | "custom" as kind, "name": str(name)}:
                named = f"{namespace}__{name}" if namespace else name
                if named in self.own:  # found by more than one search
                    return
                self.own[named] = OwnTool(name, namespace, kind == "custom")
                about = {n: tool[n] for n in ("description", "parameters") if tool.get(n)}
                about = _free_text(tool) if kind == "custom" else about
                self.functions.append({"type": "function", "function": {"name": named, **about}})
            case {"type": "namespace", "name": str(name)} if namespace is None:
                for inner in objects(tool, "tools", MAX_TOOLS):
                    self.add(position, inner, name)
            case {"type": str(kind)} if kind.startswith(_WEB):
                self.search = _search(tool)
            case {"type": "tool_search"}:
                if tool.get("execution") == "client":  # else the vendor finds what is all here
                    self.own[TOOL_SEARCH] = OwnTool(TOOL_SEARCH, is_search=True)
                    about = {n: tool[n] for n in ("description", "parameters") if tool.get(n)}
                    function = {"name": TOOL_SEARCH, **about}
                    self.functions.append({"type": "function", "function": function})
            case _:
                raise refuse_tool(position, tool.get("type"))


def _free_text(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a tool that takes free text; its grammar is told, for nobody can enforce it."""
    about, form = str(tool.get("description") or ""), tool.get("format")
    if isinstance(form, dict) and form.get("definition"):
        about += f"\n\nThe input follows this grammar ({form.get('syntax')}):\n{form['definition']}"
    return {"description": about, "parameters": _FREE_TEXT}


def _search(tool: Mapping[str, Any]) -> WebTool:
    filters = tool.get("filters")
    about = filters if isinstance(filters, dict) else {}
    return web_tool(about, tool.get("user_location"), context_tokens(tool))


def _items(body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    said = body.get("input")
    if isinstance(said, str):
        return [{"role": "user", "content": said}]
    if not (items := objects(body, "input", MAX_MESSAGES)):
        raise InvalidQuery("input must be a text, or a list of items")
    return items


def _messages(body: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if instructions := fields.text(body, "instructions", most=10**7):
        messages.append({"role": "system", "content": instructions})
    for position, item in enumerate(items):
        _add(messages, position, item)
    return messages


def _add(messages: list[dict[str, Any]], position: int, item: Mapping[str, Any]) -> None:
    """Add an item to the conversation."""
    match item:
        case {"type": "function_call" | "custom_tool_call" as kind, "call_id": id, "name": name}:
            arguments = item.get("arguments")
            if kind == "custom_tool_call":
                arguments = json.dumps({"input": item.get("input")}, ensure_ascii=False)
            named = f"{space}__{name}" if (space := item.get("namespace")) else name
            _add_call(messages, id, named, arguments or "{}")
        case {"type": "tool_search_call", "call_id": str(id)}:
            _add_call(messages, id, TOOL_SEARCH, json.dumps(item.get("arguments") or {}))
        case {"type": "tool_search_output", "call_id": str(id)}:
            messages.append({"role": "tool", "tool_call_id": id, "content": _loaded(item)})
        case {"type": "function_call_output" | "custom_tool_call_output", "call_id": id}:
            text = _content(item.get("output"))
            messages.append({"role": "tool", "tool_call_id": id, "content": text})
        case {"role": str(role)} if role in _ROLES:
            messages.append({"role": _ROLES[role], "content": _content(item.get("content"))})
        case {"type": kind} if kind in _LEFT_OUT:
            return
        case _:
            raise InvalidQuery(f"input[{position}] has the type {str(item.get('type'))[:60]!r}")


def _add_call(messages: list[dict[str, Any]], id: Any, name: str, arguments: Any) -> None:
    """Add a call to what the assistant said last."""
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    messages[-1].setdefault("tool_calls", []).append(call)


def _loaded(found: Mapping[str, Any]) -> str:
    """Tell the model what a search for tools has found."""
    tools = _Tools()
    for position, tool in enumerate(objects(found, "tools", MAX_TOOLS)):
        tools.add(position, tool)
    return "These tools can be called now: " + ", ".join(tools.own) if tools.own else "No tool."


def _content(content: Any) -> Any:
    """Return a content as chat completions have it: text, or text and images."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else json.dumps(content)
    parts: list[dict[str, Any]] = []
    for part in content:
        match part:
            case {"type": "input_text" | "output_text" | "text", "text": str(text)}:
                parts.append({"type": "text", "text": text})
            case {"type": "refusal", "refusal": str(text)}:
                parts.append({"type": "text", "text": text})
            case {"type": "input_image", "image_url": str(url)}:
                parts.append({"type": "image_url", "image_url": {"url": url}})
            case _:
                kind = part.get("type") if isinstance(part, dict) else part
                raise InvalidQuery(f"a part of input has the type {str(kind)[:60]!r}")
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts
