"""Bulk indexing: every document once, whatever happens to the process on the way."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from kensaku import Kensaku
from kensaku.errors import InvalidQuery, PageUnavailable
from kensaku.index import AddResult
from kensaku.jobs import Jobs, bulk
from kensaku.jobs.sources import jsonl, plan_shards

from .fake_job import FakeJob

WORDS = "otter river stone water fish bank night moon reed wind boat rain mud".split()


def write_documents(file, n, *, first=0, changed=()):
    """Documents of about 2 kB, some lines of which are no documents."""
    chance = random.Random(7)
    with file.open("w") as out:
        for i in range(first, first + n):
            text = " ".join(chance.choices(WORDS, k=300)) + (" changed" if i in changed else "")
            row = {"url": f"https://e.org/{i}", "title": f"Document {i}", "text": text}
            out.write(json.dumps(row) + "\n")
            if i % 500 == 0:
                out.write("not a document\n")


async def run_bulk(settings, *sources, workers=2):
    async with Jobs(settings, workers=workers) as jobs:
        await jobs.start()
        arguments = {"sources": [str(s) for s in sources], "collection": "bulk"}
        job = await jobs.wait(await jobs.submit("bulk", arguments, operator=True))
    assert (job.status, job.error) == ("done", None)
    return job


async def checked(settings):
    """The documents of the collection, each of which is whole."""
    async with Kensaku(settings) as k:
        result = (await k.index.check("bulk"))["bulk"]
    assert result["problem"] is None
    return result["documents"]


async def test_what_has_not_changed_is_not_written_again(settings, tmp_path, monkeypatch):
    """Exactly once, by the hash of the content."""
    monkeypatch.setattr(jsonl, "SHARD", 100_000)
    file = tmp_path / "d.jsonl"
    write_documents(file, 600)
    first = await run_bulk(settings, file)
    write_documents(file, 610, changed={3, 5})
    second = await run_bulk(settings, file)

    assert first.result["shards"] > 3
    counts = ("documents", "added", "updated", "unchanged", "rejected")
    assert [first.result[n] for n in counts] == [600, 600, 0, 0, 2]
    assert [second.result[n] for n in counts] == [610, 10, 2, 598, 2]
    assert first.result["reasons"] == {"not JSON": 2}
    assert first.result["examples"][0]["where"].startswith(file.as_uri())
    assert first.progress.documents == 600
    assert first.progress.done == first.progress.total > 0
    assert await checked(settings) == 610


async def test_pages_are_extracted_and_hostile_ones_counted(settings, tmp_path):
    """A page that the parser refuses is one of the rejected."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "good.html").write_text(
        "<title>Otters</title><main><p>Otters live near rivers, and hold hands.</p></main>"
    )
    (folder / "empty.html").write_text("<html></html>")
    (folder / "deep.html").write_text("<div>" * 200_000 + "x")
    (folder / "binary.bin").write_bytes(bytes(range(256)) * 100)
    (folder / "notes.md").write_text("# Notes\n\nAbout badgers.")

    job = await run_bulk(settings, folder)

    async with Kensaku(settings) as k:
        hits = await k.index.search("otters hands", collections="bulk")
    assert hits[0].url == (folder / "good.html").as_uri()
    assert job.result["documents"] + job.result["rejected"] == 5


async def test_a_sitemap_is_fetched_as_a_crawl_is(settings, site):
    """Through the guard, politely, and its failures are counted."""
    listed = "".join(f"<url><loc>{site.url}p{n}</loc></url>" for n in (1, 2, 3, 999))
    site.pages["/sitemap.xml"] = (
        200,
        {"Content-Type": "application/xml"},
        f"<urlset>{listed}</urlset>".encode(),
    )

    job = await run_bulk(settings, f"{site.url}sitemap.xml")

    assert job.result["documents"] == 3
    assert job.result["reasons"] == {"not fetched (PageUnavailable)": 1}


async def test_files_are_for_the_operator(settings, tmp_path):
    """A tenant that could name a file could read it."""
    (tmp_path / "d.jsonl").write_text("")
    async with Jobs(settings) as jobs:
        for source in (str(tmp_path / "d.jsonl"), "s3://bucket/x", "file:///etc/passwd"):
            with pytest.raises(InvalidQuery):
                await jobs.submit("bulk", {"sources": [source]}, tenant="t")
        assert await jobs.list() == []


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_killed_in_a_shard_nothing_is_lost_and_nothing_is_twice(
    settings, tmp_path, run_process, database, request
):
    """Kills at random steps; on PostgreSQL a second process works beside those that are killed."""
    url = request.getfixturevalue("postgresql") if database == "postgresql" else ""
    settings = replace(settings, database_url=url)
    for n in range(4):
        write_documents(tmp_path / f"d{n}.jsonl", 1_000, first=n * 1_000)
    chance = random.Random(5)
    async with Jobs(settings) as jobs:
        arguments = {"sources": [str(tmp_path / "d*.jsonl")], "collection": "bulk"}
        id = await jobs.submit("bulk", arguments, operator=True)
        if url:
            await asyncio.to_thread(run_process, url, 1)
        for _ in range(2):
            process = await asyncio.to_thread(run_process, url)
            goal = (await jobs.get(id)).progress.documents + chance.randint(1, 900)
            async for job in jobs.events(id, poll=0.02):
                if job.progress.documents >= goal or job.finished:
                    break
            process.kill()
        await asyncio.to_thread(run_process, url)
        job = await jobs.wait(id)

    assert (job.status, job.error) == ("done", None)
    assert job.result["documents"] == 4_000
    assert job.result["updated"] == 0
    assert job.result["rejected"] == 8
    assert await checked(settings) == 4_000


class FakeIndex:
    """Takes all documents; `fails` writes are refused first."""

    def __init__(self, fails: int = 0) -> None:
        self.added: list[tuple[list[str], str]] = []
        self.optimized: list[str] = []
        self.fails = fails

    async def add(self, documents, *, collection):
        if self.fails:
            self.fails -= 1
            raise OSError("away")
        self.added.append(([d.url for d in documents], collection))
        return AddResult(len(documents) - 1, 1, 0)

    async def optimize(self, collection):
        self.optimized.append(collection)


def counted(documents: int, examples: int, reason: str = "not JSON") -> dict:
    """What a part returns."""
    where = [{"where": f"w{n}", "why": reason} for n in range(examples)]
    counts = {"documents": documents, "added": 1, "updated": 2, "unchanged": 3, "rejected": 4}
    return {**counts, "reasons": {reason: examples}, "examples": where}


async def test_the_parts_of_a_job_are_summed_up(tmp_path):
    """Counts and reasons of all, the most frequent first; the first twenty examples."""
    file = tmp_path / "d.jsonl"
    file.write_text("{}\n")
    index = FakeIndex()
    results = [counted(10, 15), counted(20, 16, "without text")]
    job = FakeJob(SimpleNamespace(index=index), results)

    found = await bulk.run(job, {"sources": [str(file)], "collection": "c"})

    examples = results[0]["examples"] + results[1]["examples"][:5]
    assert found == {
        "collection": "c", "shards": 1, "documents": 30, "added": 2, "updated": 4,
        "unchanged": 6, "rejected": 8, "reasons": {"without text": 16, "not JSON": 15},
        "examples": examples,
    }  # fmt: skip
    assert list(found["reasons"]) == ["without text", "not JSON"]
    (shard,) = plan_shards([str(file)])
    assert job.events == [
        ("looking at the sources", 0, 0, 0),
        "plan",
        ("indexing", 0, 3, 0),
        [{"shard": shard.to_dict(), "collection": "c"}],
        ("optimizing", 0, 3, 0),
        "optimize",
    ]
    assert index.optimized == ["c"]


async def test_nothing_is_optimized_when_nothing_was_indexed(tmp_path):
    """There may be no such collection."""
    (tmp_path / "d.jsonl").write_text("{}\n")
    job = FakeJob(results=[counted(0, 1)])

    await bulk.run(job, {"sources": [str(tmp_path / "d.jsonl")], "collection": "c"})

    assert job.events[-1] == ("optimizing", 0, 3, 0)


def lines(file, good: int, bad: int) -> dict:
    rows = [json.dumps({"url": f"https://e.org/{n}", "text": "otters"}) for n in range(good)]
    file.write_text("\n".join([*rows, *["no"] * bad]))
    (shard,) = plan_shards([str(file)])
    return {"shard": shard.to_dict(), "collection": "c"}


async def test_a_part_is_indexed_batch_by_batch(tmp_path):
    """It reports the bytes and the documents that are done so far."""
    part = lines(tmp_path / "d.jsonl", 410, 30)
    index = FakeIndex()
    job = FakeJob(SimpleNamespace(index=index))

    found = await bulk.run_part(job, part)

    examples = found.pop("examples")
    assert found == {
        "documents": 410, "added": 408, "updated": 2, "unchanged": 0, "rejected": 30,
        "reasons": {"not JSON": 30},
    }  # fmt: skip
    assert len(examples) == 5  # of a batch, twenty of all
    assert [(len(urls), name) for urls, name in index.added] == [(400, "c"), (10, "c")]
    first, size = job.events[1], part["shard"]["size"]
    assert job.events == ["batch", ("", first[1], 0, 400), "batch", ("", size, 0, 410)]
    assert 0 < first[1] < size


async def test_a_part_lists_twenty_examples(tmp_path):
    """Of all its batches."""
    job = FakeJob(SimpleNamespace(index=FakeIndex()))

    found = await bulk.run_part(job, lines(tmp_path / "d.jsonl", 0, 2_100))

    assert (found["rejected"], len(found["examples"])) == (2_100, 20)
    assert found["reasons"] == {"not JSON": 2_100}


async def test_a_batch_that_fails_is_done_again_from_its_beginning(tmp_path):
    """No record is left out."""
    index = FakeIndex(fails=1)
    job = FakeJob(SimpleNamespace(index=index))
    job.attempts = 2

    found = await bulk.run_part(job, lines(tmp_path / "d.jsonl", 410, 0))

    assert job.events[:2] == ["batch", "again"]
    assert found["documents"] == 410
    urls = [url for urls, _ in index.added for url in urls]
    assert urls == [f"https://e.org/{n}" for n in range(410)]


class FakeSitemaps:
    """Fetches sitemaps: their addresses, or None for what cannot be had."""

    def __init__(self, maps: dict[str, list[str] | None]) -> None:
        self.maps = maps
        self.fetched: list[tuple[str, bool]] = []
        self._resources = SimpleNamespace(reader=lambda: SimpleNamespace(fetcher=self))

    async def fetch(self, url: str, *, crawling: bool = False):
        self.fetched.append((url, crawling))
        found = self.maps[url]
        if found is None:
            raise PageUnavailable("the server answered 404")
        kind = "sitemap" if url.endswith("index.xml") else "url"
        inner = "".join(f"<{kind}><loc>{u}</loc></{kind}>" for u in found)
        root = "sitemapindex" if kind == "sitemap" else "urlset"
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        return SimpleNamespace(body=f'<{root} xmlns="{namespace}">{inner}</{root}>'.encode())


HOST = "https://e.org"


async def test_the_sitemaps_of_a_sitemap_are_read_once_each():
    """One that cannot be had costs its own pages alone; files come before sitemaps."""
    maps = FakeSitemaps({
        f"{HOST}/index.xml": [f"{HOST}/a.xml", f"{HOST}/gone.xml", f"{HOST}/b.xml",
                              f"{HOST}/a.xml", f"{HOST}/index.xml"],
        f"{HOST}/a.xml": [f"{HOST}/1", f"{HOST}/2"],
        f"{HOST}/gone.xml": None,
        f"{HOST}/b.xml": [f"{HOST}/2", f"{HOST}/3"],
    })  # fmt: skip
    shards = await bulk._plan(FakeJob(maps), [f"{HOST}/index.xml"])

    pages = [f"{HOST}/1", f"{HOST}/2", f"{HOST}/3"]
    assert shards == [{"format": "sitemap", "files": pages, "size": 3, "start": 0, "end": 0}]
    names = ("index", "a", "gone", "b")
    assert maps.fetched == [(f"{HOST}/{name}.xml", True) for name in names]


async def test_files_and_sitemaps_are_planned_together(tmp_path):
    """Each kind in its own way."""
    (tmp_path / "d.jsonl").write_text("{}\n")
    maps = FakeSitemaps({f"{HOST}/a.xml": [f"{HOST}/1"]})
    shards = await bulk._plan(FakeJob(maps), [f"{HOST}/a.xml", str(tmp_path / "d.jsonl")])

    assert [shard["format"] for shard in shards] == ["jsonl", "sitemap"]


async def test_a_sitemap_that_cannot_be_had_ends_the_job():
    """And so does one without pages: it may be another file."""
    with pytest.raises(PageUnavailable):
        await bulk._plan(FakeJob(FakeSitemaps({f"{HOST}/a.xml": None})), [f"{HOST}/a.xml"])
    with pytest.raises(InvalidQuery, match=r"https://e\.org/a\.xml lists no pages"):
        await bulk._plan(FakeJob(FakeSitemaps({f"{HOST}/a.xml": []})), [f"{HOST}/a.xml"])


async def test_a_sitemap_may_name_a_bounded_number_of_others(monkeypatch):
    """It may be endless."""
    monkeypatch.setattr(bulk, "MAX_SITEMAPS", 3)
    names = [f"{HOST}/{n}.xml" for n in range(5)]
    maps = FakeSitemaps({f"{HOST}/index.xml": names, **{n: [f"{n}/page"] for n in names}})
    (shard,) = await bulk._plan(FakeJob(maps), [f"{HOST}/index.xml"])

    assert shard["files"] == [f"{HOST}/0.xml/page", f"{HOST}/1.xml/page"]
    assert len(maps.fetched) == 3
