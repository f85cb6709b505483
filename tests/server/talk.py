"""Conversations of the page by requests alone: their events, and the questions to the person."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from kensaku.models import Hit

from .page_client import PageClient

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


async def asked(page: PageClient, thread: str) -> tuple[str, str]:
    """The question that a conversation waits with, once it does: its id and its form."""
    async for _, data in follow(page, thread):
        if data.get("asks"):
            ((id, html),) = data["asks"]
            return id, html
    raise AssertionError("nothing was asked")


async def to_end(
    page: PageClient, thread: str, *actions: str, **headers: str
) -> list[tuple[str, Any]]:
    """All events until the conversation rests; each question gets the first action it takes."""
    seen = []
    async for name, data in follow(page, thread, **headers):
        seen.append((name, data))
        for id, _ in data.get("asks", ()):
            for action in actions or ("proceed", "skip"):  # the second for who asks for help
                said = {"question": id, "action": action}
                path = f"/api/chat/{thread}/reply"
                if (await page.call("POST", path, said, **headers))["taken"]:
                    break
        if name == "end":
            break
    return seen
