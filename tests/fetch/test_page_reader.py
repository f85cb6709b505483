"""Many URLs in one call: results in order, and a reason for each that failed."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.errors import (
    AddressRefused,
    ConfigError,
    InvalidQuery,
    PageUnavailable,
    TooLarge,
    UnknownName,
)
from kensaku.fetch import FetchLimits, PageReader
from kensaku.models import ProgressEvent
from tests.fetch.conftest import FakeBrowser
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
    reader = PageReader(fetcher(), parser)
    result = await reader.extract([urls[0], *urls])
    assert [page.url for page in result.results] == urls[:20]
    assert [url for url, _ in result.failed] == urls[20:]
    assert all("20 URLs" in str(error) for _, error in result.failed)
    fewer = await reader.extract(urls[:3], limit=2)
    assert ([page.url for page in fewer.results], len(fewer.failed)) == (urls[:2], 1)


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
        assert bool(result.failed[0][1].remedy) is (browser is None)  # a browser may pass it


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


@pytest.mark.parametrize(
    ("option", "near"), [("max_dept", "max_depth"), ("select_path", "select_paths")]
)
async def test_an_unknown_option_of_a_crawl_is_said(fetcher, parser, option, near):
    """With the name that was probably meant."""
    with pytest.raises(UnknownName, match=f"did you mean {near!r}"):
        PageReader(fetcher(), parser).crawl(URL, **{option: 2})


async def test_a_page_says_where_it_was_found(web, fetcher, parser):
    """Its own address is the one that was asked for; a slash or a fragment is no redirect."""
    web.pages["/a"] = (301, {"Location": "/a/"}, b"")
    web.pages["/a/"] = "a"
    web.pages["/A"] = (301, {"Location": "/a/"}, b"")
    web.pages["/c"] = (301, {"Location": "/a/"}, b"")
    reader = PageReader(fetcher(), parser)
    page, fetched = await reader.read("http://public.test/a#part")
    assert (page.url, page.notes) == ("http://public.test/a#part", ())
    assert page.fetched_at == fetched.fetched_at
    assert (await reader.read("http://public.test/A"))[0].notes == ()
    page, _ = await reader.read("http://public.test/c", as_url="http://public.test/C")
    assert page.url == "http://public.test/C"
    assert page.notes == ("redirected to http://public.test/a/",)


async def test_pages_are_read_as_the_settings_say(make_client, upstream):
    """Name, bounds, ports and manners, by the client that people use."""
    allowed = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",)}
    upstream.serves("/robots.txt", "User-agent: *\nDisallow: /shut", "text/plain")
    small, shut = upstream.serves("/small", "<p>hello</p>"), upstream.serves("/shut", "<p>in</p>")
    large = upstream.serves("/large", f"<p>{'x ' * 5_000}</p>")
    mine = make_client(**allowed, user_agent="Otter/1", fetch_max_bytes=2_048)
    rude = make_client(**allowed, fetch_robots="never")
    usual = make_client(fetch_allow=("127.0.0.1",))
    read = await mine.extract([small, large, shut])

    assert [page.url for page in read.results] == [small]
    assert isinstance(read.failed[0].error, TooLarge)
    assert "robots.txt" in str(read.failed[1].error)
    assert {seen.headers["user-agent"] for seen in upstream.requests} == {"Otter/1"}
    assert [page.url for page in (await rude.extract(shut)).results] == [shut]
    assert isinstance((await usual.extract(small)).failed[0].error, AddressRefused)  # its port
    with pytest.raises(ConfigError, match=r"fetch\.ports"):
        await make_client(fetch_ports=("80", "web")).extract(small)


async def test_tenants_share_connections_and_not_pages(make_client, upstream):
    """A page that one has read is asked for again by another."""
    upstream.serves("/page", "<p>hello</p>")
    url = f"{upstream.url}/page"
    options = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",), "fetch_robots": "never"}
    k = make_client(**options, fetch_fresh=900)
    for client in (k, k, k.for_tenant("acme"), k.for_tenant("acme")):
        assert (await client.extract(url)).results

    assert sum(seen.target == "/page" for seen in upstream.requests) == 2
