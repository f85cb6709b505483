"""Rows as records: documents, pages to extract, and the reason why a row is neither."""

from __future__ import annotations

import pytest

from kensaku.jobs.sources import RawPage, Rejected, plan_shards, records_of, sitemap
from kensaku.jobs.sources.record import to_record
from kensaku.models import Document

URL = "https://a.example/"
LONGEST = "https://a.example/" + "x" * (4_096 - 18)


@pytest.mark.parametrize(
    ("row", "record"),
    [
        ({"url": URL, "text": "T"}, Document(URL, "", "T")),
        *(({"url": URL, name: "T"}, Document(URL, "", "T")) for name in ("content", "contents", "body", "markdown")),
        ({"url": URL, "text": "T", "content": "no", "html": "no"}, Document(URL, "", "T")),
        (
            {"url": URL, "text": "T", "title": 5, "published": 2026, "language": "en", "metadata": {"a": 1}, "x": 1},
            Document(URL, "5", "T", published="2026", language="en", metadata={"a": 1}),
        ),
        ({"url": URL, "text": "T", "title": None, "metadata": None}, Document(URL, "", "T")),
        ({"url": URL, "html": "<p>é\ud800"}, RawPage(URL, "<p>é?".encode(), "text/html")),
        ({"url": URL, "raw_html": b"<p>"}, RawPage(URL, b"<p>", "text/html")),
        ({"url": URL, "html": 5}, Rejected("html is no text", "here")),
        ({"url": LONGEST, "text": "T"}, Document(LONGEST, "", "T")),
        ({"url": LONGEST + "x", "text": "T"}, Rejected("url too long", "here")),
        ({"url": " ", "text": "T"}, Rejected("without url", "here")),
    ],
)  # fmt: skip
def test_a_row_is_a_document_a_page_or_rejected(row, record):
    """The reasons are counted in the summary of the job."""
    assert to_record(row, "here") == record


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.jsonl", "jsonl"), ("a.ndjson", "jsonl"), ("A.JSONL.GZ", "jsonl"), ("a.jsonl.bz2", "jsonl"),
        ("a.jsonl.xz", "jsonl"), ("a.jsonl.zst", "jsonl"), ("a.parquet", "parquet"), ("a.warc", "warc"),
        ("a.warc.gz", "warc"), ("a.wet", "warc"), ("a.json", "files"), ("a.txt.gz", "files"), ("jsonl", "files"),
    ],
)  # fmt: skip
def test_a_format_is_told_by_the_name(name, format, tmp_path):
    """Under a compression, too."""
    (tmp_path / name).write_bytes(b"{}")

    assert [shard.format for shard in plan_shards([str(tmp_path / name)])] == [format]


@pytest.mark.parametrize(("count", "groups"), [(100, [100]), (101, [100, 1]), (1, [1])])
def test_a_hundred_files_are_a_shard(tmp_path, count, groups):
    """In the order of their names."""
    for n in range(count):
        (tmp_path / f"{n:03}.txt").write_text("text")

    shards = plan_shards([str(tmp_path)])

    assert [len(shard.files) for shard in shards] == groups
    assert [shard.size for shard in shards] == [4 * n for n in groups]
    assert shards[0].files[0].endswith("/000.txt")


def test_large_files_are_shards_of_their_own(tmp_path):
    """When they are over the bytes of a shard together."""
    for n, mebibytes in enumerate([30, 30, 30, 70, 1]):
        with (tmp_path / f"{n}.txt").open("wb") as file:
            file.truncate(mebibytes << 20)

    assert [len(shard.files) for shard in plan_shards([str(tmp_path)])] == [3, 1, 1]


def test_a_sitemap_is_shards_of_200_pages_each_once():
    """A page that is listed twice is fetched once."""
    pages = [f"https://a.example/{n}" for n in range(201)]

    shards = list(sitemap.shards([*pages, pages[0]]))

    assert [(s.format, len(s.files), s.size) for s in shards] == [
        ("sitemap", 200, 200),
        ("sitemap", 1, 1),
    ]
    assert [(item.record.url, item.done) for item in records_of(shards[0])][-1] == (pages[199], 200)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "text/markdown"), ("a.MARKDOWN", "text/markdown"), ("a.htm", "text/html"), ("a.html", "text/html"),
        ("a.xhtml", "text/html"), ("a.csv", "text/csv"), ("a.tsv", "text/tab-separated-values"),
        ("a.json", "application/json"), ("a.py", "text/plain"), ("html", "text/plain"),
    ],
)  # fmt: skip
def test_the_type_of_a_file_is_told_by_its_name(tmp_path, name, kind):
    """Text of any other name is read as it is: code is no HTML."""
    (tmp_path / name).write_text("é text")
    (shard,) = plan_shards([str(tmp_path / name)])

    ((record, done),) = records_of(shard)

    assert record == RawPage(f"file://{tmp_path / name}", "é text".encode(), kind)
    assert done == shard.size == 7
