"""A browser without scripts: cookies, the token of the page, calls of its API."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from kensaku.server.token import FILE


class PageClient:
    """Asks a server as the page does."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self.http, self.url, self.status = http, url, 0
        self.origin = str(URL(url).origin())

    async def get(self, path: str = "/", **headers: str) -> str:
        """A page."""
        async with self.http.get(self.url + path, headers=headers) as reply:
            self.status = reply.status
            return await reply.text()

    async def call(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> dict[str, Any]:
        """The JSON of a call of the API; `status` says how it was answered."""
        sent = await self.headers() | headers
        data = {"data": body} if isinstance(body, bytes) else {"json": body}
        async with self.http.request(method, self.url + path, headers=sent, **data) as reply:
            self.status = reply.status
            return await reply.json()

    async def headers(self) -> dict[str, str]:
        """What the scripts of the page send."""
        token = re.search(r'kensaku-token" content="([^"]+)"', await self.get())
        assert token
        return {
            "X-Kensaku-Token": token[1],
            "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin",
        }

    async def sign_in(self, key: str) -> str:
        """Paste a key, as the form does."""
        sent = await self.headers()
        form = {"token": sent["X-Kensaku-Token"], "key": key, "back": "/page/usage"}
        head = {"Origin": self.origin}
        address = f"{self.url}/page/sign-in"
        async with self.http.post(address, data=form, headers=head, allow_redirects=False) as reply:
            self.status = reply.status
            return reply.headers.get("location", "") or await reply.text()


@asynccontextmanager
async def browsing(url: str, *, owner: bool = True) -> AsyncIterator[PageClient]:
    """A browser with no cookies yet; the owner's opens the link that `kensaku serve` prints."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        if owner:
            async with http.get(link_of(url)):
                pass
        yield PageClient(http, url)


def link_of(url: str) -> str:
    """The link with the token of a server that runs in the test's home."""
    file = Path(os.environ["KENSAKU_HOME"]) / FILE
    return f"{url}/page/open?token={file.read_text() if file.exists() else ''}"


async def until(look: Callable[[], Awaitable[Any]], is_so: Callable[[Any], bool]) -> Any:
    """Look again and again until it is so: what others do in the background ends at some time."""
    async with asyncio.timeout(120):
        while True:
            if is_so(seen := await look()):
                return seen
            await asyncio.sleep(0.02)
