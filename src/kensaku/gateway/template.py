"""A conversation as the chat templates of models take it. Pure.

Most templates take one system message, as the first; many refuse the request for a second one.
Agents send more of them, between the turns: Claude Code as `system`, Codex as `developer`. Those
become a part of what the user says at that place, so that the beginning stays as it was and a
server of a model can go on from its cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from kensaku.gateway.turn import Message

_SYSTEM = ("system", "developer")


def as_template(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with at most one for the system, and none of the user behind another."""
    first = list(takewhile(lambda message: message.get("role") in _SYSTEM, messages))
    said: list[Message] = []
    if first:
        said.append({"role": "system", "content": _joined([m.get("content") for m in first])})
    for message in messages[len(first) :]:
        if message.get("role") in _SYSTEM:
            message = {"role": "user", "content": _reminder(message.get("content"))}
        if said and message.get("role") == said[-1].get("role") == "user":
            both = [said[-1].get("content"), message.get("content")]
            said[-1] = {**said[-1], "content": _joined(both)}
        else:
            said.append(message)
    return said


def _reminder(content: Any) -> str:
    """Return what the system says, marked as agents mark it."""
    text = "\n\n".join(str(part.get("text") or "") for part in _parts(content))
    return f"<system-reminder>\n{text}\n</system-reminder>"


def _joined(contents: Sequence[Any]) -> Any:
    """Return texts as one, or lists of parts as one where a part is no text."""
    parts = [part for content in contents for part in _parts(content)]
    if all(part.get("type") == "text" for part in parts):
        return "\n\n".join(str(part.get("text") or "") for part in parts)
    return parts


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, list):
        return [part for part in content if isinstance(part, dict)]
    return [{"type": "text", "text": content or ""}]
