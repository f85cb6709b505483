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
from kensaku.jobs.sources import jsonl

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
