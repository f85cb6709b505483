"""Batches of bulk indexing: where they end, and where the next begins."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.errors import PageUnavailable, Unparsable
from kensaku.index import AddResult
from kensaku.jobs import batch
from kensaku.jobs.batch import BatchReader, Ingest, _from_page
from kensaku.jobs.sources import Address, RawPage, Rejected, Shard, plan_shards
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


class FakeParser:
    """Extracts what is UTF-8."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Page:
        if data == b"\xff":
            raise Unparsable("no")
        return Page(f"{url}#found", f"of {content_type}", data.decode(), canonical_url="https://c/")


class FakeClient:
    """Fetches what is not gone; its index takes all, and fails as often as it is told."""

    def __init__(self) -> None:
        self.index = self
        self.added: list[Any] = []
        self.asked: list[Any] = []
        self.fails = 0

    async def extract(self, urls: list[str]) -> Any:
        self.asked.append(urls)
        gone = [url for url in urls if "gone" in url]
        pages = [Page(url, "Title", "Text.") for url in urls if url not in gone]
        failed = [(url, PageUnavailable("404")) for url in gone]
        return SimpleNamespace(results=pages, failed=failed)

    async def add(self, documents: list[Document], *, collection: str) -> AddResult:
        if self.fails:
            self.fails -= 1
            raise OSError("away")
        self.added.append((collection, documents))
        return AddResult(1, 2, 3)


async def test_a_batch_tells_what_became_of_its_records(tmp_path):
    """Counts, reasons, the first five that were rejected, and where to go on."""
    rows = [
        document(0),
        {"url": "https://a.example/p", "html": "Otters."},
        {"url": "https://a.example/e", "html": " "},
        *[{"title": "no address"}] * 6,
    ]
    client = FakeClient()
    reader = BatchReader(lines(tmp_path / "d.jsonl", rows))
    found = await Ingest(client, FakeParser(), "c").batch(reader, 0)

    ((collection, documents),) = client.added
    assert collection == "c"
    assert [(d.url, d.title, d.text) for d in documents] == [
        ("https://a.example/0", "", "text"),
        ("https://a.example/p", "of text/html", "Otters."),
    ]
    examples, reasons = found.pop("examples"), found.pop("reasons")
    assert found == {
        "position": 9, "end": True, "done": reader.shard.size, "documents": 2, "added": 1,
        "updated": 2, "unchanged": 3, "rejected": 7,
    }  # fmt: skip
    assert len(examples) == 5
    assert examples[0] == {"where": "https://a.example/e", "why": "without text"}
    assert sorted(reasons.values()) == [1, 6]
    assert reasons["without text"] == 1
    assert reader._items is None


async def test_what_the_parser_refuses_is_rejected():
    """With the kind of its error, which says nothing of the page."""
    ingest = Ingest(FakeClient(), FakeParser(), "c")
    made = await ingest._documents([RawPage("https://a.example/x", b"\xff", "text/html")])

    assert made == [Rejected("not extracted (Unparsable)", "https://a.example/x")]


async def test_addresses_are_fetched_in_one_call():
    """What cannot be had is rejected, and the rest is added."""
    urls = ("https://a.example/1", "https://a.example/gone", "https://a.example/2")
    client = FakeClient()
    reader = BatchReader(Shard("sitemap", urls, 3))
    found = await Ingest(client, FakeParser(), "c").batch(reader, 1)

    assert client.asked == [list(urls[1:])]
    assert [d.url for _, documents in client.added for d in documents] == [urls[2]]
    assert found == {
        "position": 3, "end": True, "done": 3, "documents": 1, "added": 1, "updated": 2,
        "unchanged": 3, "rejected": 1, "reasons": {"not fetched (PageUnavailable)": 1},
        "examples": [{"where": urls[1], "why": "not fetched (PageUnavailable)"}],
    }  # fmt: skip


async def test_a_batch_in_the_middle_says_how_far_it_is():
    """In the measure of its shard; an address is cut off at 300 characters in an example."""
    urls = tuple(f"https://a.example/gone/{n}/{'x' * 300}" for n in range(41))
    client = FakeClient()
    reader = BatchReader(Shard("sitemap", urls, 41))
    found = await Ingest(client, FakeParser(), "c").batch(reader, 0)

    assert (found["position"], found["end"], found["done"]) == (20, False, 20)
    assert [found[name] for name in ("documents", "added", "updated", "unchanged")] == [0] * 4
    assert client.added == []  # nothing is written for nothing
    assert found["examples"][0]["where"] == urls[0][:300]


async def test_a_batch_that_fails_closes_its_file(tmp_path):
    """The next attempt reads the same records."""
    client = FakeClient()
    client.fails = 1
    reader = BatchReader(lines(tmp_path / "d.jsonl", [document(n) for n in range(401)]))
    ingest = Ingest(client, FakeParser(), "c")

    with pytest.raises(OSError, match="away"):
        await ingest.batch(reader, 0)
    assert reader._items is None
    assert (await ingest.batch(reader, 0))["position"] == 400
    assert len(client.added[0][1]) == 400
    reader.close()


def test_a_reader_goes_on_where_it_is(monkeypatch):
    """A file is not read again from its beginning for each batch of it."""
    opened, read = [], batch.records_of

    def records(shard):
        opened.append(shard)
        return read(shard)

    monkeypatch.setattr(batch, "records_of", records)
    shard = Shard("sitemap", tuple(f"https://a.example/{n}" for n in range(61)), 61)
    reader = BatchReader(shard)
    firsts = [reader.read(position)[0][0].done for position in (0, 20, 40)]
    assert (firsts, len(opened)) == ([1, 21, 41], 1)
    assert reader.read(20)[0][0].done == 21
    assert len(opened) == 2
    reader.close()
    assert reader.read(40)[0][0].done == 41
    assert len(opened) == 3
    reader.close()


@pytest.mark.parametrize(
    ("record", "size"),
    [
        (Document("u:1", "", "12345"), 5),
        (RawPage("u:1", b"123", ""), 3),
        (Address("u:1"), 0),
        (Rejected("no", "u:1"), 0),
    ],
)
def test_the_size_of_a_record_is_that_of_its_text(record, size):
    """What has none costs nothing."""
    assert batch._size(record) == size
