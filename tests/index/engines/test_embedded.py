"""The embedded engine: its files, the room it asks for, and what it does after a failure."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import qdrant_edge as edge

from kensaku.errors import IndexFault
from kensaku.index.engines.base import Engine, Entry, EntryFilter, open_engine


def _entry(n: int, **payload: object) -> Entry:
    return Entry(f"{n:032x}", {"text": f"text {n}", **payload}, [n], [1.0])


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_engine(tmp_path)
    opened.create("docs", None)
    yield opened
    opened.close()


class Disk:
    """A disk whose free bytes a test sets: filling a real one takes root."""

    free = 10**12


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: made)
    return made


def test_what_a_killed_process_left_is_removed_and_not_listed(engine, tmp_path):
    """Half a collection is none."""
    half, trash = tmp_path / "collections" / "half", tmp_path / "collections" / ".trash-1"
    half.mkdir()
    assert engine.collections() == ["docs"]
    engine.close()
    (trash / "wal").mkdir(parents=True)

    again = open_engine(tmp_path)
    assert again.collections() == ["docs"]
    again.close()

    assert not trash.exists()
    assert half.exists()


def test_nothing_is_written_unless_it_fits_on_the_disk(engine, disk):
    """A full disk would end the process: the engine writes through memory maps.

    What was acknowledged before is there afterwards, and with room it goes on.
    """
    entries = [_entry(n) for n in range(1, 4)]
    engine.write("docs", entries[:1], flush=False)
    changes = [
        lambda: engine.create("more", None),
        lambda: engine.write("docs", entries),
        lambda: engine.write("docs", [], [entries[0].id]),
        lambda: engine.optimize("docs"),
    ]
    disk.free = 50_000_000
    for change in changes:
        with pytest.raises(IndexFault, match="there is no room left to write collection"):
            change()
    assert engine.collections() == ["docs"]
    assert list(engine.get("docs", [e.id for e in entries])) == [entries[0].id]

    disk.free = 10**12
    for change in changes:
        change()
    assert engine.collections() == ["docs", "more"]
    assert engine.count_passages("docs") == 2


def test_a_batch_asks_for_room_by_its_size(engine, disk):
    """What fits for one passage does not for ten thousand."""
    disk.free = 100_000_000
    engine.write("docs", [_entry(1)])

    with pytest.raises(IndexFault, match="there is no room left"):
        engine.write("docs", [_entry(n) for n in range(10_000)])

    assert engine.count_passages("docs") == 1


def test_a_large_collection_is_filtered_like_a_small_one(engine):
    """It has indexes for its fields, which a small one does without."""
    for start in range(1, 10_001, 5_000):
        engine.write(
            "docs",
            [
                Entry(f"{n:032x}", {"site": [f"{n % 500}.example"], "day": n, "language": "en"},
                      [1], [1.0])
                for n in range(start, start + 5_000)
            ],
            flush=False,
        )  # fmt: skip
    conditions = [
        (EntryFilter(sites=("7.example",)), 20),
        (EntryFilter(sites=("7.example",), first_day=5_001), 10),
        (EntryFilter(sites=("7.example",), language="en", last_day=507), 2),
        (EntryFilter(first_day=9_990), 11),
        (EntryFilter(language="de"), 0),
    ]

    for _ in range(2):
        for condition, found in conditions:
            assert len(engine.search_terms("docs", {1: 1.0}, 99, condition)) == found, condition
        engine.optimize("docs")


def test_a_dropped_collection_leaves_nothing(engine, tmp_path):
    """And a new one of its name is empty."""
    engine.write("docs", [_entry(1)])
    engine.drop("docs")

    assert list((tmp_path / "collections").iterdir()) == []
    engine.create("docs", None)
    assert engine.count_passages("docs") == 0


def test_a_passage_that_lost_its_text_is_listed_without_it(engine, tmp_path):
    """So that the others can be saved."""
    engine.write("docs", [_entry(1), _entry(2)])
    engine.close()
    shard = edge.EdgeShard.load(str(tmp_path / "collections" / "docs"))
    shard.update(edge.UpdateOperation.clear_payload([_entry(1).id]))
    shard.close()

    again = open_engine(tmp_path)
    page, more = again.scroll("docs", None, 5)
    with pytest.raises(IndexFault):
        again.get("docs", [_entry(1).id])
    again.close()

    assert [payload for _, payload in page] == [{}, {"text": "text 2"}]
    assert more is None


@pytest.mark.parametrize("vectors", ["none", "at first", "later"])
def test_what_is_deleted_gives_its_disk_back(engine, vectors):
    """Few passages or most of them; those that stay are as they were, and can be replaced."""
    vector = None if vectors == "none" else [1.0, 0.0, 0.0, 0.0]
    entries = {f"{n:032x}": _entry(n, note=f"{n} " * 500)._replace(vector=vector)
               for n in range(1, 1_201)}  # fmt: skip
    ids = list(entries)
    engine.create("many", 4 if vectors == "at first" else None)
    if vectors == "later":
        engine.add_vectors("many", 4)
    engine.write("many", list(entries.values()))
    engine.optimize("many")
    full = engine.disk_bytes("many")

    engine.write("many", [], ids[:150])
    engine.optimize("many")
    fewer = engine.disk_bytes("many")
    engine.write("many", [], ids[150:1_150])
    engine.optimize("many")

    assert fewer < 0.95 * full
    assert engine.disk_bytes("many") < 0.15 * full
    left = engine.get("many", ids)
    assert left == {id: entries[id].payload for id in ids[1_150:]}
    assert vector is None or len(engine.get_vectors("many", ids)) == 50
    assert engine.search_terms("many", {1_200: 1.0}, 5, EntryFilter())[0].id == ids[-1]
    engine.write("many", [_entry(1_200, note="new")], ids[1_150:1_151])
    changed = engine.get("many", [ids[1_150], ids[-1]])
    assert {id: p["note"] for id, p in changed.items()} == {ids[-1]: "new"}


def test_a_rewrite_that_a_kill_interrupted_is_finished(tmp_path):
    """The new copy is complete when it has its name; the old one is there, or gone already."""
    home = tmp_path / "collections"
    for old in (True, False):
        engine = open_engine(tmp_path)
        if old:
            engine.create("docs", None)
            engine.write("docs", [_entry(1)])
        engine.close()
        (shutil.copytree if old else shutil.move)(home / "docs", home / ".ready-docs")

        again = open_engine(tmp_path)
        assert again.collections() == ["docs"]
        assert again.get("docs", [_entry(1).id])
        again.close()

        assert [p.name for p in home.iterdir()] == ["docs"]
