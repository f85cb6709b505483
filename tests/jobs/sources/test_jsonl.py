"""JSON lines: every line once, wherever the file is cut."""

from __future__ import annotations

import gzip
import json
import os
from itertools import pairwise

import fsspec
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from kensaku.jobs.sources import Rejected, Shard, plan_shards, records_of
from kensaku.models import Document

URL = "memory://bucket/d.jsonl"
TEXT = st.text(min_size=1, max_size=30).filter(str.strip)
GOOD = st.tuples(st.integers(0, 99), TEXT).map(
    lambda row: json.dumps({"url": f"u:{row[0]}", "text": row[1]}, ensure_ascii=False)
)
BAD = st.sampled_from([b"no", b"[1]", b"\xff", b'{"url": "u:x"}', b"{" * 20])
BLANK = st.sampled_from([b"", b" ", b"\t\r"])
LINES = st.lists(st.one_of(GOOD.map(lambda s: s.encode("utf-8", "replace")), BAD, BLANK))


def write(data: bytes, url: str = URL) -> None:
    with fsspec.open(url, "wb") as out:
        out.write(data)


def read(*shards: Shard) -> list:
    return [item.record for shard in shards for item in records_of(shard)]


@examples(deadline=None, max_examples=150)
@given(LINES, st.booleans(), st.data())
@pytest.mark.usefixtures("volume")
def test_every_line_is_read_once_wherever_the_file_is_cut(lines, ended, data):
    """In a line, before or after its end; each with where it stands, and blank ones are none."""
    text = b"\n".join(lines) + (b"\n" if ended else b"")
    write(text)
    size = len(text)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, size - 1)), max_size=8)))
    ranges = pairwise([0, *(c for c in cuts if c < size), size])
    shards = [Shard("jsonl", (URL,), end - start, start, end) for start, end in ranges]

    found = read(*shards)

    assert found == read(Shard("jsonl", (URL,), size, 0, size))
    assert len(found) == sum(bool(line.strip()) for line in lines)
    good = [
        json.loads(line) for line in lines if line.startswith(b'{"url": "u:') and b"text" in line
    ]
    documents = [record for record in found if isinstance(record, Document)]
    assert [(d.url, d.text) for d in documents] == [(row["url"], row["text"]) for row in good]
    for record in found:
        if isinstance(record, Rejected):
            start = int(record.where.rpartition(" ")[2])
            assert text[start:].split(b"\n")[0].strip()
    for shard in shards:
        done = [item.done for item in records_of(shard)]
        assert done == sorted(done)
        assert all(0 < d <= shard.size for d in done)


@examples(deadline=None, max_examples=30)
@given(LINES)
def test_a_compressed_file_has_the_same_records(lines):
    """It is one shard; a byte order mark is no part of its first line."""
    text = b"\n".join(lines)
    write(text)
    packed = f"{URL}.gz"
    mark = b"\xef\xbb\xbf" if lines and lines[0].strip() else b""
    write(gzip.compress(mark + text), packed)
    (shard,) = plan_shards([packed])

    kinds = [(type(r), getattr(r, "url", None)) for r in read(shard)]
    plain = read(Shard("jsonl", (URL,), len(text), 0, len(text)))
    assert kinds == [(type(r), getattr(r, "url", None)) for r in plain]
    assert all(item.done <= shard.size for item in records_of(shard))


@pytest.mark.parametrize("size", [0, 9, 64 << 20, (64 << 20) + 1, 300_000_000])
def test_a_file_is_split_without_a_gap(tmp_path, size):
    """Into parts of some minutes of work; nothing is read for it."""
    file = tmp_path / "d.jsonl"
    file.touch()
    os.truncate(file, size)

    shards = plan_shards([str(file)])

    assert [shard.start for shard in shards] == [0, *(shard.end for shard in shards[:-1])]
    assert sum(shard.size for shard in shards) == shards[-1].end == size
    assert all(shard.size == shard.end - shard.start <= 64 << 20 for shard in shards)
