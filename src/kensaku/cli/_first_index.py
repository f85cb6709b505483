"""The first search of a home: wait for the local index, however long filling it takes.

A search ends at its deadline, whether the index is filled by then or not. A person at a terminal
sees the progress, and wants the result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from kensaku.models import LOCAL

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer
    from kensaku.answers.cited import CitedAnswer
    from kensaku.answers.context import Context
    from kensaku.client import Kensaku
    from kensaku.models import Response

Found = TypeVar("Found", "Response", "Context", "Answer", "CitedAnswer")
LOCAL_SECONDS = 300.0  # for a search of the local index, on however slow a machine


async def with_filled_index(
    k: Kensaku,
    collection: str | None,
    options: dict[str, Any],
    search: Callable[[dict[str, Any]], Awaitable[Found]],
) -> Found:
    """Search; if the local index was being filled at the deadline, search it once it is."""
    from kensaku.providers.local import COLLECTION, Local, came_too_late

    first: Found = await search(options)
    local = k.resources.provider(LOCAL)
    if collection not in (None, COLLECTION) or not came_too_late(first.attempts):
        return first
    if not isinstance(local, Local):
        return first
    await local.prepare()
    seconds = max(LOCAL_SECONDS, options.get("timeout") or 0.0)
    alone = {"route": LOCAL, "timeout": seconds} | ({"mode": None} if "mode" in options else {})
    second: Found = await search({**options, **alone})
    return replace(
        second,
        attempts=(*first.attempts, *second.attempts),
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
    )
