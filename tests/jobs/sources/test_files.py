"""Files by path or URL: which are listed, how they are opened, and single files as records."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sys

import pytest

from kensaku.errors import MissingExtra
from kensaku.jobs.sources import RawPage, Shard, plan_shards, records_of
from kensaku.models import Document


@pytest.fixture
def folder(tmp_path):
    """Files in folders, hidden ones, and a link."""
    for name in ("a.txt", "b/c.txt", "b/d.md", ".e/f.txt", "b/.g.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "h.txt").symlink_to(tmp_path / "a.txt")
    return tmp_path


def listed(source) -> list[str]:
    return [file for shard in plan_shards([str(source)]) for file in shard.files]


def test_a_folder_is_listed_in_order(folder):
    """With what is below it; hidden files and links are left out."""
    names = ("a.txt", "b/c.txt", "b/d.md")

    assert listed(folder) == [f"file://{folder}/{name}" for name in names]
    assert listed(f"file://{folder}/") == listed(folder)
    assert listed(folder / "b" / ".g.txt") == [f"file://{folder}/b/.g.txt"]  # who names it means it


@pytest.mark.parametrize("pattern", ["b/c.*", "b/?.txt", "b/[bc].txt"])
def test_a_pattern_is_a_choice(folder, pattern):
    """As a shell has it."""
    assert listed(folder / pattern) == [f"file://{folder}/b/c.txt"]


def test_a_name_with_the_signs_of_a_pattern_is_found(tmp_path):
    """It is a folder's name when the pattern matches nothing."""
    (tmp_path / "a[1]").mkdir()
    (tmp_path / "a[1]" / "b.txt").write_text("text")

    assert listed(tmp_path / "a[1]") == [f"file://{tmp_path}/a[1]/b.txt"]


@pytest.mark.parametrize(
    ("ending", "pack"),
    [("", bytes), (".gz", gzip.compress), (".GZ", gzip.compress), (".bz2", bz2.compress),
     (".xz", lzma.compress)],
)  # fmt: skip
def test_a_compression_is_told_by_the_name(ending, pack, tmp_path):
    """Any other file is read as it is."""
    file = tmp_path / f"d.jsonl{ending}"
    file.write_bytes(pack(json.dumps({"url": "u:1", "text": "otters"}).encode()))
    (shard,) = plan_shards([str(file)])

    assert [item.record for item in records_of(shard)] == [Document("u:1", "", "otters")]


@pytest.mark.parametrize(
    ("missing", "name", "extra"),
    [
        ("s3fs", "s3://bucket/x", "bulk"),
        ("zstandard", "d.jsonl.zst", "codecs"),
        ("pyarrow.parquet", "d.parquet", "bulk"),
        ("warcio.archiveiterator", "d.warc", "bulk"),
        ("fsspec", "d.txt", "bulk"),
    ],
)
def test_what_reads_a_source_is_named_when_it_is_missing(
    tmp_path, monkeypatch, missing, name, extra
):
    """It is not the file's fault."""
    from fsspec import compression

    source = name
    if "://" not in name:
        (tmp_path / name).write_bytes(b"x")
        source = str(tmp_path / name)
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(compression.compr, "zstd", raising=False)
    with pytest.raises(MissingExtra) as refused:
        [list(records_of(shard)) for shard in plan_shards([source])]

    assert refused.value.extra == extra


def test_a_shard_of_files_is_read_one_by_one(tmp_path):
    """One that is too large, or gone, is rejected, and the next is read."""
    (tmp_path / "a ä.txt").write_text("1234")
    with (tmp_path / "b.txt").open("wb") as large:
        large.truncate(1 << 30)
    (tmp_path / "c.md").write_text("123")
    urls = [f"file://{tmp_path}/{name}" for name in ("a ä.txt", "b.txt", "no.txt", "c.md")]

    first, large, gone, last = records_of(Shard("files", tuple(urls), 7))

    assert first.record == RawPage((tmp_path / "a ä.txt").as_uri(), b"1234", "text/plain")
    assert (large.record.reason, large.record.where) == ("file too large", urls[1])
    assert gone.record.where == urls[2]
    assert last.record == RawPage((tmp_path / "c.md").as_uri(), b"123", "text/markdown")
    assert [item.done for item in (first, large, gone, last)] == [4, 4, 4, 7]
