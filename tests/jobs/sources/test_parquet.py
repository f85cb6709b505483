"""Parquet: which row groups are read together, and where each row stands."""

from __future__ import annotations

import sys

import pyarrow
import pyarrow.parquet
import pytest

from kensaku.errors import MissingExtra
from kensaku.jobs.sources import Item, Rejected, Shard, parquet
from kensaku.jobs.sources._files import File
from kensaku.jobs.sources.parquet import records, shards
from kensaku.models import Document


@pytest.fixture
def file(tmp_path):
    """Five rows in three groups, with a column that is no part of a document."""
    rows = [{"url": f"u:{n}", "text": f"text {n}", "language": "en", "x": n} for n in range(5)]
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=2)
    return File(f"file://{path}", path.stat().st_size)


def sizes(file):
    metadata = pyarrow.parquet.ParquetFile(file.url.removeprefix("file://")).metadata
    return [metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups)]


def test_groups_are_read_together_up_to_a_bound(file, monkeypatch):
    """The last ones are what is left."""
    one, two, three = sizes(file)

    def runs(bound):
        monkeypatch.setattr(parquet, "SHARD", bound)
        assert {(s.format, s.files) for s in shards(file)} == {("parquet", (file.url,))}
        return [(s.size, s.start, s.end) for s in shards(file)]

    assert runs(1 << 26) == [(one + two + three, 0, 3)]
    assert runs(one) == [(one, 0, 1), (two, 1, 2), (three, 2, 3)]
    assert runs(one + 1) == [(one + two, 0, 2), (three, 2, 3)]
    assert runs(one + two) == [(one + two, 0, 2), (three, 2, 3)]


def test_a_shard_is_64_mebibytes_of_which_few_rows_are_decoded():
    """A row may have megabytes."""
    assert (parquet.SHARD, parquet.ROWS) == (67_108_864, 64)


def test_rows_are_documents_with_their_share_of_the_bytes(file, monkeypatch):
    """In their order, however many are decoded at a time."""
    for rows in (1, 64):
        monkeypatch.setattr(parquet, "ROWS", rows)
        found = list(records(Shard("parquet", (file.url,), 90, 0, 2)))
        assert found == [
            Item(Document(f"u:{n}", "", f"text {n}", language="en"), 90 * (n + 1) // 4)
            for n in range(4)
        ]
    (last,) = records(Shard("parquet", (file.url,), 90, 2, 3))
    assert last == Item(Document("u:4", "", "text 4", language="en"), 90)


def test_a_row_that_cannot_be_used_is_named(tmp_path):
    """By its number within its groups."""
    path = tmp_path / "d.parquet"
    table = pyarrow.Table.from_pylist([{"url": "u:0", "text": "x"}, {"url": "", "text": "x"}])
    pyarrow.parquet.write_table(table, path)
    _, bad = records(Shard("parquet", (f"file://{path}",), 10, 0, 1))

    where = f"file://{path} row 2 of groups 0–1"
    assert bad == Item(Rejected("without url", where), 10)


def test_a_file_that_is_none_is_a_shard_that_says_so(tmp_path):
    """With all of its bytes."""
    path = tmp_path / "d.parquet"
    path.write_bytes(b"PAR1 not really")
    url = f"file://{path}"
    (shard,) = shards(File(url, 15))
    ((record, done),) = records(shard)

    assert shard == Shard("parquet", (url,), 15, 0, 1)
    assert (record, done) == (Rejected("unreadable (ArrowInvalid)", f"{url} after row 0"), 15)


@pytest.mark.parametrize(
    ("values", "long"),
    [
        ({"text": "12345", "html": b"12345", "metadata": {"a": "x" * 99}}, False),
        ({"text": "12345", "html": b"123456"}, True),
    ],
)
def test_a_record_has_a_bound(values, long, monkeypatch):
    """Of its texts together."""
    monkeypatch.setattr(parquet, "MAX_RECORD", 13)
    made = parquet._record({"url": "u:1", **values}, "here")

    assert (made == Rejected("record too long", "here")) is long


def test_without_its_package_the_extra_is_named(file, monkeypatch):
    """It is not the file's fault."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for read in (lambda: list(shards(file)), lambda: list(records(Shard("parquet", (file.url,))))):
        with pytest.raises(MissingExtra, match=r"kensaku\[bulk\]"):
            read()
