"""Sites, page by page: limits, traps, politeness and progress."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

import pytest

from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.frontier import Frontier
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.page_reader import PageReader
from kensaku.models import ProgressEvent
from tests.fetch.crawl.conftest import ROOT, needs_re2, page, titles
from tests.fetch.web import whole


async def test_depth_counts_links_from_the_first_page(site, crawl):
    """1: what the root links to; 2: what those link to; pages of other sites are leaves."""
    assert titles(await crawl()) == ["alpha", "beta", "far", "root"]
    deeper = await crawl(max_depth=2)
    assert titles(deeper) == ["alpha", "alpha one", "beta", "beta one", "far", "root"]
    assert "deep" in titles(await crawl(max_depth=3))
    assert not site.asked("/further")


async def test_the_limit_is_on_pages_and_the_breadth_on_links(site, crawl):
    """Whichever is met first."""
    assert len((await crawl(limit=2)).results) == 2
    assert len((await crawl(max_breadth=1)).results) == 2


async def test_every_page_is_read_once(site, crawl):
    """However many links lead to it, with or without a fragment."""
    await crawl(max_depth=5)
    paths = [request.host + request.path for request in site.seen]
    assert len(paths) == len(set(paths))


@needs_re2
async def test_paths_and_domains_are_chosen_by_patterns(site, crawl):
    """RE2 on the path and on the host, as Tavily has it."""
    assert titles(await crawl(select_paths=["^/a"], max_depth=2)) == ["alpha", "alpha one", "root"]
    assert titles(await crawl(exclude_paths=["/b.*"])) == ["alpha", "far", "root"]
    assert titles(await crawl(select_domains=[r"^other\."])) == ["far", "root"]
    assert titles(await crawl(exclude_domains=["other"])) == ["alpha", "beta", "root"]


async def test_instructions_prefer_and_filter_by_words(site, crawl):
    """Pages that share no word with them are read for their links, and left out."""
    result = await crawl(instructions="beta pages", max_depth=2)
    assert titles(result) == ["beta", "beta one"]
    first = await crawl(instructions="pages about b", max_breadth=1)
    assert any(request.path == "/b" for request in site.seen)
    assert first.base_url == ROOT


async def _endless(writer, request, make):
    body = make(request).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)


def fan(title, request, form, many):
    """A page that links to `many` others, never the same twice."""
    return page(title, *(form.format(abs(hash((request.target, n)))) for n in range(many)))


TRAPS = {
    "a calendar": lambda r: fan(r.target, r, "/cal?day={}", 2),
    "session ids": lambda r: fan("home", r, "/?sid={}", 50),
    "a path that repeats": lambda r: page(r.target, r.path.rstrip("/") + "/a/"),
    "the same page everywhere": lambda r: fan("same", r, "/{}", 50),
}


@pytest.mark.parametrize("name", TRAPS)
async def test_a_trap_ends(web, fetcher, parser, name):
    """It is cut by its shape or by the limit, and robots.txt is read once."""

    class Everything(dict):
        def get(self, key, default=None):
            if key.endswith("/robots.txt"):
                return (404, {}, b"")
            return lambda writer, request: _endless(writer, request, TRAPS[name])

    web.pages = Everything()
    plan = Plan(ROOT, max_depth=5, max_breadth=500, limit=200)
    result = await Crawl(PageReader(fetcher(), parser), plan)
    assert len(result.results) <= 30
    assert len(web.seen) <= 201
    assert len([r for r in web.seen if r.path == "/robots.txt"]) == 1


async def test_failures_are_listed_and_stop_nobody(site, crawl):
    """Each with its reason."""
    site.pages["public.test/b"] = (500, {}, b"")
    result = await crawl()
    assert titles(result) == ["alpha", "far", "root"]
    assert [url for url, _ in result.failed] == ["http://public.test/b"]


async def test_progress_is_told(site, crawl):
    """After every page."""
    told = []
    await crawl(progress=told.append)
    assert told[-1] == ProgressEvent("crawl", 4, 50)


async def test_the_time_is_kept_and_what_was_found_is_not_lost(
    site, fetcher, parser, clock, tmp_path
):
    """A page hangs: the others come, a note says that it is not all, and the next run reads it."""

    async def hang(writer, request):
        await request.gone()

    site.pages["public.test/b"] = hang

    steps = []

    def step(event):
        steps.append(event)
        if len(steps) == 3:  # all but the one that hangs
            clock.advance(600)

    reader = PageReader(fetcher(limits=FetchLimits(first_byte=900, total=900)), parser)
    plan, state = Plan(ROOT, timeout=600), tmp_path / "state.sqlite"
    result = await Crawl(reader, plan, progress=step, state=state)
    assert titles(result) == ["alpha", "far", "root"]
    assert (result.failed, result.notes) == ((), ("stopped after 600 s, before its end",))

    site.pages["public.test/b"] = page("beta")
    assert "beta" in titles(await Crawl(reader, plan, state=state, resume=True))


async def test_a_map_lists_addresses_and_fetches_only_what_it_must(site, fetcher, parser):
    """At depth 1 the root is read, and nothing else."""
    found = await Crawl(PageReader(fetcher(), parser), Plan(ROOT)).map()
    assert set(found.urls) == {ROOT, ROOT + "a", ROOT + "b", "http://other.test/far"}
    assert {r.path for r in site.seen} == {"/", "/robots.txt"}
    short = await Crawl(PageReader(fetcher(), parser), Plan(ROOT, limit=2)).map()
    assert len(short.urls) == 2
    deep = await Crawl(
        PageReader(fetcher(), parser), Plan(ROOT, max_depth=2, allow_external=False)
    ).map()
    assert ROOT + "a/1" in deep.urls


async def test_a_page_that_fails_after_the_deadline_is_left_to_the_next_run(
    site, fetcher, parser, clock
):
    """It is no failure of the page."""

    async def hang_up(writer, request):
        clock.advance(600)
        writer.transport.abort()

    site.pages["public.test/"] = hang_up
    reader = PageReader(fetcher(limits=FetchLimits(first_byte=900, total=900)), parser)
    result = await Crawl(reader, Plan(ROOT, timeout=600))

    assert (result.failed, result.notes) == ((), ("stopped after 600 s, before its end",))


async def test_what_a_good_page_links_to_comes_before_what_others_do(site, fetcher, parser):
    """A page about otters leads to others, whatever their addresses are called."""
    site.pages |= {
        "public.test/": page("root", "/a", "/b"),
        "public.test/a": page("alpha", "/a/1"),
        "public.test/b": page("otters", "/b/1"),
    }
    plan = Plan(ROOT, instructions="otters", max_depth=2)

    assert (await Crawl(PageReader(fetcher(), parser), plan).map()).urls[-2:] == (
        ROOT + "b/1", ROOT + "a/1",
    )  # fmt: skip


async def test_all_of_a_sitemap_is_looked_at_for_the_best_pages(site, fetcher, parser):
    """Of a page only the first 5,000 links are."""
    site.pages["public.test/sitemap.xml"] = sitemap(*(f"p{n}" for n in range(5_000)), "otters")
    plan = Plan(ROOT, sitemap=True, instructions="otters", limit=2)

    assert (await Crawl(PageReader(fetcher(), parser), plan).map()).urls == (ROOT, ROOT + "otters")


async def test_the_links_of_a_copy_are_not_followed(site, crawl):
    """Else a trap that is the same page everywhere would have no end."""
    site.pages |= {
        "public.test/": '<p>same</p><a href="/a"></a>',
        "public.test/a": '<p>same</p><a href="/b"></a>',
    }

    assert [found.url for found in (await crawl(max_depth=3)).results] == [ROOT]
    assert not site.asked("/b")


async def test_a_map_reads_sitemaps(site, fetcher, parser):
    """Those that robots.txt names, an index of them, and /sitemap.xml when it names none."""
    site.pages["public.test/robots.txt"] = "Sitemap: http://public.test/index.xml"
    site.pages["public.test/index.xml"] = (
        "<sitemapindex><sitemap><loc>http://public.test/s1.xml</loc></sitemap></sitemapindex>"
    )
    site.pages["public.test/s1.xml"] = (
        "<urlset><url><loc>http://public.test/hidden?a=1&amp;b=2</loc></url></urlset>"
    )
    found = await Crawl(PageReader(fetcher(), parser), Plan(ROOT, sitemap=True)).map()
    assert "http://public.test/hidden?a=1&b=2" in found.urls


async def test_leaving_early_calls_off_what_is_on_its_way(site, fetcher, parser):
    """No task goes on fetching for nobody."""
    before = asyncio.all_tasks()
    work = Crawl(PageReader(fetcher(), parser), Plan(ROOT, max_depth=3))
    async with aclosing(aiter(work)) as pages:
        async for _ in pages:
            break
    left = asyncio.all_tasks() - before - site._tasks
    assert not left


async def test_results_are_ready_for_json(site, crawl, fetcher, parser):
    """What `--json` prints: every part is there, also of what failed."""
    site.pages["public.test/b"] = (500, {}, b"")
    site_map = await Crawl(PageReader(fetcher(), parser), Plan(ROOT)).map()
    for result in (await crawl(), site_map):
        shown = json.loads(json.dumps(result.to_dict()))
        assert shown.keys() == {"base_url", "results", "failed", "notes", "elapsed_ms"}
        assert (shown["base_url"], len(shown["results"]), shown["notes"]) == (
            ROOT, len(getattr(result, "results", site_map.urls)), [],
        )  # fmt: skip
        assert [failure["url"] for failure in shown["failed"]] == [f.url for f in result.failed]


async def test_pages_come_while_the_crawl_goes_on(site, fetcher, parser):
    """The first page is there while others are held back; no page is kept in memory."""
    held = asyncio.Event()

    async def hold(writer, request):
        await held.wait()
        writer.write(whole(200, {}, page("beta").encode()))

    site.pages["public.test/b"] = hold
    site.pages["public.test/a"] = (500, {}, b"")
    work = Crawl(PageReader(fetcher(), parser), Plan(ROOT))
    seen = []
    async for found in work:
        seen.append(found.title)
        held.set()
    assert seen[0] == "root"
    assert sorted(seen) == ["beta", "far", "root"]
    assert [failure.url for failure in work.result.failed] == [ROOT + "a"]
    assert work.result.results == ()
    assert work.result.elapsed_ms > 0


async def test_a_crawl_runs_once(site, fetcher, parser):
    """Its result can be asked for again, and its pages cannot be fetched again by mistake."""
    work = Crawl(PageReader(fetcher(), parser), Plan(ROOT))
    first = await work
    assert titles(first) == ["alpha", "beta", "far", "root"]
    assert await work == work.result == first
    with pytest.raises(RuntimeError):
        [_ async for _ in work]


async def test_every_page_is_given_to_the_callback_first(site, fetcher, parser):
    """What must not be lost is stored before the caller sees the page."""
    stored = []

    async def store(found):
        stored.append(found.title)

    work = PageReader(fetcher(), parser).crawl(ROOT, on_page=store)
    async for found in work:
        assert stored[-1] == found.title
    assert len(stored) == 4


@pytest.mark.parametrize(
    ("word", "followed"), [("none", False), ("nofollow", False), ("noindex", True)]
)
async def test_the_links_of_a_page_are_followed_unless_it_says_no(site, crawl, word, followed):
    """The page itself is read."""
    body = page("alpha", "/a/1").encode()
    site.pages["public.test/a"] = (200, {"X-Robots-Tag": word}, body)

    found = titles(await crawl(max_depth=2))

    assert "alpha" in found
    assert ("alpha one" in found) is followed


async def test_a_page_that_leads_off_the_site_is_no_page_of_it(site, crawl):
    """Unless other sites are allowed; its links are not followed then, either."""
    site.pages["public.test/a"] = (302, {"Location": "http://other.test/far"}, b"")
    site.pages["public.test/"] = page("root", "/a")

    assert titles(await crawl(max_depth=3, allow_external=False)) == ["root"]
    assert titles(await crawl(max_depth=3)) == ["far", "root"]
    assert not site.asked("/further")


async def test_pages_without_text_are_not_taken_for_copies(site, crawl):
    """Two of the same text are one; two that have none are two."""
    site.pages |= {
        "public.test/": page("root", "/a", "/b", "/c", "/d"),
        "public.test/a": "<p>same</p>",
        "public.test/b": "<p>same</p>",
        "public.test/c": "<br>",
        "public.test/d": "<hr>",
    }

    texts = sorted(found.text for found in (await crawl()).results)

    assert texts == ["", "", "root about root x x x x", "same"]


def sitemap(*pages, index=()):
    listed = "".join(f"<sitemap><loc>{ROOT}{n}</loc></sitemap>" for n in index)
    urls = "".join(f"<url><loc>{ROOT}{n}</loc></url>" for n in pages)
    return f"<urlset>{urls}</urlset>" if pages else f"<sitemapindex>{listed}</sitemapindex>"


async def test_ten_sitemaps_are_read_and_one_that_fails_stops_nobody(site, fetcher, parser):
    """The page of the first that is missing is not listed; the rest is."""
    names = [f"s{n}.xml" for n in range(12)]
    site.pages["public.test/"] = page("root")
    site.pages["public.test/sitemap.xml"] = sitemap(index=names)
    for n, name in enumerate(names):
        site.pages[f"public.test/{name}"] = sitemap(f"page{n}")
    site.pages["public.test/s1.xml"] = (404, {}, b"")

    found = await Crawl(PageReader(fetcher(), parser), Plan(ROOT, sitemap=True)).map()

    assert sorted(found.urls) == sorted([ROOT, *(f"{ROOT}page{n}" for n in (0, *range(2, 9)))])
    assert found.notes == ()
    assert len([r for r in site.seen if r.path.endswith(".xml")]) == 10


async def test_a_broken_sitemap_is_noted(site, crawl):
    """What it lists before the fault is read. Without the option, none is asked for."""
    site.pages["public.test/"] = page("root")
    site.pages["public.test/sitemap.xml"] = f"<urlset><url><loc>{ROOT}a</loc></url><url"

    result = await crawl(sitemap=True)

    assert titles(result) == ["alpha", "root"]
    assert result.notes == ("a sitemap was longer than what is read, or broken",)
    asked = len(site.asked("/sitemap.xml"))
    await crawl()
    assert len(site.asked("/sitemap.xml")) == asked == 1


async def test_a_caller_may_read_a_crawl_some_pages_at_a_time(site, fetcher, parser):
    """At most eight, and never more than the limit in all."""
    site.pages["public.test/"] = page("root", *(f"/n{n}" for n in range(20)))
    site.pages |= {f"public.test/n{n}": page(f"page {n}") for n in range(20)}
    frontier = Frontier()
    work = Crawl(PageReader(fetcher(), parser), Plan(ROOT, limit=12), frontier=frontier)
    deadline = asyncio.get_running_loop().time() + 600

    await work.begin(deadline)
    sizes = [len(await work.read_next(deadline)) for _ in range(4)]
    await frontier.close()

    assert sizes == [1, 8, 3, 0]


async def test_a_crawl_that_is_running_cannot_be_awaited(site, fetcher, parser):
    """It would give half a result for a whole one."""
    work = Crawl(PageReader(fetcher(), parser), Plan(ROOT))
    async with aclosing(aiter(work)) as pages:
        async for _ in pages:
            with pytest.raises(RuntimeError, match="the crawl is running already"):
                await work
            break
    assert (await work).base_url == ROOT


@pytest.mark.parametrize("limit", [50, 12, 1])
async def test_eight_pages_are_read_at_once_and_no_more_than_the_limit(
    site, fetcher, parser, limit
):
    """Those that are being read count."""
    now = most = 0
    full, expected = asyncio.Event(), min(8, limit - 1)

    async def hold(writer, request):
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == expected:
            await asyncio.sleep(0.05)  # another would come now
            full.set()
        await full.wait()
        now -= 1
        writer.write(whole(200, {}, page(request.path).encode()))

    site.pages = {"/": page("root", *(f"/n{n}" for n in range(20)))}
    site.pages |= {f"/n{n}": hold for n in range(20)}
    patient = fetcher(robots="never", at_once=100, limits=FetchLimits(per_host=100))

    result = await Crawl(PageReader(patient, parser), Plan(ROOT, limit=limit))

    assert most == expected
    assert len(result.results) == len(site.seen) == min(limit, 21)
