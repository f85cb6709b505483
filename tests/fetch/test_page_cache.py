"""Pages in the cache: what is kept, for how long, and for whom."""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import replace

import pytest

from kensaku.fetch.page_cache import FetchedPage, PageCache
from kensaku.store import MemoryStore

URL = "https://a.example/"
STORED = {
    "content-type": "text/html",
    "etag": '"1"',
    "last-modified": "Mon",
    "x-robots-tag": "noai",
    "tdm-reservation": "1",
    "content-signal": "ai-input=no",
    "content-language": "en",
}
PAGE = FetchedPage(
    URL, "https://a.example/end", 200, "text/html", b"hello", STORED, "2026-01-01", notes=("n",)
)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which a test may change."""
    times = [1_000.0]
    monkeypatch.setattr(time, "time", lambda: times[0])
    return times


def cache(store: MemoryStore | None = None, tenant: str = "t", fresh: float = 60) -> PageCache:
    return PageCache(store or MemoryStore(), tenant, fresh=fresh, keep=1_000)


async def test_a_page_comes_back_as_it_was(now: list[float]) -> None:
    """But for the headers that nobody needs, and where it comes from."""
    pages = cache()
    await pages.put(replace(PAGE, headers={**STORED, "set-cookie": "secret"}))
    found = await pages.get(URL)

    assert found is not None
    assert found.page == replace(PAGE, via="cache")
    assert found.fresh_until == 1_060
    assert "hello" not in repr(found)
    assert "etag" not in repr(found)


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        ("public", 60),
        ('private, MAX-AGE = "10"', 10),
        ("max-age=3601", 3_600),
        ("s-max-age=10", 60),
        ("no-cache, max-age=10", 0),
        ("max-age=0", 0),
    ],
)
async def test_a_server_says_for_how_long_a_page_is_fresh(
    now: list[float], control: str, seconds: float
) -> None:
    """An hour at most, unless the setting is longer."""
    pages = cache()
    await pages.put(replace(PAGE, headers={"cache-control": control}))
    found = await pages.get(URL)

    assert found is not None
    assert found.fresh_until == 1_000 + seconds
    now[0] = 1_000 + seconds - 1
    assert found.fresh
    now[0] = 1_000 + seconds
    assert not found.fresh


@pytest.mark.parametrize(
    "page",
    [
        replace(PAGE, headers={"cache-control": "private, No-Store"}),
        replace(PAGE, status=203),
        replace(PAGE, body=bytes(2 * 2**20 + 1)),
    ],
)
async def test_some_pages_are_not_kept(page: FetchedPage) -> None:
    """Those that forbid it, errors, and very long ones."""
    pages = cache()
    await pages.put(page)

    assert await pages.get(URL) is None


async def test_a_long_page_comes_back_whole() -> None:
    """Of two mebibytes at most; it is packed in a thread."""
    pages = cache()
    long = (bytes(n % 251 for n in range(1_000)) * 2_100)[: 2 * 2**20]
    await pages.put(replace(PAGE, body=long))
    found = await pages.get(URL)

    assert found is not None
    assert found.page.body == long


async def test_no_tenant_sees_the_pages_of_another() -> None:
    """Though they are in one store."""
    store = MemoryStore()
    one = cache(store, "one", fresh=7)
    await one.put(PAGE)

    assert await one.for_tenant("two").get(URL) is None
    assert await one.for_tenant("two").for_tenant("one").get(URL) is not None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"no json\n",
        b"{}\n" + zlib.compress(b"x"),
        b'{"final_url": "u", "headers": {}, "at": "", "notes": null}\n' + zlib.compress(b"x"),
        json.dumps({"final_url": "u", "headers": {}, "at": "", "notes": [], "until": 1}).encode()
        + b"\nnot packed",
    ],
)
async def test_what_another_version_wrote_is_not_there(raw: bytes) -> None:
    """The page is fetched again."""
    store = MemoryStore()
    pages = cache(store)
    await store.put(pages.key(URL), raw, 100)

    assert await pages.get(URL) is None
