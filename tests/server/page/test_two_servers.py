"""A conversation that one process runs, and another one shows: two servers on one PostgreSQL."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.server.page.test_chat import FOUND, QUESTION, follow, to_end
from tests.server.page_client import PageClient, browsing


async def asked(page: PageClient, thread: str) -> str:
    """The id of the question that the page shows, once it does."""
    async for _, data in follow(page, thread):
        if data.get("asks"):
            ((id, html),) = data["asks"]
            assert f'data-ask="{id}"' in html
            return str(id)
    raise AssertionError("nothing was asked")


async def begin(page: PageClient, text: str = QUESTION) -> str:
    """A conversation whose searches need consent."""
    begun = await page.call("POST", "/api/chat", {"text": text, "ask_first": True})
    return str(begun["id"])


async def reply(page: PageClient, thread: str, **said: str) -> Any:
    return await page.call("POST", f"/api/chat/{thread}/reply", said)


@pytest.mark.usefixtures("processes")
async def test_what_one_server_asks_is_answered_through_another(start_server, upstream, postgresql):
    """By a button, by words, by the button that stops it. Nothing is searched without consent."""
    upstream.answers("tavily", FOUND)
    env = upstream.environment("tavily", rate="9999/s") | {"WEB_SEARCH_PROVIDER": "tavily"}
    env |= {"KENSAKU_DATABASE_URL": postgresql, "KENSAKU_CACHE": "false"}
    starting = [asyncio.to_thread(start_server, **env) for _ in range(2)]
    (_, a), (_, b) = await asyncio.gather(*starting)
    async with browsing(a) as first, browsing(b) as second:
        # By a button.
        thread = await begin(first)
        id = await asked(first, thread)
        assert f'data-ask="{id}"' in await second.get(f"/chat/{thread}")
        assert await asked(second, thread) == id
        assert upstream.asked("tavily") == []
        said = {"question": id, "action": "proceed"}
        assert await reply(second, thread, **said | {"action": "retry"}) == {"taken": False}
        assert await reply(second, thread, **said) == {"taken": True}
        assert await reply(second, thread, **said) == {"taken": False}
        events = await to_end(second, thread)
        talk = await second.call("GET", f"/api/chat/{thread}")
        assert events[-1][0] == "end"
        assert "asyncio" in talk["messages"][1]["answer"]["answer"]
        assert len(upstream.asked("tavily")) >= 1

        # By words, which change the query.
        thread = await begin(first)
        id = await asked(first, thread)
        begun = await second.call("POST", f"/api/chat/{thread}", {"text": "イベントループとは"})
        assert begun["run"] is None
        # Not at the first: it shows the question until it has found the reply.
        assert (await to_end(second, thread))[-1][0] == "end"
        queries = [request.json["query"] for request in upstream.asked("tavily")]
        assert "イベントループとは" in queries

        # By the button that stops it.
        thread = await begin(first)
        id = await asked(first, thread)
        searched = len(upstream.asked("tavily"))
        stopped = await second.call("POST", f"/api/chat/{thread}/cancel")
        assert stopped == {"cancelled": True}
        assert await reply(second, thread, question=id, action="proceed") == {"taken": False}
        async for name, _ in follow(first, thread):
            if name == "end":
                break
        assert len(upstream.asked("tavily")) == searched
