"""Every record once, whatever the shards; hostile ones are counted, and cost no memory."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections import Counter

import fsspec
import pytest

from kensaku.errors import InvalidQuery
from kensaku.jobs.sources import Rejected, plan_shards, records_of
from kensaku.jobs.sources.record import MAX_RECORD


def rows(n):
    return [{"url": f"https://e.org/{i}", "title": f"t{i}", "text": f"text {i}"} for i in range(n)]


def lines(values):
    return "".join(json.dumps(v) + "\n" for v in values).encode()


def everything(*sources):
    shards = plan_shards(map(str, sources))
    return shards, [item.record for shard in shards for item in records_of(shard)]


def reasons(records):
    return Counter(r.reason for r in records if isinstance(r, Rejected))


def urls(records):
    return [r.url for r in records if not isinstance(r, Rejected)]


def test_hostile_lines_are_counted_and_the_others_are_read(tmp_path):
    """Nothing in a file is fatal."""
    good, file = rows(2), tmp_path / "d.jsonl"
    bad = [
        b"{not json",
        b"[" * 100_000,
        b'{"url": "https://e.org/latin", "text": "caf\xe9"}',
        b"[1, 2]",
        b'{"text": "no url"}',
        b'{"url": "https://e.org/x"}',
        b'{"url": "https://e.org/x", "text": "   "}',
        b'{"url": 7, "text": "x"}',
        b'{"url": "https://e.org/x", "text": ["a"]}',
        b'{"url": "https://e.org/x", "text": "a", "metadata": 5}',
        b'{"url": "' + b"u" * 5_000 + b'", "text": "a"}',
        b"",
    ]
    file.write_bytes(lines(good[:1]) + b"\n".join(bad) + b"\n" + lines(good[1:]))

    _, records = everything(file)

    assert urls(records) == ["https://e.org/0", "https://e.org/1"]
    assert reasons(records) == {
        "not JSON": 2,
        "wrong encoding": 1,
        "not an object": 1,
        "without url": 2,
        "without text": 3,
        "metadata is no object": 1,
        "url too long": 1,
    }


def test_a_line_that_never_ends_costs_no_memory(tmp_path):
    """A gzip bomb of one line: 120 MB in 120 kB."""
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb") as out:
        out.write(b'{"url": "https://e.org/0", "text": "first"}\n{"text": "')
        for _ in range(120):
            out.write(b"a" * 1_000_000)
        out.write(b'"}\n{"url": "https://e.org/1", "text": "last"}\n')

    tracemalloc.start()
    _, records = everything(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert urls(records) == ["https://e.org/0", "https://e.org/1"]
    assert reasons(records) == {"line too long": 1}
    assert peak < 100_000_000


def test_a_file_that_is_cut_off_gives_what_it_has(tmp_path):
    """A download that broke."""
    whole = gzip.compress(lines(rows(2_000)))
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])

    _, records = everything(tmp_path / "cut.jsonl.gz")

    assert len(urls(records)) > 100
    assert sum(reasons(records).values()) == 1


@pytest.mark.parametrize("name", ["d.jsonl.gz", "d.parquet", "d.warc"])
def test_a_file_that_is_not_what_it_is_called_is_one_rejected_record(name, tmp_path):
    """With all of its bytes: the job goes on with the others."""
    (tmp_path / name).write_bytes(b"nothing of the kind\n" * 1_000)
    (shard,) = plan_shards([str(tmp_path / name)])

    ((record, done),) = records_of(shard)

    assert isinstance(record, Rejected)
    assert done == shard.size == 20_000


# The writer does not close its temporary files.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_record_of_the_greatest_length_is_read_and_a_longer_one_is_not(tmp_path):
    """In every format."""
    import pyarrow
    import pyarrow.parquet
    from warcio.warcwriter import WARCWriter

    most = MAX_RECORD - 1_000  # a line counts with its names, a row with its address
    rows = [
        {"url": f"https://e.org/{n}", "text": "a" * size}
        for n, size in enumerate((most, MAX_RECORD + 1))
    ]
    table = pyarrow.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, tmp_path / "d.parquet")
    (tmp_path / "d.jsonl").write_bytes(lines(rows))
    with (tmp_path / "d.warc").open("wb") as out:
        writer = WARCWriter(out, gzip=False)
        for row in rows:
            body = io.BytesIO(row["text"].encode())
            writer.write_record(writer.create_warc_record(row["url"], "conversion", payload=body))
    for name in ("d.jsonl", "d.parquet", "d.warc"):
        _, records = everything(tmp_path / name)

        assert urls(records) == ["https://e.org/0"], name
        assert sum(reasons(records).values()) == 1, name


def test_object_stores_are_read_by_their_url():
    """fsspec knows them; here the one in memory."""
    with fsspec.open("memory://bucket/deep/d.jsonl.gz", "wb") as out:
        out.write(gzip.compress(lines(rows(3))))

    _, records = everything("memory://bucket/deep")

    assert len(urls(records)) == 3


@pytest.mark.parametrize(
    "source", ["ftp://e.org/x", "s3://key:secret@bucket/x", "python://x", "/nowhere/at/all"]
)
def test_sources_that_cannot_be_read_are_refused(source):
    """Before a job is stored, and without the password."""
    with pytest.raises(InvalidQuery) as refused:
        plan_shards([source])
    assert "secret" not in str(refused.value)
