"""Rows as records: documents, pages to extract, and the reason why a row is neither."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.jobs.sources import RawPage, Rejected, Shard, plan_shards, records_of, sitemap
from kensaku.jobs.sources import plan as planning
from kensaku.jobs.sources._files import check_source, is_compressed
from kensaku.jobs.sources.plan import format_of
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
        ({"url": URL}, Rejected("without text", "here")),
        ({"url": URL, "text": " "}, Rejected("without text", "here")),
        ({"url": URL, "text": 5}, Rejected("without text", "here")),
        ({"url": " ", "text": "T"}, Rejected("without url", "here")),
        ({"url": 5, "text": "T"}, Rejected("without url", "here")),
        ({"text": "T"}, Rejected("without url", "here")),
        ([URL], Rejected("not an object", "here")),
        ({"url": URL, "text": "T", "metadata": "x"}, Rejected("metadata is no object", "here")),
    ],
)  # fmt: skip
def test_a_row_is_a_document_a_page_or_rejected(row, record):
    """The reasons are counted in the summary of the job."""
    assert to_record(row, "here") == record


def test_a_shard_comes_back_from_json():
    """It is stored between the steps of a job."""
    shard = Shard("jsonl", ("a", "b"), 5, 1, 6)

    assert shard.to_dict() == {
        "format": "jsonl",
        "files": ["a", "b"],
        "size": 5,
        "start": 1,
        "end": 6,
    }
    assert Shard.from_dict(shard.to_dict()) == shard


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.jsonl", "jsonl"), ("a.ndjson", "jsonl"), ("A.JSONL.GZ", "jsonl"), ("a.jsonl.bz2", "jsonl"),
        ("a.jsonl.xz", "jsonl"), ("a.jsonl.zst", "jsonl"), ("a.parquet", "parquet"), ("a.warc", "warc"),
        ("a.warc.gz", "warc"), ("a.wet", "warc"), ("a.json", "files"), ("a.txt.gz", "files"), ("jsonl", "files"),
    ],
)  # fmt: skip
def test_a_format_is_told_by_the_name(name, format):
    """Under a compression, too."""
    assert format_of(f"file:///data/{name}") == format


@pytest.mark.parametrize(
    ("name", "compressed"),
    [("a.gz", True), ("a.BZ2", True), ("a.xz", True), ("a.zst", True), ("a.gz.txt", False)],
)
def test_a_compressed_file_is_read_from_its_beginning(name, compressed):
    """It cannot be split."""
    assert is_compressed(name) is compressed


@pytest.mark.parametrize(("count", "groups"), [(100, [100]), (101, [100, 1]), (1, [1])])
def test_a_hundred_files_are_a_shard(tmp_path, count, groups):
    """In the order of their names."""
    for n in range(count):
        (tmp_path / f"{n:03}.txt").write_text("text")

    shards = plan_shards([str(tmp_path)])

    assert [len(shard.files) for shard in shards] == groups
    assert [shard.size for shard in shards] == [4 * n for n in groups]
    assert shards[0].files[0].endswith("/000.txt")


def test_large_files_are_shards_of_their_own(tmp_path, monkeypatch):
    """When they are over the bytes of a shard together."""
    monkeypatch.setattr(planning, "SHARD_BYTES", 10)
    for n, size in enumerate([5, 5, 1, 11, 3]):
        (tmp_path / f"{n}.txt").write_text("x" * size)

    assert [shard.size for shard in plan_shards([str(tmp_path)])] == [11, 11, 3]


@pytest.mark.parametrize(("most", "refused"), [(2, False), (1, True)])
def test_shards_are_bounded(tmp_path, monkeypatch, most, refused):
    """The table of parts stays short."""
    monkeypatch.setattr(planning, "MAX_SHARDS", most)
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text("{}")

    if refused:
        with pytest.raises(InvalidQuery, match="the sources have more than 1 shards"):
            plan_shards([str(tmp_path)])
    else:
        assert len(plan_shards([str(tmp_path)])) == 2


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


def test_a_file_that_is_gone_is_rejected(tmp_path):
    """Its name is in the summary."""
    url = f"file://{tmp_path}/gone ä.txt"

    ((record, done),) = records_of(Shard("files", (url,), 5))

    assert record == Rejected("unreadable (FileNotFoundError)", url)
    assert done == 0


@pytest.mark.parametrize(
    "source", ["/a", "a", "file:///a", "https://a.example/s.xml", "http://u@a.example/", "s3://b/c"]
)
def test_a_source_that_can_be_read_is_taken(source):
    """Paths, object stores, and addresses of sitemaps."""
    check_source(source)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("ftp://a.example/", "'ftp' is not a kind of source"),
        ("s3://user@bucket/a", "a source must not hold a user or a password: jobs are stored"),
    ],
)
def test_a_source_that_cannot_be_read_or_holds_a_password_is_refused(source, why):
    """Jobs are stored."""
    with pytest.raises(InvalidQuery) as refused:
        check_source(source)

    assert str(refused.value).startswith(why)
