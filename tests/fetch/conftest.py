"""What the tests of this folder share: a small web, and a parser that is quick."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from kensaku.fetch.fetcher import Fetcher
from kensaku.fetch.page_cache import FetchedPage
from kensaku.fetch.policy import FetchPolicy
from kensaku.models import Page
from tests.fetch.web import Web


class QuickParser:
    """Title, text and links by regular expressions: enough to crawl by."""

    def prestart(self) -> None:
        return None

    async def extract(self, data: bytes, *, url: str, content_type: str) -> Page:
        from yarl import URL

        text = data.decode("utf-8", "replace")
        links = []
        for link in re.findall(r'href="([^"]*)"', text):
            try:
                links.append(str(URL(url).join(URL(link))))
            except (ValueError, LookupError):
                links.append(link)
        title = re.search(r"<title>(.*?)</title>", text)
        plain = re.sub(r"<[^>]*>", " ", text)
        shell = 'id="app"' in text
        return Page(
            url=url,
            title=title[1] if title else "",
            text=" ".join(plain.split()),
            links=tuple(links),
            content_type=content_type,
            notes=("needs JavaScript: made by scripts",) if shell else (),
            needs_browser=shell,
        )

    async def aclose(self) -> None:
        return None


class FakeBrowser:
    """The next via, without a browser: the same body for every page."""

    def __init__(self, body: bytes) -> None:
        self.body, self.asked, self.closed = body, list[str](), 0

    async def render(self, url: object, *for_host: object) -> FetchedPage:
        self.asked.append(str(url))
        return FetchedPage(str(url), str(url), 200, "text/html", self.body, via="browser")

    async def close(self) -> None:
        self.closed += 1


CONNECTED: deque[Any] = deque(maxlen=10_000)  # where this process has connected to, lately


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        CONNECTED.append(arguments[1])


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine() -> Iterator[None]:
    """The interpreter's own audit hook, under every test of this folder: whatever is replaced above
    it, no socket is connected to anything but loopback."""
    CONNECTED.clear()
    yield
    hosts = {address[0] for address in CONNECTED if isinstance(address, tuple)}
    assert all(host.removeprefix("::ffff:").startswith("127.") or host == "::1" for host in hosts)


@pytest.fixture
def parser() -> QuickParser:
    return QuickParser()


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web() as found:
        found.names["public.test"] = ["93.184.215.14"]
        yield found


@pytest.fixture
def fetcher(web: Web) -> Any:
    """Makes a fetcher on the small web."""

    def make(**options: Any) -> Fetcher:
        policy = FetchPolicy(
            **{
                k: options.pop(k)
                for k in ("robots", "optouts", "at_once", "max_delay")
                if k in options
            }
        )
        transport = web.transport(
            **{k: options.pop(k) for k in ("limits", "allow", "ports") if k in options}
        )
        return Fetcher(transport, policy=policy, **options)

    return make


@pytest.fixture
def accidental_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies in the environment, set for another program."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://me:secret@10.9.8.7:3128")
        monkeypatch.setenv(name.upper(), "http://me:secret@10.9.8.7:3128")
