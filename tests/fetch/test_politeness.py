"""Politeness towards hosts: robots.txt is fetched once, delays and limits are kept."""

from __future__ import annotations

import asyncio
import traceback
from contextlib import suppress

import pytest

from kensaku.errors import FetchError, NotAllowed, PageUnavailable
from kensaku.fetch import Fetcher
from kensaku.fetch.robots import Rules
from kensaku.store import MemoryStore

AGENT = "Kensaku/0.1 (+https://example.test)"


async def hang_up(writer, request):
    writer.transport.abort()


async def test_a_page_that_robots_txt_forbids_is_not_asked_for(web, fetcher):
    """The site says no, and we say that it did."""
    web.pages["/robots.txt"] = "User-agent: *\nDisallow: /private"
    web.pages["/private"] = web.pages["/open"] = "hello"
    found = fetcher()
    with pytest.raises(NotAllowed):
        await found.fetch("http://public.test/private")
    await found.fetch("http://public.test/open")
    assert not web.asked("/private")
    assert len(web.asked("/robots.txt")) == 1


async def test_a_redirect_to_a_forbidden_page_is_not_followed(web, fetcher):
    """The rules are those of the host that is asked next."""
    web.names["other.test"] = ["8.8.8.8"]
    web.pages["other.test/robots.txt"] = "User-agent: *\nDisallow: /"
    web.pages["public.test/go"] = (302, {"Location": "http://other.test/page"}, b"")
    with pytest.raises(NotAllowed):
        await fetcher().fetch("http://public.test/go")
    assert not web.asked("/page")


@pytest.mark.parametrize(
    ("status", "allowed"), [(404, True), (401, True), (410, True), (429, False), (503, False)]
)
async def test_a_missing_robots_txt_allows_and_a_broken_one_does_not(web, fetcher, status, allowed):
    """What may hold rules that we cannot see now is obeyed as if it forbade everything."""
    web.pages["/robots.txt"] = (status, {}, b"")
    web.pages["/"] = "hello"
    if allowed:
        assert (await fetcher().fetch("http://public.test/")).body == b"hello"
    else:
        with pytest.raises(NotAllowed):
            await fetcher().fetch("http://public.test/")


async def test_robots_txt_is_asked_for_once_however_many_pages(web, fetcher):
    """A hundred pages at once, and a second process with the same store: one request."""
    web.pages["/robots.txt"] = "User-agent: *\nAllow: /"
    web.pages["/"] = "hello"
    store = MemoryStore()
    found = fetcher(store=store)
    await asyncio.gather(*(found.fetch(f"http://public.test/?{n}") for n in range(100)))
    await fetcher(store=store).fetch("http://public.test/?last")
    assert len(web.asked("/robots.txt")) == 1


async def test_a_host_that_does_not_answer_is_not_asked_again_at_once(web, fetcher):
    """Its robots.txt breaks off for every page: one try, and one error for all of them."""

    web.pages["/robots.txt"] = hang_up
    found = fetcher()
    for n in range(5):
        with pytest.raises(FetchError):
            await found.fetch(f"http://public.test/{n}")
    assert {request.path for request in web.seen} == {"/robots.txt"}
    assert len(web.seen) <= 2  # the HTTP library tries a broken connection once more


async def test_an_error_that_is_kept_does_not_grow(web, fetcher):
    """One instance that is raised again and again gathers a traceback without end."""

    web.pages["/robots.txt"] = hang_up
    found = fetcher()
    lengths = []
    for n in range(20):
        with pytest.raises(FetchError) as caught:
            await found.fetch(f"http://public.test/{n}")
        lengths.append(len(traceback.extract_tb(caught.value.__traceback__)))

    assert lengths[-1] <= lengths[1]


async def test_a_robots_txt_that_moved_is_followed(web, fetcher):
    """Five hops, as the RFC has it; one that never arrives is none."""
    web.pages["/robots.txt"] = (301, {"Location": "/r2.txt"}, b"")
    web.pages["/r2.txt"] = "User-agent: *\nDisallow: /x"
    with pytest.raises(NotAllowed):
        await fetcher().fetch("http://public.test/x")
    web.pages["/r2.txt"] = (301, {"Location": "/robots.txt"}, b"")
    web.pages["/x"] = "hello"
    assert (await fetcher().fetch("http://public.test/x")).body == b"hello"


@pytest.mark.parametrize(
    ("policy", "crawling", "allowed"),
    [
        ("always", False, False),
        ("crawl", False, True),
        ("crawl", True, False),
        ("never", True, True),
    ],
)
@pytest.mark.parametrize("rules", [1, 501])
async def test_when_robots_txt_is_obeyed_is_a_setting(
    web, fetcher, policy, crawling, allowed, rules
):
    """A person who names one page is not a crawler, if the operator thinks so.

    Many rules are matched in a thread, with the same result.
    """
    others = "".join(f"Disallow: /{n}\n" for n in range(rules - 1))
    web.pages["/robots.txt"] = f"User-agent: *\n{others}Disallow: /"
    web.pages["/"] = "hello"
    work = fetcher(robots=policy).fetch("http://public.test/", crawling=crawling)
    if allowed:
        await work
    else:
        with pytest.raises(NotAllowed):
            await work


async def test_a_crawl_delay_is_kept(web, fetcher, monkeypatch):
    """Each request waits for the one before; the sleeps are recorded instead of slept."""
    web.pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 20"
    web.pages |= {"/a": "a", "/b": "b", "/c": "c"}
    waits, sleep = [], asyncio.sleep

    async def record(seconds, *rest):
        waits.extend([seconds] if seconds > 0 else [])
        await sleep(0, *rest)

    monkeypatch.setattr(asyncio, "sleep", record)
    found = fetcher()
    await asyncio.gather(*(found.fetch(f"http://public.test/{p}") for p in "abc"))
    assert [round(seconds, -1) for seconds in sorted(waits)] == [20, 40]


async def test_a_delay_is_cut_to_the_longest_that_we_keep(fetcher, monkeypatch):
    """A site cannot hold a request for an hour; the clock stands still meanwhile."""
    waits, sleep = [], asyncio.sleep

    async def record(seconds):
        waits.append(seconds)
        await sleep(0)

    found = fetcher(max_delay=30)
    monkeypatch.setattr(asyncio, "sleep", record)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: 100.0)
    for _ in range(3):
        async with found.politeness.slot("http://public.test", delay=3_600):
            pass
    assert waits == [30, 60]


async def test_so_many_requests_at_once_and_no_more(web, fetcher):
    """A host is asked for `at_once` pages at a time, whoever wants them."""
    now = most = 0
    full = asyncio.Event()

    async def page(writer, request):
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 3:
            await asyncio.sleep(0.05)  # a fourth would come now
            full.set()
        await full.wait()
        now -= 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    web.pages["/"] = page
    found = fetcher(at_once=3, robots="never")
    await asyncio.gather(*(found.fetch(f"http://public.test/?{n}") for n in range(20)))
    assert most == 3


async def test_we_say_who_we_are(web, fetcher):
    """An honest User-Agent, for robots.txt and pages alike."""
    web.pages["/"] = "hello"
    found = fetcher()
    found.transport.user_agent = AGENT
    with pytest.raises(FetchError):
        await found.fetch("http://public.test/none")
    assert {r.headers["user-agent"] for r in web.seen} == {AGENT}


class Later:
    """The time by which rules are forgotten: that of the machine stands still."""

    seconds = 0.0

    def monotonic(self):
        return 1_000.0 + self.seconds


@pytest.fixture
def later(monkeypatch):
    made = Later()
    monkeypatch.setattr("kensaku.fetch.politeness.time", made)
    return made


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        ("User-agent: *", 86_400),
        ((404, {}, b""), 86_400),
        ((500, {}, b""), 600),
        ((429, {}, b""), 600),
        (hang_up, 30),
    ],
    ids=["found", "missing", "broken", "limited", "silent"],
)
async def test_rules_are_asked_for_again_after_a_while(web, fetcher, later, answer, seconds):
    """A day; less when they could not be read, and least when nobody answered."""
    web.pages["public.test:8080/robots.txt"] = answer
    politeness = fetcher().politeness
    for later.seconds, asked in ((0, True), (seconds, False), (seconds + 1, True)):
        before = len(web.seen)
        with suppress(PageUnavailable):
            await politeness.rules("http://public.test:8080/x?y")
        assert (len(web.seen) > before) is asked


@pytest.mark.parametrize("padding", [0, 40_000])
async def test_rules_are_stored_for_other_processes(web, fetcher, later, padding):
    """All that they say, however long they are; another robot has others."""
    web.pages["/robots.txt"] = (
        "User-agent: *\nAllow: /a\nDisallow: /b\nCrawl-delay: 3\nSitemap: /s\n"
        "Content-Signal: search=yes, ai-input=no\n" + "#" * padding
    )
    store, url = MemoryStore(), "http://public.test/"
    first = await fetcher(store=store).politeness.rules(url)
    assert first == Rules(("/a",), ("/b",), 3.0, ("/s",), (("search", True), ("ai-input", False)))

    other = fetcher(store=store).politeness
    for later.seconds in (0, 601):  # what was stored is looked up again after ten minutes
        assert await other.rules(url) == first
    assert len(web.seen) == 1
    await Fetcher(web.transport(user_agent="Other/1"), store=store).politeness.rules(url)
    assert len(web.seen) == 2


@pytest.mark.parametrize("raw", [b"no json", b"{}", b"[]", b'{"allow": 1}'])
async def test_what_another_version_stored_is_asked_for_again(web, fetcher, raw):
    """It cannot be read."""

    class Old(MemoryStore):
        async def get(self, keys):
            return [raw for _ in keys]

    assert await fetcher(store=Old()).politeness.rules("http://public.test/") == Rules()
    assert len(web.asked("/robots.txt")) == 1
