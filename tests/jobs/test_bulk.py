"""Bulk indexing: every document once, whatever happens to the process on the way."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace

import pytest

from kensaku import Kensaku
from kensaku.errors import InvalidQuery
from kensaku.jobs import Jobs
from tests.jobs.conftest import expire_leases

WORDS = "otter river stone water fish bank night moon reed wind boat rain mud".split()
COUNTS = ("documents", "added", "updated", "unchanged", "rejected")


def write_documents(file, n, *, first=0, changed=()):
    """Documents of about 2 kB, some lines of which are no documents."""
    chance = random.Random(7)
    with file.open("w") as out:
        for i in range(first, first + n):
            text = " ".join(chance.choices(WORDS, k=300)) + (" changed" if i in changed else "")
            row = {"url": f"https://e.org/{i}", "title": f"Document {i}", "text": text}
            out.write(json.dumps(row) + "\n")
            if i % 20 == 0:
                out.write("not a document\n")


async def run_bulk(jobs, *sources):
    arguments = {"sources": [str(s) for s in sources], "collection": "bulk"}
    return await jobs.wait(await jobs.submit("bulk", arguments, operator=True))


async def checked(settings):
    """The documents of the collection, each of which is whole."""
    async with Kensaku(settings) as k:
        result = (await k.index.check("bulk"))["bulk"]
    assert result["problem"] is None
    return result["documents"]


async def test_what_has_not_changed_is_not_written_again(running, settings, tmp_path):
    """Exactly once, by the hash of the content; of what is no document, twenty are named."""
    long, short = tmp_path / "long.jsonl", tmp_path / "short.jsonl"
    write_documents(long, 500)
    write_documents(short, 100, first=500)
    first = await run_bulk(running, tmp_path / "*.jsonl")
    write_documents(short, 110, first=500, changed={503, 505})
    second = await run_bulk(running, tmp_path / "*.jsonl")

    assert (first.status, first.error) == (second.status, second.error) == ("done", None)
    assert [first.result[n] for n in COUNTS] == [600, 600, 0, 0, 30]
    assert [second.result[n] for n in COUNTS] == [610, 10, 2, 598, 31]
    assert first.result["reasons"] == {"not JSON": 30}
    where = [example["where"] for example in first.result["examples"]]
    assert len(set(where)) == len(where) <= 20
    assert all(one.startswith((long.as_uri(), short.as_uri())) for one in where)
    assert first.progress.documents == 600
    assert first.progress.done == first.progress.total > 0
    assert await checked(settings) == 610


async def test_pages_are_extracted_and_hostile_ones_counted(running, settings, tmp_path):
    """A page that the parser refuses is one of the rejected; a file without a title has its name."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "good.html").write_text(
        "<title>Otters</title><main><p>Otters live near rivers, and hold hands.</p></main>"
    )
    (folder / "empty.html").write_text("<html></html>")
    (folder / "deep.html").write_text("<div>" * 200_000 + "x")
    (folder / "binary.bin").write_bytes(bytes(range(256)) * 100)
    (folder / "notes.csv").write_text("animal,home\nbadger,sett\n")
    (folder / "more.jsonl").write_text('{"url": "https://e.org/", "text": "One more."}\n')

    job = await run_bulk(running, folder)
    nothing = await run_bulk(running, folder / "empty.html")

    async with Kensaku(settings) as k:
        otters = await k.index.search("otters hands", collections="bulk")
        badgers = await k.index.search("badger sett", collections="bulk")
    assert otters[0].url == (folder / "good.html").as_uri()
    assert (badgers[0].url, badgers[0].title) == ((folder / "notes.csv").as_uri(), "notes.csv")
    assert job.result["documents"] + job.result["rejected"] == 6
    assert job.result["reasons"]["without text"] >= 1
    assert [nothing.result[n] for n in COUNTS] == [0, 0, 0, 0, 1]


def sitemap(kind: str, *urls: str) -> tuple[int, dict[str, str], bytes]:
    inner = "".join(f"<{kind}><loc>{url}</loc></{kind}>" for url in urls)
    root = "sitemapindex" if kind == "sitemap" else "urlset"
    return 200, {"Content-Type": "application/xml"}, f"<{root}>{inner}</{root}>".encode()


async def test_a_sitemap_is_fetched_as_a_crawl_is(running, site):
    """With the sitemaps that it names, each page once; what cannot be had is counted."""
    u = site.url
    site.pages |= {
        "/all.xml": sitemap("sitemap", f"{u}a.xml", f"{u}gone.xml", f"{u}b.xml", f"{u}all.xml"),
        "/a.xml": sitemap("url", f"{u}p1", f"{u}p2"),
        "/b.xml": sitemap("url", f"{u}p2", f"{u}p3", f"{u}p999"),
        "/none.xml": sitemap("url"),
    }
    names = ("all.xml", "gone.xml", "none.xml")
    listed, gone, none = [await run_bulk(running, f"{u}{name}") for name in names]

    assert listed.result["documents"] == 3
    assert listed.result["reasons"] == {"not fetched (PageUnavailable)": 1}
    assert listed.result["examples"][0]["where"] == f"{u}p999"
    assert max(site.fetched()[path] for path in ("/p1", "/p2", "/p3", "/a.xml", "/all.xml")) == 1
    assert gone.status == none.status == "failed"
    assert "404" in gone.error
    assert f"{u}none.xml" in none.error


@pytest.mark.parametrize("source", ["{}/d.jsonl", "s3://bucket/x", "file:///etc/passwd"])
async def test_files_are_for_the_operator(settings, tmp_path, source):
    """A tenant that could name a file could read it."""
    (tmp_path / "d.jsonl").write_text("")
    with pytest.raises(InvalidQuery):
        await Jobs(settings).submit("bulk", {"sources": [source.format(tmp_path)]}, tenant="t")


@pytest.mark.parametrize("kind", "abfs adl az file gcs gs local memory s3 s3a".split())
async def test_a_password_is_not_stored_with_a_job(settings, kind):
    """Jobs are read by whoever may list them."""
    for user in ("me:hunter2", "hunter2"):
        source = f"{kind}://{user}@bucket/x"
        with pytest.raises(InvalidQuery) as refused:
            await Jobs(settings).submit("bulk", {"sources": [source]}, operator=True)
        assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_killed_in_a_shard_nothing_is_lost_and_nothing_is_twice(
    settings, tmp_path, run_process, database, request
):
    """Kills at random steps; on PostgreSQL a second process works beside those that are killed."""
    url = request.getfixturevalue("postgresql") if database == "postgresql" else ""
    settings = replace(settings, database_url=url)
    for n in range(4):
        write_documents(tmp_path / f"d{n}.jsonl", 600, first=n * 600)
    chance = random.Random(5)
    async with Jobs(settings) as jobs:
        arguments = {"sources": [str(tmp_path / "d*.jsonl")], "collection": "bulk"}
        id = await jobs.submit("bulk", arguments, operator=True)
        if url:
            await asyncio.to_thread(run_process, url, 1)
        for _ in range(2):
            process = await asyncio.to_thread(run_process, url)
            goal = (await jobs.get(id)).progress.documents + chance.randint(1, 550)
            async for job in jobs.events(id, poll=0.02):
                if job.progress.documents >= goal or job.finished:
                    break
            process.kill()
            if not url:  # nobody else has a lease
                await expire_leases(settings)
        await asyncio.to_thread(run_process, url)
        job = await jobs.wait(id)

    assert (job.status, job.error) == ("done", None)
    assert job.result["documents"] == 2_400
    assert job.result["updated"] == 0
    assert job.result["rejected"] == 120
    assert await checked(settings) == 2_400
