"""The state of a crawl: bounded, resumable, and proof against a kill."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import aclosing
from hashlib import blake2b

import pytest

import tests
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.frontier import Frontier
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.page_reader import PageReader
from kensaku.models import Page
from tests.fetch.crawl.conftest import ROOT, titles


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


@pytest.mark.usefixtures("processes")
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
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
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


A, B, C = "http://x.test/a", "http://x.test/b", "http://x.test/c"


async def test_links_are_taken_by_depth_and_score():
    """Each once; one that is being read is not taken again."""
    frontier = Frontier()
    await frontier.add([(C, 0.1)], 1)
    assert await frontier.add([(A, 0.5), (B, 0.9), (C, 2.0)], 2) == [(A, 0.5), (B, 0.9)]

    assert await frontier.urls() == [C, B, A]
    assert await frontier.take(2) == [(C, 1, 0.1), (B, 2, 0.9)]
    assert await frontier.counts() == (0, 3)
    await frontier.finish(C, None)
    await frontier.finish(B, Page(B), 0.2)
    assert await frontier.counts() == (2, 1)
    assert await frontier.take(2) == [(A, 2, 0.5)]
    assert await frontier.take(2) == []
    assert await frontier.urls() == [C, A, B]  # the score of a page is the page's
    await frontier.close()


async def test_those_being_read_do_not_count_among_those_taken():
    """A worker that is free gets the next links, however many the others are reading."""
    frontier = Frontier()
    links = [(f"http://x.test/{n}", 1.0) for n in range(6)]
    await frontier.add(links, 0)
    for expected in (links[:2], links[2:4], links[4:]):
        assert [url for url, *_ in await frontier.take(2)] == [url for url, _ in expected]
    await frontier.close()


async def test_twenty_variants_of_a_path_are_followed():
    """On each host; the path itself and known ones do not count."""
    frontier = Frontier()
    links = [(f"{A}?n={n}", 1.0) for n in range(21)]
    assert await frontier.add(links[:19], 1) == links[:19]
    assert await frontier.add(links[:19], 1) == []
    assert await frontier.add(links[19:], 1) == links[19:20]
    others = [(A, 1.0), (B + "?n=1", 1.0)]
    assert await frontier.add([*links, *others], 1) == others  # what is skipped hides no other
    await frontier.close()


async def test_so_many_links_and_no_more(monkeypatch):
    """The bound is on all of them together."""
    monkeypatch.setattr("kensaku.fetch.crawl.frontier.MAX_LINKS", 3)
    frontier = Frontier()
    assert len(await frontier.add([(A, 1.0), (B, 1.0)], 1)) == 2
    assert await frontier.add([(A, 1.0), (C, 1.0), ("http://x.test/d", 1.0)], 1) == [(C, 1.0)]
    await frontier.close()


async def test_pages_are_kept_whole_in_a_file_of_its_owner(tmp_path):
    """What was taken and not finished is queued again."""
    path = tmp_path / "home" / "folder" / "state.sqlite"
    page = Page(
        A, "Title", "ラッコ", "# Text", "Ann", "2024-01-02", "ja", A, "text/html", "2026-01-01",
        ("i",), ("l",), "f", ("n",), True,
    )  # fmt: skip
    frontier = Frontier(path)
    await frontier.add([(B, 1.0), (A, 1.0), (C, 1.0)], 0)
    await frontier.take(3)
    await frontier.finish(A, page)
    await frontier.finish(B, Page(B))
    await frontier.close()
    assert "ラッコ".encode() in path.read_bytes()  # three bytes a character, not six
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700

    again = Frontier(path, fresh=False)
    assert await again.pages() == [Page(B), page]
    assert await again.take(3) == [(C, 0, 1.0)]
    await again.close(forget=True)
    assert not path.exists()


async def test_a_caller_who_is_cancelled_leaves_no_file_open(tmp_path):
    """A job is cancelled, and then its server stops: others can open the file."""
    path = tmp_path / "state.sqlite"
    frontier = Frontier(path)
    links = [asyncio.ensure_future(frontier.add([(f"{A}{n}", 1.0)], 0)) for n in range(30)]
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(frontier.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait([closing, *links])
    assert closing.cancelled()

    async def seen_by_another() -> tuple[int, int]:
        other = Frontier(path, fresh=False)  # in memory, while the file is locked
        try:
            return await other.counts()
        finally:
            await other.close()

    async with asyncio.timeout(120):
        while await seen_by_another() != (0, 30):
            pass
    await frontier.close()  # a second time: nothing is left to do
