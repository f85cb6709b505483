"""One page: the page cache, validators, deadlines and the policy."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.errors import ConfigError, NotAllowed, PageUnavailable, TooLarge
from kensaku.fetch import Fetcher, FetchPolicy
from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.page_cache import FetchedPage
from kensaku.fetch.transport import PageResponse, PageTransport
from kensaku.store import MemoryStore
from kensaku.transport.guard import AddressGuard
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


def test_manners_are_checked():
    """The words are few."""
    with pytest.raises(ConfigError):
        FetchPolicy(robots="sometimes")
    with pytest.raises(ConfigError):
        FetchPolicy(optouts="maybe")


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


async def test_so_many_redirects_are_followed(web, fetcher):
    """Five; the sixth is one too many."""
    for n in range(6):
        web.pages[f"/{n}"] = (302, {"Location": f"/{n + 1}"}, b"")
    web.pages["/6"] = "hello"
    with pytest.raises(TooLarge, match="redirects more than 5 times"):
        await fetcher(robots="never").fetch("http://public.test/0")
    assert (await fetcher(robots="never").fetch("http://public.test/1")).body == b"hello"


@pytest.mark.parametrize("wrong", [{"robots": "sometimes"}, {"optouts": "maybe"}])
def test_a_policy_that_is_none_is_refused(wrong):
    """With what may be written."""
    [(name, value)] = wrong.items()
    with pytest.raises(ConfigError, match=f"fetch.{name} is '{value}'; expected "):
        FetchPolicy(**wrong)


class FakeTransport:
    """Responses without a network: url → response, or what makes one. Notes what is asked for."""

    def __init__(self, pages, **limits):
        self.pages = {"http://a.test/robots.txt": (404, {}, b"")} | pages
        self.limits, self.user_agent = FetchLimits(**limits), "Kensaku/1"
        self.asked: list[tuple[str, object]] = []
        self.closed = 0

    def check_url(self, url):
        return url

    async def get(self, url, headers=None):
        self.asked.append((url, headers))
        found = self.pages[url]
        status, fields, body = await found() if callable(found) else found
        return PageResponse(url, status, fields, body, fields.get("location"))

    async def close(self):
        self.closed += 1


class FakeBrowser:
    """Renders the pages that it is given."""

    def __init__(self, *pages):
        self.pages, self.asked, self.closed = list(pages), [], 0

    async def render(self, url, *for_host):
        self.asked.append(url)
        return self.pages.pop(0)

    async def close(self):
        self.closed += 1


def rendered(body=b"text", **headers):
    return FetchedPage(
        url=A, final_url=A, status=200, content_type="", body=body, headers=headers,
        fetched_at="", via="browser",
    )  # fmt: skip


A, B = "http://a.test/", "http://a.test/b"
CHALLENGE = (403, {"cf-mitigated": "challenge"}, b"wait")


def test_the_usual_policy():
    """Polite to sites, and honest about what they ask for."""
    assert FetchPolicy() == FetchPolicy("always", "note", 2, 30.0)
    cache = Fetcher(FakeTransport({}), store=MemoryStore()).cache
    assert (cache._tenant, cache._fresh, cache._keep) == ("", 300.0, 604_800.0)
    assert Fetcher(FakeTransport({})).cache is None


async def test_the_time_of_a_page_is_that_of_all_its_redirects(clock):
    """Thirty seconds in all, and not for each."""

    async def slow():
        clock.advance(20)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return 302, {"location": A}, b""

    transport = FakeTransport({A: slow})
    with pytest.raises(PageUnavailable, match="took longer than 30 s"):
        await Fetcher(transport).fetch(A)
    assert [url for url, _ in transport.asked].count(A) == 2


async def test_a_robots_txt_that_leads_in_circles_is_as_good_as_none():
    """RFC 9309 has five redirects followed; the page is fetched."""
    robots = "http://a.test/robots.txt"
    transport = FakeTransport({robots: (302, {"location": robots}, b""), A: (200, {}, b"text")})

    assert (await Fetcher(transport).fetch(A)).body == b"text"
    assert [url for url, _ in transport.asked] == [robots] * 6 + [A]


@pytest.mark.parametrize(
    ("optouts", "notes"), [("note", True), ("refuse", None), ("ignore", False)]
)
async def test_what_a_page_asks_of_machines_is_noted_refused_or_ignored(optouts, notes):
    """As the policy says; a page that asks for nothing is always given."""
    transport = FakeTransport({A: (200, {"x-robots-tag": "noai"}, b"text"), B: (200, {}, b"b")})
    fetcher = Fetcher(transport, policy=FetchPolicy(optouts=optouts))

    assert (await fetcher.fetch(B)).notes == ()
    if notes is None:
        with pytest.raises(NotAllowed):
            await fetcher.fetch(A)
    else:
        assert bool((await fetcher.fetch(A)).notes) is notes


async def test_a_challenge_is_for_the_browser():
    """What it renders is the page, unless it is the challenge again."""
    passed, again = rendered(), rendered(**{"cf-mitigated": "challenge"})
    browser = FakeBrowser(passed, again)
    fetcher = Fetcher(FakeTransport({A: CHALLENGE}), browser=browser)

    assert await fetcher.fetch(A) == passed
    with pytest.raises(PageUnavailable, match=r"a check for robots \(Cloudflare\)") as raised:
        await fetcher.fetch(A)
    assert (raised.value.remedy, browser.asked) == ("", [A, A])


async def test_a_challenge_without_a_browser_is_an_error_that_says_what_helps():
    """It is no page, though it may come with status 200."""
    with pytest.raises(PageUnavailable) as raised:
        await Fetcher(FakeTransport({A: (200, CHALLENGE[1], b"wait")})).fetch(A)

    assert raised.value.remedy == "a browser may pass it: set fetch.browser"


async def test_a_page_is_rendered_if_there_is_a_browser_and_robots_may():
    """The rules of the site hold for the browser as well."""
    forbidden = {"http://a.test/robots.txt": (200, {}, b"User-agent: *\nDisallow: /b")}
    page = rendered()
    fetcher = Fetcher(FakeTransport(forbidden), browser=FakeBrowser(page))

    assert await Fetcher(FakeTransport({})).render(A) is None
    assert await fetcher.render(A) is page
    with pytest.raises(NotAllowed):
        await fetcher.render(B)


async def test_the_browser_and_the_connections_are_closed():
    """Each once; a fetcher without a browser has only connections."""
    transport, browser = FakeTransport({}), FakeBrowser()
    await Fetcher(transport, browser=browser).close()
    assert (transport.closed, browser.closed) == (1, 1)

    await Fetcher(transport).close()
    assert transport.closed == 2


async def test_an_answer_that_nothing_has_changed_counts_only_for_a_page_that_is_kept():
    """Its headers are then the new ones."""
    transport = FakeTransport(
        {A: (200, {"etag": "1", "x": "old", "cache-control": "max-age=0"}, b"t")}
    )
    fetcher = Fetcher(transport, store=MemoryStore())
    await fetcher.fetch(A)
    transport.pages[A] = (304, {"x": "new"}, b"")

    page = await fetcher.fetch(A)

    assert (page.status, page.body, page.headers["etag"], page.headers["x"]) == (
        200,
        b"t",
        "1",
        "new",
    )
    assert transport.asked[-1] == (A, {"If-None-Match": "1"})
    with pytest.raises(PageUnavailable, match="the server answered 304"):
        await Fetcher(transport).fetch(A)


@pytest.mark.parametrize(
    ("robots", "crawling", "allowed"),
    [
        ("always", False, False),
        ("always", True, False),
        ("crawl", False, True),
        ("crawl", True, False),
        ("never", True, True),
    ],
)
@pytest.mark.parametrize("rules", [1, 501])
async def test_robots_txt_is_obeyed_as_the_policy_says(robots, crawling, allowed, rules):
    """Many rules are matched in a thread, with the same result."""
    lines = "".join(f"Disallow: /{n}\n" for n in range(rules - 1))
    text = f"User-agent: *\n{lines}Disallow: /b\n".encode()
    transport = FakeTransport({"http://a.test/robots.txt": (200, {}, text), B: (200, {}, b"b")})
    fetcher = Fetcher(transport, policy=FetchPolicy(robots=robots))

    if allowed:
        assert (await fetcher.fetch(B, crawling=crawling)).body == b"b"
        assert [url for url, _ in transport.asked] == [B]
    else:
        with pytest.raises(NotAllowed, match="asks robots to stay out"):
            await fetcher.fetch(B, crawling=crawling)
    assert (await fetcher.rules(B)).disallow[-1] == "/b"
