"""A conversation that one process runs, and another one shows: two servers on one PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest

from tests.server.page_client import browsing
from tests.server.talk import FOUND, QUESTION, asked, to_end


@pytest.mark.usefixtures("processes")
async def test_what_one_server_asks_is_answered_through_another(start_server, upstream, postgresql):
    """Nothing is searched without consent. In one process: tests/server/test_chat.py."""
    upstream.answers("tavily", FOUND)
    env = upstream.environment("tavily", rate="9999/s") | {"WEB_SEARCH_PROVIDER": "tavily"}
    env |= {"KENSAKU_DATABASE_URL": postgresql, "KENSAKU_CACHE": "false"}
    starting = [asyncio.to_thread(start_server, **env) for _ in range(2)]
    (_, a), (_, b) = await asyncio.gather(*starting)
    async with browsing(a) as first, browsing(b) as second:
        begun = await first.call("POST", "/api/chat", {"text": QUESTION, "ask_first": True})
        thread = str(begun["id"])
        id, html = await asked(first, thread)
        assert f'data-ask="{id}"' in html
        assert f'data-ask="{id}"' in await second.get(f"/chat/{thread}")
        assert (await asked(second, thread))[0] == id
        assert upstream.asked("tavily") == []
        for action, taken in (("retry", False), ("proceed", True), ("proceed", False)):
            said = {"question": id, "action": action}
            replied = await second.call("POST", f"/api/chat/{thread}/reply", said)
            assert replied == {"taken": taken}
        events = await to_end(second, thread)
        talk = await second.call("GET", f"/api/chat/{thread}")
        assert events[-1][0] == "end"
        assert "asyncio" in talk["messages"][1]["answer"]["answer"]
        assert len(upstream.asked("tavily")) >= 1
