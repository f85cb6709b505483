"""robots.txt, and what else a site asks of machines."""

from __future__ import annotations

import asyncio
import time

import pytest

from kensaku.errors import FetchError, NotAllowed
from kensaku.fetch import robots
from kensaku.fetch.optouts import NO_INPUT, RESERVED, optouts
from kensaku.store import MemoryStore

AGENT = "Kensaku/0.1 (+https://example.test)"


def rules(text):
    return robots.parse(text.encode(), AGENT)


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /private", "/privateer", False),
        ("User-agent: *\nDisallow: /private/", "/private", True),
        ("user-AGENT : *\n  DISALLOW :/x # why", "/x", False),
        ("User-agent: kensaku\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", True),
        ("User-agent: Kensaku/9\nDisallow: /a", "/a", False),
        ("User-agent: kensakubot\nDisallow: /", "/a", True),
        ("User-agent: other\nUser-agent: kensaku\nDisallow: /a", "/a", False),
        ("User-agent: kensaku\nDisallow: /a\nUser-agent: kensaku\nDisallow: /b", "/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a/b", "/a/b", True),
        ("User-agent: *\nAllow: /\nDisallow: /page", "/page.html", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?x=1", True),
        ("User-agent: *\nDisallow: /a*b*c", "/aXXbYYc", False),
        ("User-agent: *\nDisallow: /a*b*c$", "/abcbcd", True),
        ("User-agent: *\nDisallow: *?sort=", "/list?sort=up", False),
        ("User-agent: *\nDisallow: /%7Ejoe/", "/~joe/index", False),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: /日本", "/%E6%97%A5%E6%9C%AC/x", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("<html><body>not found</body></html>", "/x", True),
        ("Disallow: /x\nUser-agent: *\nAllow: /", "/x", True),
        ("User-agent: *\rDisallow: /x\r", "/x", False),
        ("User-agent: *\nDisallow: nothing", "/nothing", False),
    ],
)
def test_rules_are_read_as_rfc_9309_has_them(text, path, allowed):
    """Own group before everyone's, longest match, wildcards, one spelling for each path."""
    assert rules(text).allows(path) is allowed


def test_the_other_lines_are_read_too():
    """How long to wait, where the sitemaps are, and what the content may be used for."""
    found = rules(
        "Sitemap: https://x.test/a.xml#1\nUser-agent: *\nCrawl-delay: 2.5\n"
        "Content-Signal: search=yes, ai-train=no, ai-input = no\nSitemap: /b.xml"
    )
    assert found.delay == 2.5
    assert found.sitemaps == ("https://x.test/a.xml#1", "/b.xml")
    assert dict(found.signals) == {"search": True, "ai-train": False, "ai-input": False}


@pytest.mark.parametrize("delay", ["-1", "nan", "inf", "1e999", "soon", ""])
def test_a_delay_that_makes_no_sense_is_none(delay):
    """Nobody waits for ever because of a typing error."""
    assert rules(f"User-agent: *\nCrawl-delay: {delay}").delay == 0


@pytest.mark.parametrize(
    "rule", ["/" + "*a" * 4_000 + "$", "/" + "a*" * 4_000, "*" * 8_000 + "b", "/" + "a" * 50_000]
)
def test_matching_takes_linear_time(rule):
    """A rule is a stranger's pattern: 50 KB of the worst of them against a long path."""
    found = rules(f"User-agent: *\nDisallow: {rule}")
    began = time.process_time()
    found.allows("/" + "a" * 8_000 + "c")
    assert time.process_time() - began < 0.1


def test_a_huge_file_is_read_to_its_bound():
    """Half a megabyte is what the RFC wants read."""
    text = "User-agent: *\n" + "Disallow: /x\n" * 100_000 + "Disallow: /late\n"
    assert rules(text).allows("/late")


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

    async def hang_up(writer, request):
        writer.transport.abort()

    web.pages["/robots.txt"] = hang_up
    found = fetcher()
    for n in range(5):
        with pytest.raises(FetchError):
            await found.fetch(f"http://public.test/{n}")
    assert {request.path for request in web.seen} == {"/robots.txt"}
    assert len(web.seen) <= 2  # the HTTP library tries a broken connection once more


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
async def test_when_robots_txt_is_obeyed_is_a_setting(web, fetcher, policy, crawling, allowed):
    """A person who names one page is not a crawler, if the operator thinks so."""
    web.pages["/robots.txt"] = "User-agent: *\nDisallow: /"
    web.pages["/"] = "hello"
    work = fetcher(robots=policy).fetch("http://public.test/", crawling=crawling)
    if allowed:
        await work
    else:
        with pytest.raises(NotAllowed):
            await work


async def test_a_crawl_delay_is_kept(web, fetcher):
    """Two requests, and the second starts a delay after the first."""
    web.pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 0.3"
    starts = []

    async def page(writer, request):
        starts.append(asyncio.get_running_loop().time())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    web.pages["/a"] = web.pages["/b"] = page
    found = fetcher()
    await asyncio.gather(*(found.fetch(f"http://public.test/{p}") for p in "ab"))
    assert starts[1] - starts[0] >= 0.29


async def test_so_many_requests_at_once_and_no_more(web, fetcher):
    """A host is asked for `at_once` pages at a time, whoever wants them."""
    now = most = 0

    async def page(writer, request):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    web.pages["/"] = page
    found = fetcher(at_once=3, robots="never")
    await asyncio.gather(*(found.fetch(f"http://public.test/?{n}") for n in range(20)))
    assert most == 3


@pytest.mark.parametrize(
    ("headers", "body", "word"),
    [
        ({"x-robots-tag": "noai"}, b"", "noai"),
        ({"x-robots-tag": "noindex, NOAI"}, b"", "noai"),
        ({"x-robots-tag": "kensaku: noai"}, b"", "noai"),
        ({"x-robots-tag": "none"}, b"", "none"),
        ({}, b'<meta name="robots" content="index, noai, noimageai">', "noai"),
        ({}, b"<META CONTENT='noai' NAME=robots>", "noai"),
        ({}, b'<meta name="kensaku" content="noai">', "noai"),
        ({"tdm-reservation": "1"}, b"", "TDMRep"),
        ({}, b'<meta name="tdm-reservation" content="1">', "TDMRep"),
        ({"content-signal": "search=yes, ai-input=no"}, b"", "ai-input=no"),
    ],
)
def test_what_a_page_asks_of_machines_is_understood(headers, body, word):
    """Headers and meta tags, in all their spellings."""
    assert any(word in sentence for sentence in optouts(headers, body, robot="kensaku"))


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b""),
        ({"x-robots-tag": "all, max-snippet: 20, unavailable_after: 1 Jan"}, b""),
        ({"x-robots-tag": "otherbot: noai, noindex"}, b""),
        ({"tdm-reservation": "0"}, b'<meta name="description" content="noai">'),
        ({}, b"x" * 70_000 + b'<meta name="robots" content="noai">'),
    ],
)
def test_what_is_meant_for_others_is_not(headers, body):
    """Other robots' names, other tags, and text that only talks about it."""
    assert optouts(headers, body, robot="kensaku") == ()


async def test_an_optout_is_noted_refused_or_ignored(web, fetcher):
    """It is a policy, and the default is to say it."""
    web.pages["/"] = (200, {"X-Robots-Tag": "noai", "TDM-Reservation": "1"}, b"hello")
    web.pages["/robots.txt"] = "User-agent: *\nContent-Signal: ai-input=no"
    noted = await fetcher().fetch("http://public.test/")
    assert RESERVED in noted.notes
    assert NO_INPUT in noted.notes
    assert (await fetcher(optouts="ignore").fetch("http://public.test/")).notes == ()
    with pytest.raises(NotAllowed):
        await fetcher(optouts="refuse").fetch("http://public.test/")


async def test_a_page_that_was_kept_is_still_refused(web, fetcher):
    """The policy of today holds for the pages of yesterday."""
    web.pages["/"] = (200, {"X-Robots-Tag": "noai"}, b"hello")
    store = MemoryStore()
    await fetcher(store=store, optouts="ignore").fetch("http://public.test/")
    with pytest.raises(NotAllowed):
        await fetcher(store=store, optouts="refuse").fetch("http://public.test/")


async def test_we_say_who_we_are(web, fetcher):
    """An honest User-Agent, for robots.txt and pages alike."""
    web.pages["/"] = "hello"
    found = fetcher()
    found.transport.user_agent = AGENT
    with pytest.raises(FetchError):
        await found.fetch("http://public.test/none")
    assert {r.headers["user-agent"] for r in web.seen} == {AGENT}
