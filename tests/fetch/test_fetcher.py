"""One page: the page cache, validators, deadlines and the policy."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.errors import ConfigError, NotAllowed, PageUnavailable
from kensaku.fetch import Fetcher, FetchPolicy
from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.transport import PageTransport
from kensaku.store import MemoryStore
from kensaku.transport.guard import AddressGuard
from tests.fetch.conftest import FakeBrowser
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


async def test_validators_go_only_to_the_page_that_gave_them(web, fetcher, page):
    """A redirect on the way is asked plainly, and so is a page that has moved elsewhere."""
    web.pages["/old"] = (302, {"Location": "/page"}, b"")
    found = fetcher(store=MemoryStore())
    await found.fetch("http://public.test/old")
    await found.fetch("http://public.test/old")
    assert all("if-none-match" not in r.headers for r in web.asked("/old"))
    assert "if-none-match" in web.asked("/page")[1].headers


async def test_the_deadline_ends_a_fetch(web, fetcher):
    """Whatever the page is doing."""

    async def hang(writer, request):
        await request.gone()

    web.pages["/page"] = hang
    deadline = asyncio.get_running_loop().time() + 0.1
    with pytest.raises(PageUnavailable):
        await fetcher().fetch(URL, deadline=deadline)


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


async def test_a_page_has_all_that_the_server_said(web, fetcher):
    """Where it was asked for, where it was found, and when."""
    web.pages["/a"] = (301, {"Location": "/b"}, b"")
    web.pages["/b"] = (203, {"Content-Type": "text/plain", "ETag": "1"}, b"hello")
    page = await fetcher().fetch("http://public.test/a")

    assert (page.url, page.final_url) == ("http://public.test/a", "http://public.test/b")
    assert (page.status, page.content_type, page.body) == (203, "text/plain", b"hello")
    assert (page.headers["etag"], page.via, page.notes) == ("1", "http", ())
    assert page.fetched_at.endswith("+00:00")


@pytest.mark.parametrize(("status", "good"), [(200, True), (299, True), (300, False), (404, False)])
async def test_a_status_is_a_page_or_an_error(web, fetcher, status, good):
    """With its number."""
    web.pages["/"] = (status, {}, b"hello")
    if good:
        assert (await fetcher().fetch("http://public.test/")).body == b"hello"
        return
    with pytest.raises(PageUnavailable, match=f"the server answered {status}") as caught:
        await fetcher().fetch("http://public.test/")
    assert caught.value.status == status


@pytest.mark.parametrize("wrong", [{"robots": "sometimes"}, {"optouts": "maybe"}])
def test_a_policy_that_is_none_is_refused(wrong):
    """With what may be written."""
    [(name, value)] = wrong.items()
    with pytest.raises(ConfigError, match=f"fetch.{name} is '{value}'; expected "):
        FetchPolicy(**wrong)


async def test_the_time_of_a_page_is_that_of_all_its_redirects(web, fetcher, clock):
    """Thirty seconds in all, and not for each."""

    async def slow(writer, request):
        clock.advance(20)
        writer.write(whole(302, {"Location": "/page"}, b""))

    web.pages["/page"] = slow
    limits = FetchLimits(first_byte=900)
    with pytest.raises(PageUnavailable, match="took longer than 30 s"):
        await fetcher(robots="never", limits=limits).fetch(URL)
    assert len(web.asked("/page")) == 2


async def test_a_page_is_rendered_if_there_is_a_browser_and_robots_may(web, fetcher):
    """The rules of the site hold for the browser as well."""
    web.pages["/robots.txt"] = "User-agent: *\nDisallow: /page"
    browser = FakeBrowser(b"text")

    assert await fetcher().render("http://public.test/") is None
    assert (await fetcher(browser=browser).render("http://public.test/")).body == b"text"
    with pytest.raises(NotAllowed):
        await fetcher(browser=browser).render(URL)
    assert browser.asked == ["http://public.test/"]


async def test_the_browser_is_closed_with_its_fetcher(fetcher):
    """Once, and with the connections."""
    browser = FakeBrowser(b"")

    await fetcher(browser=browser).close()

    assert browser.closed == 1


async def test_an_answer_that_nothing_has_changed_brings_new_headers(web, fetcher):
    """It counts only for a page that is kept."""
    web.pages["/page"] = (
        200,
        {"ETag": "1", "TDM-Reservation": "0", "Cache-Control": "max-age=0"},
        b"t",
    )
    found = fetcher(store=MemoryStore())
    await found.fetch(URL)
    web.pages["/page"] = (304, {"TDM-Reservation": "1", "Content-Length": None}, b"")

    page = await found.fetch(URL)

    assert (page.status, page.body, page.headers["etag"]) == (200, b"t", "1")
    assert page.headers["tdm-reservation"] == "1"
    with pytest.raises(PageUnavailable, match="the server answered 304"):
        await fetcher().fetch(URL)
