"""The Chat tab of the page, by the requests and events of its scripts."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.server.page_client import PageClient, browsing

from . import Stage, Turn, turn_of

NAME = "web"
_TAG, _LINK = re.compile(r"<[^>]*>"), re.compile(r'href="([^"]+)"')


class Page:
    """A browser in one conversation. It keeps its stream open while it is asked."""

    def __init__(self, page: PageClient) -> None:
        self._page = page
        self._thread = ""
        self._stream: AsyncGenerator[tuple[str, Any], None] | None = None

    async def say(self, text: str) -> Turn:
        path = f"/api/chat/{self._thread}" if self._thread else "/api/chat"
        begun = await self._page.call("POST", path, {"text": text})
        self._thread = begun["id"]
        self._stream = self._stream or self._follow()
        events, html = [], ""
        async for name, data in self._stream:
            html = data.get("said", html)
            if name == "event":
                events.append(data["event"])
                if data["event"]["type"] in ("ApprovalNeeded", "QuestionAsked"):
                    return turn_of(events)
            if name == "end":
                break
        await self._stream.aclose()
        self._stream = None
        return turn_of(events, f"{_TAG.sub('', html)} {' '.join(_LINK.findall(html))}")

    async def _follow(self) -> AsyncGenerator[tuple[str, Any], None]:
        address = f"{self._page.url}/api/chat/{self._thread}/events"
        async with self._page.http.get(address) as got:
            text = ""
            async for chunk in got.content.iter_any():
                text += chunk.decode()
                *whole, text = text.split("\n\n")
                for event in whole:
                    fields = dict(line.split(": ", 1) for line in event.split("\n"))
                    yield fields["event"], json.loads(fields["data"])


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Page]:
    """A browser without scripts."""
    async with browsing(stage.url) as page:
        yield Page(page)
