"""Many URLs in one call: results in order, and a reason for each that failed."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from kensaku.config.settings import Settings
from kensaku.errors import (
    AddressRefused,
    ConfigError,
    InvalidQuery,
    PageUnavailable,
    TooLarge,
    UnknownName,
)
from kensaku.fetch import FetchedPage, FetchLimits, FetchPolicy, PageReader
from kensaku.fetch.browser import browser as browser_module
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.guard import AddressGuard, CheckedURL
from kensaku.fetch.page_reader import _is_elsewhere
from kensaku.models import ProgressEvent
from kensaku.observe import NO_OBSERVERS
from kensaku.store import MemoryStore
from tests.fetch.web import whole

URL = "http://public.test/page"


async def test_pages_come_in_the_order_they_were_asked_for(web, fetcher, parser):
    """Whatever order they arrive in."""

    served = asyncio.Event()

    async def slow(writer, request):
        await served.wait()
        writer.write(whole(200, {}, b"<title>slow</title>"))

    async def quick(writer, request):
        writer.write(whole(200, {}, b"<title>quick</title>"))
        served.set()

    web.pages["/slow"], web.pages["/quick"] = slow, quick
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


async def test_at_the_deadline_what_is_there_is_returned(web, fetcher, parser, clock):
    """One page hangs; when the other has been read, the deadline comes, and it is not lost."""

    async def hang(writer, request):
        await request.gone()

    web.pages |= {"/page": "hello", "/hang": hang}
    urls = ["http://public.test/hang", URL]
    reader = PageReader(fetcher(limits=FetchLimits(first_byte=900, total=900)), parser)
    result = await reader.extract(urls, timeout=600, progress=lambda _: clock.advance(600))
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


async def test_an_empty_shell_is_read_with_the_browser(web, fetcher, parser):
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


async def test_a_challenge_is_shown_to_the_browser(web, fetcher, parser):
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


async def test_a_failure_is_a_pair_with_names(fetcher, parser):
    """`for url, error in failed` is what programs write; `.url` and `.error` are what they mean."""
    (failure,) = (await PageReader(fetcher(), parser).extract("nope")).failed
    url, error = failure
    assert (failure.url, failure.error) == (failure[0], failure[1]) == (url, error)
    assert isinstance(error, AddressRefused)


async def test_a_url_is_parsed_once_for_each_hop(web, fetcher, parser, monkeypatch):
    """What was checked is what the HTTP library gets; text that is parsed again may be read anew."""
    web.pages |= {"/page": (302, {"Location": "/new"}, b""), "/new": "hello"}
    checked, check = [], AddressGuard.check

    def record(self, text, **options):
        checked.append(text)
        return check(self, text, **options)

    monkeypatch.setattr(AddressGuard, "check", record)
    await PageReader(fetcher(robots="never"), parser).extract([URL])
    assert checked == [URL, "http://public.test/new"]


@pytest.mark.parametrize(
    ("option", "near"), [("max_dept", "max_depth"), ("select_path", "select_paths")]
)
async def test_an_unknown_option_of_a_crawl_is_said(fetcher, parser, option, near):
    """With the name that was probably meant."""
    with pytest.raises(UnknownName, match=f"did you mean {near!r}"):
        PageReader(fetcher(), parser).crawl(URL, **{option: 2})


async def test_every_address_has_its_outcome(web, fetcher, parser):
    """Pages and failures in the order of the list, each address once; progress counts the pages."""
    web.pages |= {"/a": "<title>A</title>a", "/b": "<title>B</title>b"}
    events = []
    urls = ["http://public.test/b", "file:///x", "http://public.test/a", "http://PUBLIC.test/b",
            "http://public.test/none", "http://public.test/later"]  # fmt: skip
    done = await PageReader(fetcher(), parser).extract(urls, limit=3, progress=events.append)

    assert [page.title for page in done.results] == ["B", "A"]
    assert [url for url, _ in done.failed] == [urls[1], urls[4], urls[5]]
    assert "only 3 URLs are read in one call" in str(done.failed[2].error)
    assert "answered 404" in str(done.failed[1].error)
    assert events == [ProgressEvent("extract", n, 3) for n in (1, 2, 3)]
    assert done.elapsed_ms >= 0


async def test_twenty_addresses_are_read_in_one_call(web, fetcher, parser):
    """None is an error, and one may stand alone."""
    web.pages |= {f"/{n}": f"page {n}" for n in range(21)}
    reader = PageReader(fetcher(robots="never"), parser)
    done = await reader.extract([f"http://public.test/{n}" for n in range(21)])
    assert (len(done.results), len(done.failed)) == (20, 1)
    assert len((await reader.extract("http://public.test/0")).results) == 1
    with pytest.raises(InvalidQuery, match="there is no URL to extract"):
        await reader.extract([])


async def test_a_page_says_where_it_was_found(web, fetcher, parser):
    """Its own address is the one that was asked for; a slash or a fragment is no redirect."""
    web.pages["/a"] = (301, {"Location": "/a/"}, b"")
    web.pages["/a/"] = "a"
    web.pages["/c"] = (301, {"Location": "/a/"}, b"")
    reader = PageReader(fetcher(), parser)
    page, fetched = await reader.read("http://public.test/a#part")
    assert (page.url, page.notes) == ("http://public.test/a#part", ())
    assert page.fetched_at == fetched.fetched_at
    page, _ = await reader.read("http://public.test/c", as_url="http://public.test/C")
    assert page.url == "http://public.test/C"
    assert page.notes == ("redirected to http://public.test/a/",)


def test_a_reader_is_made_as_the_settings_say(tmp_path):
    """Bounds, manners, name, proxy and where crawls are kept."""
    settings = Settings.load(
        environ={"KENSAKU_HOME": str(tmp_path)}, fetch_timeout=7, fetch_max_bytes=77_777,
        user_agent="Me/1", fetch_robots="never", fetch_optouts="refuse", fetch_per_host=3,
        fetch_fresh=9, fetch_ports="80,8080",
    )  # fmt: skip
    reader = PageReader.from_settings(settings, MemoryStore())
    fetcher = reader.fetcher

    assert (fetcher.transport.limits.total, fetcher.transport.limits.decoded) == (7, 77_777)
    assert fetcher.transport.user_agent == "Me/1"
    assert fetcher.policy == FetchPolicy("never", "refuse", at_once=3)
    assert fetcher.transport.proxy is None
    assert fetcher.browser is None
    assert (fetcher.cache._tenant, fetcher.cache._fresh) == ("", 9)
    assert (reader._crawls, reader._tenant) == (tmp_path / "crawls", "")
    mine = PageReader.from_settings(replace(settings, tenant="acme"), MemoryStore())
    assert (mine.fetcher.cache._tenant, mine._tenant) == ("acme", "acme")
    proxied = PageReader.from_settings(replace(settings, fetch_proxy="http://p:1"), None)
    assert proxied.fetcher.transport.proxy == "http://p:1"
    other = reader.for_tenant("acme")
    assert other.fetcher.transport is fetcher.transport
    assert other.parser is reader.parser
    assert other.fetcher.cache.key("u") != fetcher.cache.key("u")
    assert PageReader.from_settings(settings, None).for_tenant("acme").fetcher.cache is None
    wrong = replace(settings, fetch_ports=("80", "web"))
    with pytest.raises(ConfigError, match=r"fetch\.ports is '80, web'; expected numbers"):
        PageReader.from_settings(wrong, None)


def test_an_unknown_option_of_a_crawl_is_named(fetcher, parser):
    """With the nearest that there is."""
    reader = PageReader(fetcher(), parser)
    with pytest.raises(UnknownName, match="max_depth"):
        reader.crawl("http://public.test/", max_dept=2)


def test_observers_and_a_browser_reach_the_fetcher(tmp_path, monkeypatch):
    """`auto` is the browser that is found; another word is where it is."""
    monkeypatch.setattr(browser_module, "find_chromium", lambda: "/found/chrome")
    settings = Settings.load(environ={"KENSAKU_HOME": str(tmp_path)})
    observers = (object(),)
    found = PageReader.from_settings(replace(settings, fetch_browser="auto"), None, observers)
    named = PageReader.from_settings(replace(settings, fetch_browser="/opt/chrome"), None)

    assert found.fetcher.observers is observers
    assert named.fetcher.observers is NO_OBSERVERS
    assert found.fetcher.browser._executable == "/found/chrome"
    assert named.fetcher.browser._executable == "/opt/chrome"
    assert found.fetcher.browser._transport is found.fetcher.transport


@pytest.mark.parametrize(
    ("asked", "final", "elsewhere"),
    [
        ("http://a.test/", "http://a.test", False),
        ("http://a.test/X", "http://a.test/x/", False),
        ("http://a.test/x#top", "http://a.test/x", False),
        ("http://a.test/x", "http://a.test/y", True),
        ("http://a.test/X", "http://a.test/", True),
    ],
)
def test_a_page_is_elsewhere_by_more_than_its_spelling(asked, final, elsewhere):
    """Nobody needs to be told of a slash."""
    assert _is_elsewhere(asked, final) is elsewhere


async def test_a_crawl_of_a_reader_has_its_state_its_callbacks_and_its_options(
    fetcher, parser, tmp_path
):
    """Without a folder there is nothing to resume."""
    told = []
    reader = PageReader(fetcher(), parser, crawls=tmp_path, tenant="acme")
    plan = Plan("http://public.test/", limit=7)

    async def on_page(page):
        told.append(page)

    work = reader.crawl(plan.url, limit=7, resume=True, progress=told.append, on_page=on_page)
    bare = PageReader(fetcher(), parser).crawl(plan.url, resume=True)

    assert (work.plan, work._resume, work._reader) == (plan, True, reader)
    assert (work._progress, work._on_page) == (told.append, on_page)
    assert work._frontier._path == plan.state_file(tmp_path, "acme")
    assert (bare._resume, bare._frontier._path) == (False, None)
    assert (bare._progress, bare._on_page) == (None, None)
    for crawl in (work, bare):
        await crawl._frontier.close()
