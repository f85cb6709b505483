"""The arguments of jobs: what is stored of them, and what is refused."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace

import pytest

from kensaku.errors import InvalidQuery, PageUnavailable, UnknownName
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.crawl.recorded import RecordedFrontier
from kensaku.fetch.results import Failure
from kensaku.index import AddResult
from kensaku.jobs import bulk, crawl
from kensaku.models import Page

from .fake_job import FakeJob

URL = "https://a.example/"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"url": URL}, {"url": URL, "timeout": 3_600.0, "collection": "default"}),
        (
            {"url": URL, "collection": "site", "timeout": 60.0, "limit": 5},
            {"url": URL, "timeout": 60.0, "limit": 5, "collection": "site"},
        ),
    ],
)
def test_a_crawl_is_stored_with_an_hour_and_a_collection(given, stored):
    """Unless the arguments say otherwise."""
    assert crawl.check(given) == stored


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({}, InvalidQuery, "a crawl needs a url"),
        ({"url": URL, "limt": 3}, UnknownName, "there is no option 'limt'; did you mean 'limit'?"),
        ({"url": URL, "collecton": "x"}, UnknownName, "there is no option 'collecton'; did you mean 'collection'?"),
        ({"url": URL, "select_paths": ["("]}, InvalidQuery, "select_paths holds '('"),
    ],
)  # fmt: skip
def test_a_crawl_that_cannot_work_is_refused(given, error, why):
    """Before anything is stored."""
    with pytest.raises(error) as refused:
        crawl.check(given)

    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    ("sources", "stored"),
    [
        ([f"{URL}sitemap.xml"], [f"{URL}sitemap.xml"]),
        (["http://a.example/s.xml"] * 1_000, ["http://a.example/s.xml"] * 1_000),
        (("/data/a.jsonl", "s3://bucket/b"), ["/data/a.jsonl", "s3://bucket/b"]),
    ],
)
def test_sources_are_stored_as_a_list(sources, stored):
    """Of paths that do not depend on where the next process is started."""
    checked = bulk.check({"sources": sources}, operator=True)

    assert checked == {"sources": stored, "collection": "default"}


def test_a_relative_path_becomes_an_absolute_one(tmp_path, monkeypatch):
    """`~` is the home of who submits the job."""
    monkeypatch.chdir(tmp_path)

    checked = bulk.check({"sources": ["a.jsonl", "~/b.jsonl"], "collection": "c"}, operator=True)

    assert checked == {
        "sources": [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")],
        "collection": "c",
    }


LIST = "sources must be a list of paths and URLs, at least one"
NETWORK = "only sitemaps can be indexed over the network"


@pytest.mark.parametrize(
    ("given", "operator", "why"),
    [
        ({}, True, LIST),
        ({"sources": []}, True, LIST),
        ({"sources": "a.jsonl"}, True, LIST),
        ({"sources": 5}, True, LIST),
        ({"sources": [URL] * 1_001}, True, "there are 1,001 sources; at most 1,000 are taken"),
        ({"sources": ["/data/a.jsonl"]}, False, NETWORK),
        ({"sources": [URL, "s3://bucket/b"]}, False, NETWORK),
        ({"sources": ["ftp://a.example/"]}, True, "'ftp' is not a kind of source"),
        ({"sources": [URL], "source": 1}, True, "there is no option 'source'"),
        ({"sources": [URL], "collection": "../x"}, True, ""),
    ],
)
def test_sources_that_cannot_be_read_are_refused(given, operator, why):
    """Files are for who operates the machine."""
    with pytest.raises((InvalidQuery, UnknownName)) as refused:
        bulk.check(given, operator=operator)

    assert str(refused.value).startswith(why)


class FakeSite:
    """A site whose page n links to 3n+1 … 3n+3; a reader, a client and an index in one."""

    url = "https://a.example/"

    def __init__(self) -> None:
        self._resources = SimpleNamespace(reader=lambda: self)
        self.index = self
        self.down: set[int] = set()
        self.fails: list[Exception] = []  # of the next writes
        self.notes: list[str] = []
        self.added: list[tuple[str, list[str]]] = []
        self.deadlines: list[float] = []

    async def add(self, pages: list[Page], *, collection: str) -> AddResult:
        if self.fails:
            raise self.fails.pop()
        self.added.append((collection, [page.url for page in pages]))
        return AddResult(len(pages), 2, 3)


class FakeCrawl:
    """Reads up to eight pages of a `FakeSite` at a time."""

    def __init__(self, site: FakeSite, plan: Plan, *, frontier: RecordedFrontier) -> None:
        self.site, self.plan, self.frontier = site, plan, frontier
        self.notes, self.failed = site.notes, list[Failure]()

    async def begin(self, deadline: float) -> None:
        self.site.deadlines.append(deadline)
        await self.frontier.add([(self.plan.url, 1.0)], 0)

    async def read_next(self, deadline: float) -> list[Page]:
        self.site.deadlines.append(deadline)
        done, _ = await self.frontier.counts()
        found = []
        for url, depth, _ in await self.frontier.take(min(8, self.plan.limit - done)):
            n = int(url.removeprefix(self.site.url) or 0)
            if n in self.site.down:
                self.failed.append(Failure(url, PageUnavailable("the server answered 500")))
            else:
                links = [(f"{self.site.url}{3 * n + i}", 1.0) for i in (1, 2, 3)]
                await self.frontier.add(links, depth + 1)
                found.append(Page(url, "", "Text."))
            await self.frontier.finish(url, None)
        return found


@pytest.fixture
def web(monkeypatch) -> FakeSite:
    monkeypatch.setattr(crawl, "Crawl", FakeCrawl)
    return FakeSite()


def crawl_of(**more) -> dict:
    return {"url": URL, "collection": "site", "timeout": 60.0, **more}


async def test_a_crawl_reads_some_pages_a_step(web, clock):
    """It reports how many are finished, of those that are known and wanted."""
    clock.stop()
    web.notes.append("a note")
    job = FakeJob(web)
    found = await crawl.run(job, crawl_of(limit=20))

    assert found == {
        "url": URL, "collection": "site", "pages": 20, "added": 20, "updated": 8,
        "unchanged": 12, "failed": 0, "failures": [], "notes": ["a note"],
    }  # fmt: skip
    assert job.events == [
        "begin",
        "read", ("crawling", 1, 4, 1),
        "read", ("crawling", 4, 13, 4),
        "read", ("crawling", 12, 20, 12),
        "read", ("crawling", 20, 20, 20),
    ]  # fmt: skip
    urls = [url for _, some in web.added for url in some]
    assert urls == [URL, *(f"{URL}{n}" for n in range(1, 20))]
    assert {name for name, _ in web.added} == {"site"}
    assert web.deadlines == [asyncio.get_running_loop().time() + 600.0] * 5


async def test_a_crawl_ends_with_the_last_page(web):
    """Also if its limit is higher."""
    web.down = set(range(1, 40))
    job = FakeJob(web)
    found = await crawl.run(job, crawl_of(limit=50))

    assert (found["pages"], found["failed"]) == (1, 3)
    assert found["failures"][0] == {"url": f"{URL}1", "error": "the server answered 500"}
    assert job.events[-1] == ("crawling", 4, 4, 1)
    assert len(web.added) == 1  # nothing is written for nothing


async def test_a_hundred_failures_are_listed(web):
    """All of them are counted; a step without progress is the last one."""
    failures = [{"url": f"u{n}", "error": "no"} for n in range(101)]
    read = {"changes": [], "seconds": 0.0, "failures": failures, "pages": 1, "added": 2,
            "updated": 3, "unchanged": 4, "failed": 101}  # fmt: skip
    begun = {"changes": [["add", [[URL, 1.0]], 0]], "notes": []}
    job = FakeJob(web)

    async def step(name, work):
        return {"begin": begun, "read": read}[name]

    job.step = step
    found = await crawl.run(job, crawl_of())

    assert found == {
        "url": URL, "collection": "site", "pages": 1, "added": 2, "updated": 3,
        "unchanged": 4, "failed": 101, "failures": failures[:100], "notes": [],
    }  # fmt: skip
    assert job.events == [("crawling", 0, 1, 1)]


STOPPED = "stopped after 60 s, before its end"


@pytest.mark.parametrize(
    ("seconds", "reads", "notes"),
    [(15.0, 4, []), (30.0, 3, [STOPPED]), (60.0, 2, [STOPPED]), (60.5, 1, [STOPPED])],
)
async def test_a_crawl_ends_when_its_time_is_up(web, monkeypatch, seconds, reads, notes):
    """Which is the time of the steps that read, in whichever process."""
    ticks = itertools.count(step=seconds)
    monkeypatch.setattr(crawl, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    job = FakeJob(web)
    found = await crawl.run(job, crawl_of(limit=20))

    assert (job.events.count("read"), found["notes"]) == (reads, notes)


async def test_a_site_that_is_down_fails_the_job(web):
    """So that it can be resumed. Nothing is written."""
    web.down = {0}
    with pytest.raises(PageUnavailable, match="500"):
        await crawl.run(FakeJob(web), crawl_of())
    assert web.added == []


async def test_a_step_that_is_done_again_begins_where_it_began(web):
    """The pages of the first attempt are not lost: the frontier forgets that it read them."""
    job = FakeJob(web)
    job.attempts = 2
    begun, write = [], web.add

    async def add(pages, *, collection):
        begun.append(len(pages))
        if len(begun) == 2:
            raise OSError("away")
        return await write(pages, collection=collection)

    web.add = add
    found = await crawl.run(job, crawl_of(limit=13))

    assert [event for event in job.events if isinstance(event, str)] == [
        "begin", "read", "read", "again", "read", "read",
    ]  # fmt: skip
    assert begun == [1, 3, 3, 8, 1]
    assert found["pages"] == 13


async def test_the_frontier_is_closed_however_a_crawl_ends(web, monkeypatch):
    """It holds all addresses of a site."""
    closed, close = [], RecordedFrontier.close

    async def closing(self):
        closed.append(self)
        await close(self)

    monkeypatch.setattr(RecordedFrontier, "close", closing)
    await crawl.run(FakeJob(web), crawl_of(limit=1))
    assert len(closed) == 1
    web.fails = [OSError("away")]
    with pytest.raises(OSError, match="away"):
        await crawl.run(FakeJob(web), crawl_of(limit=1))
    assert len(set(map(id, closed))) == 3
