"""Batches of bulk indexing: where they end, and where the next begins."""

from __future__ import annotations

import json

import pytest

from kensaku.jobs.batch import BatchReader, _from_page
from kensaku.jobs.sources import Rejected, Shard, plan_shards
from kensaku.models import Document, Page


def lines(file, rows: list[dict]) -> Shard:
    file.write_text("\n".join(map(json.dumps, rows)))
    (shard,) = plan_shards([str(file)])
    return shard


def document(n: int, text: str = "text") -> dict:
    return {"url": f"https://a.example/{n}", "text": text}


def sizes(reader: BatchReader) -> list[tuple[int, bool]]:
    """The records of each batch, and whether it is the last."""
    found, position, end = [], 0, False
    while not end:
        items, end = reader.read(position)
        position += len(items)
        found.append((len(items), end))
    return found


@pytest.mark.parametrize(
    ("count", "batches"),
    [
        (399, [(399, True)]),
        (400, [(400, False), (0, True)]),
        (401, [(400, False), (1, True)]),
        (0, [(0, True)]),
    ],
)
def test_a_batch_has_400_records(tmp_path, count, batches):
    """Small enough to be repeated after a kill."""
    shard = lines(tmp_path / "d.jsonl", [document(n) for n in range(count)] or [])

    assert sizes(BatchReader(shard)) == batches


@pytest.mark.parametrize(
    ("size", "batches"),
    [(4_000_000, [(2, False), (1, True)]), (3_999_999, [(3, False), (0, True)])],
)
@pytest.mark.parametrize("field", ["text", "html"])
def test_a_batch_has_eight_megabytes(tmp_path, size, field, batches):
    """Of text, or of pages that have still to be extracted."""
    rows = [{"url": f"https://a.example/{n}", field: "x" * size} for n in range(3)]

    assert sizes(BatchReader(lines(tmp_path / "d.jsonl", rows))) == batches


def test_a_batch_of_a_sitemap_has_20_addresses():
    """As many as one call fetches."""
    shard = Shard("sitemap", tuple(f"https://a.example/{n}" for n in range(41)), 41)

    assert sizes(BatchReader(shard)) == [(20, False), (20, False), (1, True)]


def test_a_reader_begins_at_any_record(tmp_path):
    """After a kill, or when a batch is done again."""
    shard = lines(tmp_path / "d.jsonl", [document(n) for n in range(1_000)])
    reader = BatchReader(shard)

    first, second, again = (reader.read(position)[0] for position in (0, 400, 400))
    last, end = BatchReader(shard).read(990)

    assert [item.record.url for item in (first[0], second[0], again[0], last[0])] == [
        f"https://a.example/{n}" for n in (0, 400, 400, 990)
    ]
    assert (len(last), end) == (10, True)
    reader.close()
    reader.close()


def page(title: str = "", text: str = "Text.", **more: object) -> Page:
    return Page("file:///a/b.txt", title, text, text, **more)


@pytest.mark.parametrize(
    ("made", "where", "title"),
    [
        (page(), "file:///a/b.txt", "b.txt"),
        (page("Title"), "file:///a/b.txt", "Title"),
        (page(), "https://a.example/b.txt", ""),
    ],
)
def test_a_file_without_a_title_has_its_name(made, where, title):
    """A page of the web without one has none."""
    document = _from_page(made, where)

    assert isinstance(document, Document)
    assert document.title == title


@pytest.mark.parametrize("made", [page(text=" \n"), page(needs_browser=True)])
def test_a_page_without_text_is_rejected(made):
    """With the reason that the summary counts."""
    assert _from_page(made, "file:///a/b.txt") == Rejected("without text", "file:///a/b.txt")
