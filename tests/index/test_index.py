"""The index as a program sees it: add, search, filter, delete, export."""

from __future__ import annotations

import stat

import pytest

from kensaku.errors import ConfigError
from kensaku.index import AddResult, Index
from kensaku.models import Document, ProgressEvent
from tests.index.animals import ALL, HERONS, OTTERS, urls


async def test_what_was_added_is_found(index):
    """The shortest way through the whole index."""
    assert await index.add(ALL, collection="docs") == AddResult(added=4)

    hits = await index.search("otters eating fish", collections="docs")

    assert urls(hits)[:2] == [OTTERS.url, HERONS.url]
    assert hits[0].title == "Otters"
    assert hits[0].content == OTTERS.text
    assert hits[0].published == "2024-03-01"
    assert hits[0].provider == "local"
    assert 1 >= hits[0].score > hits[1].score > 0


async def test_an_index_needs_one_place():
    """A directory or a server, not both and not neither."""
    with pytest.raises(ConfigError):
        Index()
    with pytest.raises(ConfigError):
        Index("somewhere", url="http://localhost:6333")


async def test_a_snapshot_opens_as_an_index(index, tmp_path):
    """A copy for another machine, or for tomorrow."""
    await index.add(ALL, collection="docs")

    await index.snapshot(tmp_path / "copy")

    async with Index(tmp_path / "copy", idle_timeout=0) as copy:
        assert urls(await copy.search("otters"))[0] == OTTERS.url


async def test_the_index_is_private(index, tmp_path):
    """What an agent reads is nobody else's business (directories 0700, files 0600)."""
    await index.add(ALL)

    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


async def test_progress_counts_up_to_all(index):
    """What is reported as done is durable."""
    events: list[ProgressEvent] = []
    many = [Document(f"https://e.org/{n}", "", f"word{n}") for n in range(1200)]

    await index.add(many, collection="many", progress=events.append)

    assert events == [ProgressEvent("indexing many", done, 1200) for done in (500, 1000, 1200)]


async def test_a_snapshot_holds_collections_that_were_not_opened(index, tmp_path):
    """A process that has just started has not opened any of them."""
    await index.add(ALL, collection="docs")
    await index.close()

    async with Index(tmp_path / "index", idle_timeout=0) as reopened:
        await reopened.snapshot(tmp_path / "copy")

    async with Index(tmp_path / "copy", idle_timeout=0) as copy:
        assert urls(await copy.search("otters"))[0] == OTTERS.url


async def test_a_snapshot_does_not_fill_the_disk_with_holes(index, tmp_path):
    """The engine allocates 130 MB for a collection that needs a few kilobytes."""
    await index.add(ALL)

    await index.snapshot(tmp_path / "copy")

    files = [p.stat() for p in (tmp_path / "copy").rglob("*") if p.is_file()]
    original = [p.stat() for p in (tmp_path / "index" / "collections").rglob("*") if p.is_file()]
    assert sum(f.st_size for f in files) == sum(f.st_size for f in original)
    assert sum(f.st_blocks * 512 for f in files) < 5_000_000
