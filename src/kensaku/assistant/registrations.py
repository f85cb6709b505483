"""The registrations in the database say which tools the assistant may use, and for whom.

    tools, agent_tools, user_tool_preferences of a chat server → {"web_search": "ask"}

A database without such tables says nothing, and the defaults of `approval.py` hold.
"""

from __future__ import annotations

import asyncio

from kensaku.compat.chat_server.approval import Permission

AGENT = "assistant"


async def registered_tiers(url: str, person: str) -> dict[str, Permission]:
    """Return the tier of each tool that is registered for the assistant. It reads the database."""
    return await asyncio.to_thread(_read, url, person)


def _read(url: str, person: str) -> dict[str, Permission]:
    from kensaku.compat.chat_server.approval import tool_permission
    from kensaku.compat.chat_server.database import active_types
    from kensaku.compat.chat_server.rows import SEARCH_WEB

    types = active_types(url, AGENT)
    if types is None:
        return {}
    allowed = SEARCH_WEB.kind in types
    return {"web_search": tool_permission(url, SEARCH_WEB.name, person) if allowed else "never"}
