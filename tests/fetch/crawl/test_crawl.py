"""Sites, page by page: bounds, traps, manners, and a crawl that was killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import aclosing
from hashlib import blake2b
from importlib.util import find_spec

import pytest

import tests
from kensaku.errors import InvalidQuery, MissingExtra
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.frontier import Frontier
from kensaku.fetch.crawl.links import Relevance, Scope, best_links, is_trap, normalize
from kensaku.fetch.crawl.patterns import Patterns
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.crawl.sitemap import MAX_ENTRIES, read_sitemap
from kensaku.fetch.page_reader import PageReader
from kensaku.models import ProgressEvent

ROOT = "http://public.test/"
needs_re2 = pytest.mark.skipif(find_spec("re2") is None, reason="the extra crawl is not installed")


def page(title, *links):
    return f"<title>{title}</title><p>about {title}</p>" + "".join(
        f'<a href="{link}">x</a>' for link in links
    )


@pytest.fixture
def site(web):
    """A root, two chapters, two leaves, and a page elsewhere."""
    web.names["other.test"] = ["8.8.8.8"]
    web.pages |= {
        "public.test/": page("root", "/a", "/b", "http://other.test/far", "/#top", "/logo.png"),
        "public.test/a": page("alpha", "/a/1", "/", "/b"),
        "public.test/b": page("beta", "/b/1"),
        "public.test/a/1": page("alpha one", "/deep"),
        "public.test/b/1": page("beta one"),
        "public.test/deep": page("deep"),
        "other.test/far": page("far", "/further"),
        "other.test/further": page("further"),
    }
    return web


@pytest.fixture
def crawl(fetcher, parser):
    async def run(url=ROOT, *, state=None, resume=False, progress=None, **options):
        plan = Plan(url, **options)
        reader = PageReader(fetcher(), parser)
        return await Crawl(reader, plan, state=state, resume=resume, progress=progress)

    return run


def titles(result):
    return sorted(page.title for page in result.results)


async def test_depth_counts_links_from_the_first_page(site, crawl):
    """1: what the root links to; 2: what those link to; pages of other sites are leaves."""
    assert titles(await crawl()) == ["alpha", "beta", "far", "root"]
    deeper = await crawl(max_depth=2)
    assert titles(deeper) == ["alpha", "alpha one", "beta", "beta one", "far", "root"]
    assert "deep" in titles(await crawl(max_depth=3))
    assert not site.asked("/further")


async def test_other_sites_are_left_out_when_told(site, crawl):
    """`allow_external=False`."""
    assert titles(await crawl(allow_external=False)) == ["alpha", "beta", "root"]


async def test_the_limit_is_on_pages_and_the_breadth_on_links(site, crawl):
    """Whichever is met first."""
    assert len((await crawl(limit=2)).results) == 2
    assert len((await crawl(max_breadth=1)).results) == 2


async def test_every_page_is_read_once(site, crawl):
    """However many links lead to it, with or without a fragment."""
    await crawl(max_depth=5)
    paths = [request.host + request.path for request in site.seen]
    assert len(paths) == len(set(paths))


def test_without_re2_patterns_are_refused_with_the_remedy(monkeypatch):
    """Never run by an engine that a pattern can stop."""
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(MissingExtra, match=r"kensaku\[crawl\]"):
        _ = Plan(ROOT, select_paths=["/a"]).scope


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


async def test_the_scheme_may_be_left_out(site, fetcher, parser):
    """`docs.tavily.com` is a way to name a site."""
    assert Plan("public.test/a").url == "https://public.test/a"


@needs_re2
@pytest.mark.parametrize(
    "options",
    [{"max_depth": 0}, {"max_depth": 6}, {"max_breadth": 0}, {"max_breadth": 501}, {"limit": 0},
     {"timeout": 0}, {"limit": "many"}, {"limit": True}, {"url": ""}, {"url": "file:///x"},
     {"url": 7}, {"select_paths": ["("]},
     {"select_paths": [r"(?=x)"]}, {"select_paths": ["x" * 501]},
     {"exclude_paths": ["x"] * 101}, {"select_domains": [""]}, {"exclude_domains": [3]}],
)  # fmt: skip
def test_what_is_out_of_bounds_is_refused_before_anything_is_sent(options):
    """One clear sentence that names the value and the bound."""
    with pytest.raises(InvalidQuery):
        _ = Plan(**{"url": ROOT, **options}).scope


@needs_re2
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$", "([a-z]+)*$"])
def test_a_pattern_that_explodes_elsewhere_does_not_here(pattern):
    """50 KB of the worst input in a tenth of a second (security.md, 3.5)."""
    found = Patterns([pattern], "select_paths")
    began = time.process_time()
    found.find("a" * 50_000 + "!")
    assert time.process_time() - began < 0.1


def test_one_spelling_for_each_page():
    """No fragment, no visit, no campaign, no default port."""
    same = [
        "http://x.test", "http://X.test:80/", "http://x.test/#a", "http://x.test/?utm_source=y",
        "http://x.test/?PHPSESSID=1", "http://x.test/;jsessionid=99", "http://u:p@x.test/?fbclid=2",
    ]  # fmt: skip
    assert {normalize(url) for url in same} == {"http://x.test/"}
    assert normalize("http://x.test/?b=2&a=1") == "http://x.test/?b=2&a=1"
    assert normalize("mailto:x@y.z") is None
    assert normalize("http://[::1") is None


@pytest.mark.parametrize(
    "path", ["/a/a/a/", "/x/y/x/y/x", "/" + "/".join(map(str, range(20))), "/p.jpg", "/f.ZIP"]
)
def test_a_trap_is_known_by_its_shape(path):
    """Relative links that feed on themselves, endless depth, and files that are no pages."""
    assert is_trap("http://x.test" + path)


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


async def test_a_page_with_a_million_links_is_one_page():
    """Only so many are looked at, and only the best are kept."""
    scope = Scope.of(ROOT, None, None, None, None, True)
    links = (f"http://public.test/{n}" for n in range(10**6))
    assert len(best_links(links, scope, Relevance(None), 500)) == 500
    assert next(links) == "http://public.test/5000"


async def test_pages_that_ask_not_to_be_followed_are_not(site, crawl):
    """`nofollow`, in a header or in the page."""
    site.pages["public.test/a"] = (
        200,
        {"X-Robots-Tag": "nofollow"},
        page("alpha", "/a/1").encode(),
    )
    assert "alpha one" not in titles(await crawl(max_depth=2))


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


async def test_the_time_is_kept_and_what_was_found_is_not_lost(site, crawl):
    """A page hangs: the others come, and a note says that it is not all."""

    async def hang(writer, request):
        await request.gone()

    site.pages["public.test/b"] = hang
    result = await crawl(timeout=1)
    assert "alpha" in titles(result)
    assert any("stopped after 1 s" in note for note in result.notes)


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


def test_sitemaps_and_feeds_are_read():
    """XML with or without a namespace, RSS, Atom, plain lists, and gzip files."""
    import zlib

    xml = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
      xmlns:image="x"><url><loc> http://x.test/1 </loc><image:image><image:loc>http://x.test/i.png
      </image:loc></image:image></url></urlset>"""
    assert read_sitemap(xml).pages == ["http://x.test/1"]
    assert read_sitemap(zlib.compress(xml, wbits=31)).pages == ["http://x.test/1"]
    rss = b"<rss><channel><link>no</link><item><link>http://x.test/2</link></item></channel></rss>"
    assert read_sitemap(rss).pages == ["http://x.test/2"]
    atom = b'<feed><link href="no"/><entry><link href="http://x.test/3"/></entry></feed>'
    assert read_sitemap(atom).pages == ["http://x.test/3"]
    assert read_sitemap(b"http://x.test/4\nnope\n").pages == ["http://x.test/4"]


BILLION = (
    b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
)
XXE = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>'


@pytest.mark.parametrize(
    "data", [BILLION, XXE, b"<urlset><url><loc>http://x", b"\x1f\x8bnot", b"<" * 99]
)
def test_a_hostile_sitemap_gives_nothing(data):
    """No entity is expanded, no file is read, and what breaks off is said to."""
    found = read_sitemap(data)
    assert found.pages == []
    assert found.truncated


def test_a_sitemap_is_cut_at_its_bound():
    """A million entries: the first fifty thousand."""
    entry = b"<url><loc>http://x.test/%d</loc></url>"
    data = b"<urlset>" + b"".join(entry % n for n in range(200_000)) + b"</urlset>"
    found = read_sitemap(data)
    assert len(found.pages) == MAX_ENTRIES
    assert found.truncated


async def test_the_queue_is_bounded_by_variants():
    """A calendar's queries are one page in many dresses."""
    frontier = Frontier()
    added = await frontier.add([(f"http://x.test/cal?d={n}", 1.0) for n in range(1_000)], 1)
    assert added == 20
    await frontier.close()


async def test_leaving_early_calls_off_what_is_on_its_way(site, fetcher, parser):
    """No task goes on fetching for nobody."""
    before = asyncio.all_tasks()
    work = Crawl(PageReader(fetcher(), parser), Plan(ROOT, max_depth=3))
    async with aclosing(aiter(work)) as pages:
        async for _ in pages:
            break
    left = asyncio.all_tasks() - before - site._tasks
    assert not left


async def test_a_crawl_that_stopped_goes_on_where_it_was(site, fetcher, parser, tmp_path):
    """What was found comes again from the state; only the rest is fetched."""
    plan = Plan(ROOT, max_depth=3)
    state = plan.state_file(tmp_path)
    first = Crawl(PageReader(fetcher(), parser), plan, state=state)
    early = []
    async with aclosing(aiter(first)) as pages:
        async for found in pages:
            early.append(found)
            if len(early) == 3:
                break
    assert state.exists()
    asked = len(site.seen)
    result = await Crawl(PageReader(fetcher(), parser), plan, state=state, resume=True)
    assert titles(result)[:3] == ["alpha", "alpha one", "beta"]
    assert len(result.results) == 7
    again = [r.host + r.path for r in site.seen[asked:]]
    assert not {page.url.removeprefix("http://") for page in early} & set(again)
    assert not state.exists()


async def test_without_resume_a_crawl_begins_anew(site, fetcher, parser, tmp_path):
    """The state of an old one is not mixed in."""
    state = tmp_path / "crawl.sqlite"
    old = Frontier(state)
    await old.add([("http://public.test/deep", 1.0)], 0)
    await old.close()
    result = await Crawl(PageReader(fetcher(), parser), Plan(ROOT), state=state)
    assert titles(result) == ["alpha", "beta", "far", "root"]


async def test_a_damaged_state_is_begun_anew(site, fetcher, parser, tmp_path):
    """What it held is fetched again."""
    state = tmp_path / "crawl.sqlite"
    state.write_bytes(b"not a database" * 1_000)
    result = await Crawl(PageReader(fetcher(), parser), Plan(ROOT), state=state, resume=True)
    assert len(result.results) == 4


async def test_two_crawls_of_the_same_site_do_not_share_a_state(site, fetcher, parser, tmp_path):
    """The second one keeps its state in memory, and both find everything."""
    state = tmp_path / "crawl.sqlite"
    both = [Crawl(PageReader(fetcher(), parser), Plan(ROOT), state=state) for _ in range(2)]
    first, second = await asyncio.gather(*both)
    assert titles(first) == titles(second) == ["alpha", "beta", "far", "root"]


KILLED = """
import asyncio, json, sys
sys.path[:0] = [{here!r}]
from pathlib import Path
from tests.fetch.conftest import QuickParser
from tests.fetch.web import Web
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.fetcher import Fetcher
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.page_reader import PageReader

async def chapter(writer, request):
    await asyncio.sleep(0.03)
    n = int(request.path.strip("/p") or 0)
    body = f"<title>{{n}}</title>" + "".join(
        f'<a href="/p{{n * 3 + i}}">x</a>' for i in (1, 2, 3)) + f"<p>text {{n}}</p>"
    writer.write(f"HTTP/1.1 200 OK\\r\\nContent-Length: {{len(body)}}\\r\\n\\r\\n{{body}}".encode())

async def main():
    async with Web({{"/robots.txt": (404, {{}}, b"")}}) as web:
        web.pages |= {{"/": chapter}} | {{f"/p{{n}}": chapter for n in range(500)}}
        web.names["public.test"] = ["93.184.215.14"]
        plan = Plan("http://public.test/", max_depth=5, limit=60)
        reader = PageReader(Fetcher(web.transport()), QuickParser())
        work = Crawl(reader, plan, state=Path(sys.argv[1]), resume=True)
        async for page in work:
            print(page.title, flush=True)
        print("end", len([r for r in web.seen if r.path != "/robots.txt"]), flush=True)

asyncio.run(main())
"""


def test_a_crawl_survives_kill_9(tmp_path):
    """Killed again and again, it ends with every page once in its last run, and reads none twice
    that it had said it had."""
    script = KILLED.format(here=str(tests.ROOT))
    command = [sys.executable, "-c", script, str(tmp_path / "state.sqlite")]
    acknowledged: set[str] = set()
    for after in (5, 15, 25):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            for _ in range(after):
                acknowledged.add(running.stdout.readline().strip())
            os.kill(running.pid, signal.SIGKILL)
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    *found, end = done.stdout.split("\n")[:-1]
    assert acknowledged <= set(found)
    assert len(found) == len(set(found)) == 60
    assert int(end.split()[1]) <= 60 - len(acknowledged)


async def test_a_page_that_was_being_read_when_the_crawl_was_killed_is_not_taken_for_a_copy(
    site, fetcher, parser, tmp_path
):
    """Its text was noted, and the page itself was not yet kept: the next run must not drop it."""
    state = tmp_path / "crawl.sqlite"
    text = (
        await parser.extract(site.pages["public.test/"].encode(), url=ROOT, content_type="")
    ).text
    killed = Frontier(state)
    await killed.add([(ROOT, 1.0)], 0)
    await killed.is_new_text(blake2b(text.encode(), digest_size=16).digest(), ROOT)
    await killed.close()
    found = await Crawl(PageReader(fetcher(), parser), Plan(ROOT), state=state, resume=True)
    assert titles(found) == ["alpha", "beta", "far", "root"]


async def test_a_crawl_can_be_written_as_json(site, crawl):
    """For `--json` and for the server."""
    json.dumps((await crawl()).to_dict())
