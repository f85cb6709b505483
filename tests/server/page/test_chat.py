"""The web channel by requests alone: events, tenancy, forms without scripts, export, restart."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kensaku.models import Hit
from tests.server.page_client import PageClient, browsing

QUESTION = "Pythonの非同期プログラミングについて検索して"
PASSAGE = (
    "Pythonの非同期プログラミングは、asyncioライブラリとasync/await構文で書きます。"
    "イベントループがコルーチンを切り替え、待ち時間に他の処理を進めます。"
)
FOUND = [
    Hit("https://docs.example/asyncio", "Pythonの非同期プログラミング入門", PASSAGE, score=0.95),
    Hit(
        "https://b.example/",
        "asyncioの基礎",
        "Pythonの非同期プログラミングでは待ち時間を活用します。",
    ),
]


@pytest.fixture
async def server(make_server, upstream) -> Any:
    """A server whose searches find two pages in Japanese."""
    upstream.answers("tavily", FOUND)
    return await make_server(
        "tavily", fetch_allow=("127.0.0.1",), fetch_ports="any", fetch_robots="never"
    )


async def follow(page: PageClient, thread: str, **headers: str) -> AsyncIterator[tuple[str, Any]]:
    """The events of a conversation: name, data, id."""
    address = f"{page.url}/api/chat/{thread}/events"
    async with page.http.get(address, headers=headers) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        text = ""
        async for chunk in reply.content.iter_any():
            text += chunk.decode()
            *whole, text = text.split("\n\n")
            for event in whole:
                fields = dict(line.split(": ", 1) for line in event.split("\n"))
                yield fields["event"], json.loads(fields["data"]) | {"_id": fields.get("id")}


async def to_end(page: PageClient, thread: str, **headers: str) -> list[tuple[str, Any]]:
    """All events until the conversation rests; each question is skipped."""
    seen = []
    async for name, data in follow(page, thread, **headers):
        seen.append((name, data))
        for id, _ in data.get("asks", ()):
            await page.call(
                "POST", f"/api/chat/{thread}/reply", {"question": id, "action": "proceed"}
            )
        if name == "end":
            break
    return seen


async def test_a_question_is_answered_in_events_with_sources(server):
    """Typed events for programs, parts of the page for the page."""
    async with browsing(server.url) as page:
        begun = await page.call("POST", "/api/chat", {"text": QUESTION})
        events = await to_end(page, begun["id"])
        talk = await page.call("GET", f"/api/chat/{begun['id']}")
        html = await page.get(f"/chat/{begun['id']}")

    kinds = [data["event"]["type"] for name, data in events if name == "event"]
    assert kinds[0] == "Planned"
    assert kinds[-1] == "Answered"
    assert {"ToolStarted", "ToolEnded", "TextDelta"} <= set(kinds)
    answer = talk["messages"][1]["answer"]
    assert "asyncio" in answer["answer"]
    assert answer["citations"][0]["url"] == "https://docs.example/asyncio"
    assert 'class="cite" href="#c-' in html
    assert "web_search" in html
    assert "tavily" in html
    assert [name for name, _ in events][-2:] == ["turn", "end"]
