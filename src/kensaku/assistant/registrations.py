"""Other packages may say which tools the assistant may use, and for whom.

    entry points of `kensaku.approvals`: (database URL, person) → {"web_search": "ask"}

Where they say nothing, the defaults of `answers.person` hold.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kensaku._plugins import plugins

if TYPE_CHECKING:
    from kensaku.models import Permission


async def registered_tiers(url: str, person: str) -> dict[str, Permission]:
    """Return the tier of each tool that is registered for the assistant. It reads the database."""
    return await asyncio.to_thread(_read, url, person)


def _read(url: str, person: str) -> dict[str, Permission]:
    tiers: dict[str, Permission] = {}
    for point in plugins("approvals").values():
        tiers |= point.load()(url, person)
    return tiers
