"""One call of `web_search` as a line and its output on a terminal (S4-33 … S4-37)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kensaku.foreign_json import decode_json


@dataclass(frozen=True)
class CommandMessage:
    """What the screen shows of a tool's call."""

    id: str
    command: str
    output: str
    success: bool
    tool_name: str
    tool_args: Mapping[str, Any] = field(default_factory=dict)


def format_web_search_command_message(
    item: Any, index: int, tool_call_arguments_by_id: Mapping[str, Any]
) -> list[CommandMessage]:
    """One message. `item` is an item of the SDK, or the same as a mapping."""
    raw = _member(item, "raw_item", "rawItem")
    call_id = _member(raw, "call_id", "callId", "id") or _member(item, "call_id", "callId", "id")
    arguments = (
        _arguments(_member(raw, "arguments"))
        or _arguments(_member(item, "arguments"))
        or _arguments(tool_call_arguments_by_id.get(call_id or ""))
    )
    output = _text(_member(item, "output")) or _text(_member(raw, "output")) or "No results"
    return [
        CommandMessage(
            id=f"{call_id or 'call'}-{index}",
            command=f'web_search: "{arguments.get("query") or "unknown query"}"',
            output=output,
            success=not output.startswith("Error:"),
            tool_name="web_search",
            tool_args=arguments,
        )
    ]


def _member(thing: Any, *names: str) -> Any:
    for name in names:
        found = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if found is not None:
            return found
    return None


def _arguments(value: Any) -> dict[str, Any]:
    """The arguments as a mapping; nothing, when they are none."""
    if isinstance(value, str):
        try:
            value = decode_json(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, Mapping) else {}


def _text(output: Any) -> str:
    """The text of an output, in any of the forms in which it comes."""
    if isinstance(output, str):
        return output
    if isinstance(output, list | tuple):
        return "\n".join(filter(None, map(_text, output)))
    found = _member(output, "text") if output is not None else None
    return found if isinstance(found, str) else ""
