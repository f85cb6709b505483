"""The embedded engine: its files, the room it asks for, and what it does after a failure."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from kensaku.errors import IndexFault
from kensaku.index.engines import embedded
from kensaku.index.engines.base import Entry, EntryFilter
from kensaku.index.engines.embedded import EmbeddedEngine
from kensaku.index.worker.lock import DirectoryLock

MIN_FREE = 80_000_000


def _entry(n: int, **options) -> Entry:
    return Entry(f"{n:032x}", {"text": f"text {n}"}, [n], [1.0], **options)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "index"


@pytest.fixture
def engine(home: Path) -> Iterator[EmbeddedEngine]:
    opened = EmbeddedEngine(home)
    yield opened
    opened.close()


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The free bytes of the disk, which a test may change."""
    disk = SimpleNamespace(free=10**12)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)
    return disk


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize(
    ("dimensions", "vectors", "segments", "kilobytes"),
    [
        (None, {}, 1_000, 32_000),
        (3, {"dense": {"size": 3, "distance": "Cosine", "memory": "cold", "datatype": "float16"}},
         2, 80_000),
    ],
)  # fmt: skip
def test_a_collection_is_a_directory_of_its_owner(
    engine, home, dimensions, vectors, segments, kilobytes
):
    """Made whole, with the settings that its size needs."""
    engine.create("docs", dimensions)

    collection = home / "collections" / "docs"
    assert [_mode(p) for p in (home, home / "collections", collection)] == [0o700] * 3
    assert [p.name for p in (home / "collections").iterdir()] == ["docs"]
    stored = json.loads((collection / "edge_config.json").read_text())
    optimizers = {k: v for k, v in stored.pop("optimizers").items() if v is not None}
    assert stored == {
        "vectors": vectors,
        "sparse_vectors": {"words": {"memory": "cold", "modifier": "idf", "datatype": "float16"}},
    }
    assert optimizers == {
        "default_segment_number": segments,
        "max_segment_size": kilobytes,
        "indexing_threshold": 1_000,
    }


def test_what_a_killed_process_left_is_removed_and_not_listed(engine, home):
    """Half a collection is none."""
    engine.create("docs", None)
    half = home / "collections" / "half"
    half.mkdir()
    assert engine.collections() == ["docs"]
    engine.close()
    trash = home / "collections" / ".trash-1"
    (trash / "wal").mkdir(parents=True)

    again = EmbeddedEngine(home)
    assert again.collections() == ["docs"]
    again.close()

    assert not trash.exists()
    assert half.exists()


def test_vectors_are_added_to_a_collection_that_has_none(engine, home):
    """They are there when it is opened again."""
    engine.create("docs", None)
    engine.write("docs", [_entry(1)])
    engine.add_vectors("docs", 2)
    engine.write("docs", [_entry(2, vector=[3.0, 4.0])])
    engine.close()

    again = EmbeddedEngine(home)
    [found] = again.search_vector("docs", [0.6, 0.8], 5, EntryFilter())
    again.close()

    assert int(found.id, 16) == 2
    assert found.score == pytest.approx(1.0, abs=1e-3)


def test_nothing_is_written_unless_it_fits_on_the_disk(engine, free):
    """A full disk would end the process; at the bound itself it fits."""
    entries = [_entry(n) for n in range(1, 4)]
    work = [
        (MIN_FREE, lambda: engine.create("docs", None)),
        (MIN_FREE + 3 * 20_000, lambda: engine.write("docs", entries)),
        (MIN_FREE, lambda: engine.write("docs", [], [entries[0].id])),
        (2 * MIN_FREE, lambda: engine.optimize("docs")),
    ]
    for needed, call in work:
        free.free = needed - 1
        with pytest.raises(IndexFault, match="there is no room left to write collection 'docs'"):
            call()
        free.free = needed
        call()

    assert engine.count_passages("docs") == 2


def test_after_a_failed_write_the_collection_is_loaded_anew(engine, free):
    """What was acknowledged is in its log."""
    engine.create("docs", None)
    engine.write("docs", [_entry(1)], flush=False)
    before = engine._shards["docs"]
    free.free = 0
    with pytest.raises(IndexFault):
        engine.write("docs", [_entry(2)])
    assert engine._shards == engine._pending == {}

    free.free = 10**12
    assert [int(id, 16) for id in engine.get("docs", [_entry(1).id, _entry(2).id])] == [1]
    assert engine._shards["docs"] is not before


def test_a_read_that_fails_does_not_unload_a_collection(engine):
    """Only a write may leave a shard half done."""
    engine.create("docs", None)
    engine.write("docs", [_entry(1)])
    with pytest.raises(IndexFault):
        engine.search_vector("docs", [1.0], 1, EntryFilter())

    assert list(engine._shards) == ["docs"]


class Counting(EmbeddedEngine):
    """Counts how often it optimises."""

    optimized = 0

    def optimize(self, collection: str) -> None:
        self.optimized += 1
        super().optimize(collection)


def test_a_collection_is_optimised_after_so_many_passages(home, monkeypatch):
    """Written and removed ones count, since the last time."""
    monkeypatch.setattr(embedded, "OPTIMIZE_EVERY", 4)
    engine = Counting(home)
    engine.create("docs", None)
    seen = []
    for written, removed in ((2, 0), (1, 0), (0, 1), (3, 0), (0, 1)):
        engine.write(
            "docs",
            [_entry(n + 1) for n in range(written)],
            [_entry(9 - n).id for n in range(removed)],
        )
        seen.append(engine.optimized)
    engine.close()

    assert seen == [0, 0, 1, 1, 2]


def test_field_indexes_are_made_for_large_collections_only(engine, monkeypatch):
    """Once; searches by each field still find the same."""
    monkeypatch.setattr(embedded, "FIELD_INDEX_FROM", 3)
    engine.create("docs", None)
    payload = {"text": "x", "site": ["a.example"], "language": "en", "day": 7}
    schemas = []
    for n in (1, 2, 3, 4):
        engine.write("docs", [Entry(f"{n:032x}", payload, [1], [1.0])])
        engine.optimize("docs")
        schemas.append(sorted(engine._shards["docs"].info().payload_schema))

    assert schemas == [[], [], ["day", "language", "site"], ["day", "language", "site"]]
    for condition, found in (
        (EntryFilter(sites=("a.example",), language="en", first_day=7, last_day=7), 4),
        (EntryFilter(sites=("b.example",)), 0),
        (EntryFilter(language="de"), 0),
        (EntryFilter(first_day=8), 0),
    ):
        assert len(engine.search_terms("docs", {1: 1.0}, 9, condition)) == found


def test_a_snapshot_is_an_index_of_its_own(engine, tmp_path):
    """With what was written a moment ago; collections that nobody has opened are copied, too."""
    engine.create("closed", None)
    engine.create("docs", None)
    engine.write("docs", [_entry(1)], flush=False)
    target = tmp_path / "backups" / "today"

    engine.snapshot(target)
    engine.write("docs", [_entry(2)])

    assert _mode(target) == 0o700
    copy = EmbeddedEngine(target)
    assert copy.collections() == ["closed", "docs"]
    assert copy.count_passages("docs") == 1
    copy.close()


def test_the_size_on_disk_is_what_is_allocated(engine, home):
    """Not the sizes of the files, which are mostly holes."""
    engine.create("docs", None)
    engine.write("docs", [_entry(1)])
    files = [p for p in (home / "collections" / "docs").rglob("*") if p.is_file()]

    size = engine.disk_bytes("docs")

    assert 0 < size < sum(p.stat().st_size for p in files)


def test_a_dropped_collection_leaves_nothing(engine, home):
    """And a new one of its name is empty."""
    engine.create("docs", None)
    engine.write("docs", [_entry(1)])
    engine.drop("docs")

    assert list((home / "collections").iterdir()) == []
    engine.create("docs", None)
    assert engine.count_passages("docs") == 0


def test_closing_gives_the_directory_back(engine, home):
    """A lock that the caller has acquired already is used as it is."""
    assert engine.foreign is None
    other = DirectoryLock(home)
    with pytest.raises(IndexFault):
        other.acquire(timeout=0)
    engine.close()
    other.acquire(timeout=0)

    second = EmbeddedEngine(home, lock=other)
    second.close()

    third = DirectoryLock(home)
    third.acquire(timeout=0)
    third.release()


def test_a_directory_that_cannot_be_made_is_a_sentence(tmp_path):
    """A file is in its way."""
    (tmp_path / "file").touch()

    with pytest.raises(IndexFault, match="the index at "):
        EmbeddedEngine(tmp_path / "file" / "index")


def test_a_passage_that_lost_its_text_is_listed_without_it(engine):
    """So that the others can be saved."""
    engine.create("docs", None)
    engine.write("docs", [_entry(1), _entry(2)])
    shard = engine._shards["docs"]
    shard.update(embedded.edge.UpdateOperation.clear_payload([_entry(1).id]))

    page, more = engine.scroll("docs", None, 5)

    assert [payload for _, payload in page] == [{}, {"text": "text 2"}]
    assert more is None
    with pytest.raises(IndexFault):
        engine.get("docs", [_entry(1).id])
