"""One page, many pages: the cache, the ladder, and what is said about those that fail."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.errors import (
    AddressRefused,
    ConfigError,
    InvalidQuery,
    PageUnavailable,
    TooLarge,
)
from kensaku.fetch import FetchedPage, Fetcher, FetchLimits, FetchPolicy, PageReader
from kensaku.fetch.browser.challenge import challenge_service
from kensaku.fetch.guard import AddressGuard, CheckedURL
from kensaku.fetch.transport import PageTransport
from kensaku.models import ProgressEvent
from kensaku.store import MemoryStore
from tests.fetch.web import Web, whole

URL = "http://public.test/page"


@pytest.fixture
def page(web):
    """A page with validators, that counts how often it was sent whole."""
    state = {"sent": 0, "etag": '"1"', "cache": "max-age=0"}

    async def handler(writer, request):
        headers = {"ETag": state["etag"], "Cache-Control": state["cache"]}
        headers["Last-Modified"] = "Mon, 01 Jan 2024 00:00:00 GMT"
        if request.headers.get("if-none-match") == state["etag"]:
            writer.write(whole(304, {**headers, "Content-Length": None}, b""))
        else:
            state["sent"] += 1
            writer.write(whole(200, headers, b"version " + state["etag"].encode()))

    web.pages["/page"] = handler
    return state


async def test_a_page_that_has_not_changed_is_not_sent_again(web, fetcher, page):
    """ETag and Last-Modified go back to the server, and 304 means what we have is right."""
    found = fetcher(store=MemoryStore())
    first = await found.fetch(URL)
    again = await found.fetch(URL)
    assert (first.via, again.via) == ("http", "cache")
    assert again.body == first.body == b'version "1"'
    assert page["sent"] == 1
    asked = web.asked("/page")[1].headers
    assert asked["if-none-match"] == '"1"'
    assert asked["if-modified-since"].startswith("Mon")


async def test_a_page_that_has_changed_is_fetched_again(fetcher, page):
    """The new one takes the place of the old."""
    found = fetcher(store=MemoryStore())
    await found.fetch(URL)
    page["etag"] = '"2"'
    assert (await found.fetch(URL)).body == b'version "2"'
    assert page["sent"] == 2


async def test_a_fresh_page_is_not_asked_for_unless_told(web, fetcher, page):
    """For as long as the server says; `fresh=True` asks all the same."""
    page["cache"] = "max-age=60"
    found = fetcher(store=MemoryStore())
    await found.fetch(URL)
    await found.fetch(URL)
    assert len(web.asked("/page")) == 1
    await found.fetch(URL, fresh=True)
    assert len(web.asked("/page")) == 2


@pytest.mark.parametrize("said", ["no-store", "No-Store, max-age=60"])
async def test_a_page_that_may_not_be_kept_is_not(fetcher, page, said):
    """The server decides."""
    page["cache"] = said
    store = MemoryStore()
    await fetcher(store=store).fetch(URL)
    assert await store.size("page:") == (0, 0)


async def test_one_tenant_does_not_see_the_pages_of_another(fetcher, page):
    """The key covers whose it is."""
    page["cache"] = "max-age=60"
    store = MemoryStore()
    await fetcher(store=store, tenant="a").fetch(URL)
    assert (await fetcher(store=store, tenant="b").fetch(URL)).via == "http"
    assert (await fetcher(store=store, tenant="a").fetch(URL)).via == "cache"


async def test_validators_go_only_to_the_page_that_gave_them(web, fetcher, page):
    """A redirect on the way is asked plainly, and so is a page that has moved elsewhere."""
    web.pages["/old"] = (302, {"Location": "/page"}, b"")
    found = fetcher(store=MemoryStore())
    await found.fetch("http://public.test/old")
    await found.fetch("http://public.test/old")
    assert all("if-none-match" not in r.headers for r in web.asked("/old"))
    assert "if-none-match" in web.asked("/page")[1].headers


async def test_a_damaged_entry_of_the_cache_is_nothing(fetcher, page):
    """Written by another version, or by nobody: fetched again."""
    store = MemoryStore()
    found = fetcher(store=store)
    await store.put(found.cache.key(URL), b"\x00 not ours", 60)
    assert (await found.fetch(URL)).body == b'version "1"'


async def test_the_deadline_ends_a_fetch(web, fetcher):
    """Whatever the page is doing."""

    async def hang(writer, request):
        await request.gone()

    web.pages["/page"] = hang
    deadline = asyncio.get_running_loop().time() + 0.1
    with pytest.raises(PageUnavailable):
        await fetcher().fetch(URL, deadline=deadline)


@pytest.mark.parametrize("field", ["connect", "total", "wire", "decoded", "per_host"])
def test_a_bound_of_nothing_is_refused(field):
    """A limit that lets nothing through is a mistake in the settings."""
    with pytest.raises(ConfigError):
        FetchLimits(**{field: 0})


def test_manners_are_checked():
    """The words are few."""
    with pytest.raises(ConfigError):
        FetchPolicy(robots="sometimes")
    with pytest.raises(ConfigError):
        FetchPolicy(optouts="maybe")


def test_an_article_about_challenges_is_not_one():
    """Long pages are pages."""
    assert challenge_service(200, {}, b"_cf_chl_opt") == "Cloudflare"
    assert challenge_service(200, {}, b"_cf_chl_opt" + b" word" * 50_000) is None
    assert challenge_service(404, {}, b"_cf_chl_opt") is None


def test_a_fetcher_outlives_its_event_loop():
    """Programs that do not await make a loop for every call."""

    async def once(found=[]):  # noqa: B006 - the same fetcher for every loop
        async with Web({"/": "hello"}) as web:
            if not found:
                guard = AddressGuard.allowing(["127.0.0.1"], None)
                found.append(
                    Fetcher(PageTransport(guard), policy=FetchPolicy(robots="never", at_once=1))
                )
            urls = [f"http://127.0.0.1:{web.port}/?{n}" for n in range(5)]
            pages = await asyncio.gather(*(found[0].fetch(url) for url in urls))
            await found[0].close()
            return [page.body for page in pages]

    for _ in range(3):
        assert asyncio.run(once()) == [b"hello"] * 5


# --- extract


async def test_pages_come_in_the_order_they_were_asked_for(web, fetcher, parser):
    """Whatever order they arrive in."""

    async def slow(writer, request):
        await asyncio.sleep(0.05)
        writer.write(whole(200, {}, b"<title>slow</title>"))

    web.pages["/slow"], web.pages["/quick"] = slow, "<title>quick</title>"
    urls = ["http://public.test/slow", "http://public.test/quick"]
    result = await PageReader(fetcher(), parser).extract(urls)
    assert [page.title for page in result.results] == ["slow", "quick"]
    assert [page.url for page in result.results] == urls
    assert all(page.fetched_at for page in result.results)


async def test_an_empty_list_is_an_error_at_once(fetcher, parser):
    """S1-15: there is nothing to do, and nothing was sent."""
    with pytest.raises(InvalidQuery):
        await PageReader(fetcher(), parser).extract([])


@pytest.mark.parametrize(
    "url", ["public.test/page", "https:///page", "http://", "no url", "ftp://x/y"]
)
async def test_a_malformed_url_is_among_the_failed_and_stops_nobody(web, fetcher, parser, url):
    """S1-16, S1-18, S1-21: scheme and host are required; the others are still read."""
    web.pages["/page"] = "hello"
    result = await PageReader(fetcher(), parser).extract([url, URL])
    assert [page.url for page in result.results] == [URL]
    assert [failed for failed, _ in result.failed] == [url]


async def test_plain_http_is_fine(web, fetcher, parser):
    """S1-17: it is read like any other."""
    web.pages["/page"] = "hello"
    assert len((await PageReader(fetcher(), parser).extract(URL)).results) == 1


async def test_twenty_are_read_and_the_rest_is_told_why(web, fetcher, parser):
    """S1-19: the first twenty after merging; the 21st is among the failed, with the reason."""
    for n in range(25):
        web.pages[f"/{n}"] = "hello"
    urls = [f"http://public.test/{n}" for n in range(22)]
    result = await PageReader(fetcher(), parser).extract([urls[0], *urls])
    assert [page.url for page in result.results] == urls[:20]
    assert [url for url, _ in result.failed] == urls[20:]
    assert all("20 URLs" in str(error) for _, error in result.failed)


async def test_duplicates_are_merged(web, fetcher, parser):
    """S1-20: one request, one page, however it is spelt."""
    web.pages["/page"] = "hello"
    urls = [URL, URL, URL + "#part", "HTTP://PUBLIC.TEST:80/page", "http://me@public.test/page"]
    result = await PageReader(fetcher(), parser).extract(urls)
    assert [page.url for page in result.results] == [URL]
    assert len(web.asked("/page")) == 1


async def test_when_all_are_invalid_all_are_among_the_failed(fetcher, parser):
    """S1-22: an empty list of pages, and every URL with its reason."""
    result = await PageReader(fetcher(), parser).extract(
        ["nope", "file:///etc/passwd", "http://10.0.0.1/"]
    )
    assert result.results == ()
    assert len(result.failed) == 3
    assert all(isinstance(error, AddressRefused) for _, error in result.failed)


async def test_one_failure_does_not_stop_the_others(web, fetcher, parser):
    """Missing, too large, hanging up: each has its own reason."""

    async def hang_up(writer, request):
        writer.transport.abort()

    web.pages |= {"/page": "hello", "/big": b"x" * 3000, "/gone": (410, {}, b""), "/cut": hang_up}
    urls = [f"http://public.test/{p}" for p in ("gone", "page", "big", "cut")]
    result = await PageReader(fetcher(limits=FetchLimits(decoded=2000)), parser).extract(urls)
    assert [page.url for page in result.results] == [URL]
    kinds = [type(error) for _, error in result.failed]
    assert kinds == [PageUnavailable, TooLarge, PageUnavailable]


async def test_at_the_deadline_what_is_there_is_returned(web, fetcher, parser):
    """One page hangs; the other is not lost."""

    async def hang(writer, request):
        await request.gone()

    web.pages |= {"/page": "hello", "/hang": hang}
    urls = ["http://public.test/hang", URL]
    result = await PageReader(fetcher(), parser).extract(urls, timeout=0.3)
    assert [page.url for page in result.results] == [URL]
    assert "deadline" in str(result.failed[0][1])


async def test_a_redirect_is_said(web, fetcher, parser):
    """The page is found under what was asked for, and says where it was."""
    web.pages |= {"/page": (302, {"Location": "/new"}, b""), "/new": "hello"}
    (page,) = (await PageReader(fetcher(), parser).extract([URL])).results
    assert page.url == URL
    assert "redirected to http://public.test/new" in page.notes


async def test_progress_is_told(web, fetcher, parser):
    """What, how much is done, of how much."""
    web.pages |= {"/a": "a", "/b": "b"}
    told = []
    urls = ["http://public.test/a", "http://public.test/b", "bad"]
    await PageReader(fetcher(), parser).extract(urls, progress=told.append)
    assert told == [ProgressEvent("extract", 1, 2), ProgressEvent("extract", 2, 2)]


class FakeBrowser:
    """The next via, without a browser."""

    def __init__(self, body: bytes) -> None:
        self.body, self.asked = body, []

    async def render(self, url: CheckedURL) -> FetchedPage:
        self.asked.append(str(url))
        return FetchedPage(str(url), str(url), 200, "text/html", self.body, via="browser")

    async def close(self) -> None:
        return None


async def test_an_empty_shell_is_read_by_the_next_rung(web, fetcher, parser):
    """Only when there is one, and only for pages that need it; the page says so."""
    web.pages |= {"/page": '<div id="app"></div>', "/plain": "hello"}
    browser = FakeBrowser(b"<p>made by a script</p>")
    found = fetcher(browser=browser)
    result = await PageReader(found, parser).extract([URL, "http://public.test/plain"])
    assert result.results[0].text == "made by a script"
    assert "read with a browser" in result.results[0].notes
    assert browser.asked == [URL]
    (alone,) = (await PageReader(fetcher(), parser).extract([URL])).results
    assert any("JavaScript" in note for note in alone.notes)


async def test_a_challenge_is_shown_to_the_next_rung(web, fetcher, parser):
    """And reported as what it is when that does not pass it either."""
    web.pages["/page"] = (403, {"cf-mitigated": "challenge"}, b"<p>Just a moment</p>")
    passed = await PageReader(fetcher(browser=FakeBrowser(b"<p>inside</p>")), parser).extract([URL])
    assert passed.results[0].text == "inside"
    for browser in (FakeBrowser(b"_cf_chl_opt"), None):
        result = await PageReader(fetcher(browser=browser), parser).extract([URL])
        assert "check for robots (Cloudflare)" in str(result.failed[0][1])


async def test_everything_can_be_written_as_json(web, fetcher, parser):
    """For `--json` and for the server."""
    web.pages["/page"] = "hello"
    found = (await PageReader(fetcher(), parser).extract([URL, "bad"])).to_dict()
    assert found["results"][0]["url"] == URL
    assert found["failed"][0]["error"]["type"] == "AddressRefused"
