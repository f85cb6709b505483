"""DuckDuckGo by ddgs: what really happened is known, and the loop never waits for the thread."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import zlib
from contextlib import suppress

import pytest

from kensaku.errors import (
    Blocked,
    NotConfigured,
    ProviderError,
    RateLimited,
    Timeout,
    Unreachable,
    Unreadable,
)
from kensaku.models import Hit, Query
from kensaku.providers import _ddgs, provider_class
from kensaku.testing import faults
from kensaku.testing.faults import Fault

ANOMALY = b"""<!DOCTYPE html><html><body><div class="anomaly-modal__mask">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></div></body>"""
NO_RESULT_ROW = b"""<html><body><div id="links"><div class="result result--no-result">
<div class="links_main result__body"><span class="no-results">No  results.</span></div></div>
</div></body></html>"""


def page(body: bytes, status: int = 200, **headers: str) -> Fault:
    return Fault(status, body, {"Content-Type": "text/html", **headers})


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (page(ANOMALY, 429), Blocked),
        (faults.status(418, "no"), Blocked),
        (page(b"", 202), RateLimited),
        (Fault(body=b"\x00\xff" * 99), Unreadable),
    ],
    ids=repr,
)  # fmt: skip
async def test_a_refusal_is_never_an_empty_list(ask, fault, kind):
    """The library itself says "No results found." to all of these (ddgs #153, #204)."""
    with pytest.raises(ProviderError) as caught:
        await ask("duckduckgo", fault)

    assert type(caught.value) is kind


async def test_an_empty_page_is_an_empty_list(ask):
    """It did search, and there is nothing: some pages say so in a row of the list."""
    assert (await ask("duckduckgo", page(NO_RESULT_ROW))).hits == []


async def test_it_keeps_how_long_to_wait(ask):
    """`Retry-After` is read from ddgs' own response."""
    with pytest.raises(RateLimited) as caught:
        await ask("duckduckgo", faults.status(429, "no", {"Retry-After": "9"}))

    assert caught.value.retry_after == 9.0


async def test_advertisements_and_counting_links_are_undone(ask, upstream):
    """What is listed is the page itself."""
    link = "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fb%3D1&rut=x"
    ad = "https://duckduckgo.com/y.js?ad_domain=ads.example"
    upstream.answers(
        "duckduckgo", [Hit(url=ad, title="Ad"), Hit(url=link, title="A", content="text")]
    )

    assert [hit.url for hit in (await ask("duckduckgo")).hits] == ["https://a.example/?b=1"]


@pytest.mark.parametrize("packed", [False, True])
async def test_a_page_without_an_end_is_left(packed, monkeypatch):
    """A page of results has a hundred kilobytes; this one would fill the memory."""
    monkeypatch.setattr(_ddgs, "ENGINE_SECONDS", 120)
    connections: list[asyncio.StreamWriter] = []
    page = b" " * 2**16

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        encoding = b"Content-Encoding: gzip\r\n" if packed else b""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + encoding + b"\r\n")
        with suppress(OSError):
            while True:
                writer.write(packer.compress(page) if packed else page)
                await writer.drain()
                await asyncio.sleep(0)  # drain does not wait while the buffer is empty

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        provider = provider_class("duckduckgo")(f"http://127.0.0.1:{port}")

        with pytest.raises(Unreadable, match="4 MiB"):
            await provider.ask(Query("otter"), "", None)

        connections[0].transport.abort()  # primp would close it with its next request


async def test_nobody_there_is_unreachable():
    """A refused connection is not an empty page."""
    with pytest.raises(Unreachable):
        await provider_class("duckduckgo")("http://127.0.0.1:9").ask(Query("otter"), "", None)


async def test_silence_is_a_timeout(ask, monkeypatch):
    """The engine has a bound of its own, for callers without a deadline."""
    monkeypatch.setattr(_ddgs, "ENGINE_SECONDS", 0.05)

    with pytest.raises(Timeout):
        await ask("duckduckgo", faults.hang())


@pytest.mark.usefixtures("processes")
def test_the_end_of_the_program_does_not_wait_for_the_thread():
    """`asyncio.run` joins the threads of `to_thread`, for ten minutes here."""
    code = """
import asyncio
from kensaku.models import Query
from kensaku.providers import _ddgs, provider_class
from kensaku.testing import FakeUpstream, faults

_ddgs.ENGINE_SECONDS = 600

async def main():
    async with FakeUpstream() as upstream:
        upstream.fails("duckduckgo", faults.hang())
        provider = provider_class("duckduckgo")(upstream.base_url("duckduckgo"))
        search = asyncio.ensure_future(provider.ask(Query("otter"), "", None))
        while not upstream.requests:
            await asyncio.sleep(0.01)
        search.cancel()

asyncio.run(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, "")


async def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    """The command is in the remedy."""
    monkeypatch.setitem(sys.modules, "ddgs", None)
    monkeypatch.setitem(sys.modules, "ddgs.engines.duckduckgo", None)

    with pytest.raises(NotConfigured) as caught:
        await provider_class("duckduckgo")().ask(Query("otter"), "", None)

    assert 'pip install "kensaku-search[ddgs]"' in caught.value.remedy


async def test_an_error_does_not_repeat_the_query(ask):
    """What people search for is theirs."""
    with pytest.raises(RateLimited) as caught:
        await ask(
            "duckduckgo", faults.status(429, {"error": "secret words"}), Query("secret words")
        )

    assert "secret words" not in f"{caught.value} {caught.value!r}"
