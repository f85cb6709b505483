"""JSON lines: where each record stands, and how much of the shard is read with it."""

from __future__ import annotations

import gzip
import io

import pytest

from kensaku.jobs.sources import Item, Rejected, Shard, jsonl
from kensaku.jobs.sources._files import File
from kensaku.jobs.sources.jsonl import _Line, _lines, records, shards
from kensaku.models import Document

A, B = b'{"url": "u:a", "text": "A"}', b'{"url": "u:b", "text": "B"}'
LENGTH = len(A) + 1
DOCUMENT_A, DOCUMENT_B = Document("u:a", "", "A"), Document("u:b", "", "B")


def whole(url: str, start: int, end: int) -> Shard:
    return Shard("jsonl", (url,), end - start, start, end)


@pytest.mark.parametrize(
    ("name", "size", "parts"),
    [
        ("a.jsonl", 0, [(0, 0)]),
        ("a.jsonl", 9, [(0, 9)]),
        ("a.jsonl", 10, [(0, 10)]),
        ("a.jsonl", 21, [(0, 10), (10, 20), (20, 21)]),
        ("a.jsonl.gz", 21, [(0, 21)]),
        ("a.jsonl.gz", 0, [(0, 0)]),
    ],
)
def test_a_file_is_split_into_ranges(name, size, parts, monkeypatch):
    """A compressed one cannot be."""
    monkeypatch.setattr(jsonl, "SHARD", 10)

    assert list(shards(File(name, size))) == [whole(name, *part) for part in parts]


def test_a_range_is_64_mebibytes():
    """So that a worker has minutes of work."""
    assert jsonl.SHARD == 67_108_864


def test_a_record_is_told_with_its_place(tmp_path):
    """The end of its line is what has been read of the shard; empty lines are no records."""
    file = tmp_path / "d.jsonl"
    file.write_bytes(A + b"\n \n\n" + b"no\n" + b"\xff\n" + B)
    url = f"file://{file}"
    size = file.stat().st_size

    assert list(records(whole(url, 0, size))) == [
        Item(DOCUMENT_A, LENGTH),
        Item(Rejected("not JSON", f"{url} at byte {LENGTH + 3}"), LENGTH + 6),
        Item(Rejected("wrong encoding", f"{url} at byte {LENGTH + 6}"), LENGTH + 8),
        Item(DOCUMENT_B, size),
    ]


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        (0, 1, [Item(DOCUMENT_A, 1)]),
        (0, LENGTH, [Item(DOCUMENT_A, LENGTH)]),
        (0, LENGTH + 1, [Item(DOCUMENT_A, LENGTH), Item(DOCUMENT_B, LENGTH + 1)]),
        (1, LENGTH, []),
        (LENGTH - 1, LENGTH, []),
        (LENGTH, LENGTH + 5, [Item(DOCUMENT_B, 5)]),
        (LENGTH + 1, 2 * LENGTH, []),
    ],
)
def test_a_line_belongs_to_the_range_in_which_it_begins(start, end, found, tmp_path):
    """To one of them, wherever the cut is."""
    file = tmp_path / "d.jsonl"
    file.write_bytes(A + b"\n" + B + b"\n")

    assert list(records(whole(f"file://{file}", start, end))) == found


def test_a_compressed_file_is_done_when_its_bytes_are_read(tmp_path):
    """As they are on the disk; a byte order mark is no part of a line."""
    file = tmp_path / "d.jsonl.gz"
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf" + A + b"\n" + B))
    size = file.stat().st_size

    found = list(records(whole(f"file://{file}", 0, size)))
    assert found == [Item(DOCUMENT_A, size), Item(DOCUMENT_B, size)]


def test_a_damaged_file_is_one_record_more(tmp_path):
    """With all of the shard behind it."""
    file = tmp_path / "d.jsonl.gz"
    file.write_bytes(b"no gzip at all")
    url = f"file://{file}"

    assert list(records(whole(url, 0, 14))) == [Item(Rejected("unreadable (BadGzipFile)", url), 14)]


@pytest.mark.parametrize("read", [1, 3, 100])
@pytest.mark.parametrize(
    ("data", "skip", "lines"),
    [
        (b"", False, []),
        (b"ab\ncd\n", False, [(5, 8, b"ab"), (8, 11, b"cd")]),
        (b"ab\ncd", False, [(5, 8, b"ab"), (8, 10, b"cd")]),
        (b"ab\ncd", True, [(8, 10, b"cd")]),
        (b"ab", True, []),
        (b"\n\n", False, [(5, 6, b""), (6, 7, b"")]),
        (b"123456\n12345\n1234567\nab\n", False,
         [(5, 12, None), (12, 18, b"12345"), (18, 26, None), (26, 29, b"ab")]),
        (b"ab\n1234567", False, [(5, 8, b"ab"), (8, 15, None)]),
        (b"ab\n123456", False, [(5, 8, b"ab"), (8, 14, b"123456")]),
    ],
)  # fmt: skip
def test_lines_have_their_bytes_and_a_bound(read, data, skip, lines, monkeypatch):
    """However the file is read: a line of more than six bytes is not held."""
    monkeypatch.setattr(jsonl, "MAX_RECORD", 6)
    monkeypatch.setattr(jsonl, "_READ", read)

    found = list(_lines(io.BytesIO(data), 5, skip=skip))
    assert found == [_Line(*line) for line in lines]
