"""Files by path or URL: which are listed, how they are opened, and single files as records."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from types import SimpleNamespace

import pytest
from fsspec import compression

from kensaku.errors import InvalidQuery, MissingExtra
from kensaku.jobs.sources import Item, RawPage, Rejected, Shard, _files, files
from kensaku.jobs.sources._files import File, check_source, decompress, list_files, open_file


@pytest.fixture
def folder(tmp_path):
    """Files in folders, hidden ones, and a link."""
    for name in ("a.txt", "b/c.txt", "b/d.md", ".e/f.txt", "b/.g.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "h.txt").symlink_to(tmp_path / "a.txt")
    return tmp_path


def listed(source):
    return [(file.url.rpartition("/")[2], file.size) for file in list_files(str(source))]


def test_a_folder_is_listed_in_order(folder):
    """With what is below it; hidden files and links are left out."""
    assert list(list_files(str(folder))) == [
        File(f"file://{folder}/a.txt", 5),
        File(f"file://{folder}/b/c.txt", 7),
        File(f"file://{folder}/b/d.md", 6),
    ]
    assert listed(f"file://{folder}/") == listed(folder)


def test_a_file_is_listed_whatever_its_name(folder):
    """Who names it means it."""
    assert listed(folder / "b" / ".g.txt") == [(".g.txt", 8)]
    assert listed(folder / "a.txt") == [("a.txt", 5)]


@pytest.mark.parametrize("pattern", ["b/c.*", "b/?.txt", "b/[bc].txt"])
def test_a_pattern_is_a_choice(folder, pattern):
    """As a shell has it."""
    assert listed(folder / pattern) == [("c.txt", 7)]


def test_a_name_with_the_signs_of_a_pattern_is_found(tmp_path):
    """It is a folder's name when the pattern matches nothing."""
    (tmp_path / "a[1]").mkdir()
    (tmp_path / "a[1]" / "b.txt").write_text("text")

    assert listed(tmp_path / "a[1]") == [("b.txt", 4)]


def test_nothing_at_a_source_is_wrong(tmp_path):
    """So is too much of it."""
    long = str(tmp_path / ("x" * 250))
    with pytest.raises(InvalidQuery) as refused:
        list(list_files(long))
    assert refused.value.message == f"there is nothing at {long[:200]}"


@pytest.mark.parametrize(("most", "refused"), [(4, True), (6, False)])
def test_the_files_of_a_source_are_bounded(folder, most, refused, monkeypatch):
    """Hidden ones are counted: they have been listed."""
    monkeypatch.setattr(_files, "MAX_FILES", most)
    if refused:
        with pytest.raises(InvalidQuery, match=r"there are 6 files; at most 4 are read"):
            list(list_files(str(folder)))
    else:
        assert len(list(list_files(str(folder)))) == 3


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("a.gz", gzip.compress), ("A.GZ", gzip.compress), ("a.bz2", bz2.compress),
        ("a.xz", lzma.compress), ("a.txt", bytes),
    ],
)  # fmt: skip
def test_a_compression_is_told_by_the_name(name, packed, tmp_path):
    """Any other file is read as it is."""
    (tmp_path / name).write_bytes(packed(b"otters"))
    with open_file(f"file://{tmp_path / name}") as raw:
        assert raw.seekable()
        assert decompress(raw, name).read() == b"otters"


def test_a_compression_that_nobody_knows_here_names_its_extra(monkeypatch):
    """Zstandard is none of Python's own."""
    monkeypatch.delitem(compression.compr, "zstd", raising=False)
    with pytest.raises(MissingExtra, match=r"kensaku\[codecs\]"):
        decompress(io.BytesIO(), "a.zst")


def test_without_fsspec_the_extra_is_named(tmp_path, monkeypatch):
    """And for an object store, what reads it."""

    def url_to_fs(url):
        raise ImportError("s3fs")

    monkeypatch.setitem(
        sys.modules, "fsspec", SimpleNamespace(core=SimpleNamespace(url_to_fs=url_to_fs))
    )
    with pytest.raises(MissingExtra, match=r"s3://.*kensaku\[bulk\]"):
        open_file("s3://bucket/x")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"fsspec.*kensaku\[bulk\]"):
        open_file(str(tmp_path))


@pytest.mark.parametrize("kind", sorted(_files.PROTOCOLS))
def test_every_kind_of_source_is_taken(kind):
    """Without a user in its address, which would be stored."""
    check_source(f"{kind}://bucket/x")
    with pytest.raises(InvalidQuery, match="must not hold a user or a password"):
        check_source(f"{kind}://me:secret@bucket/x")


def test_another_kind_is_named_with_those_that_are_taken():
    """Forty characters of it."""
    with pytest.raises(InvalidQuery) as refused:
        check_source(f"{'x' * 50}://a")
    assert refused.value.message == f"'{'x' * 40}' is not a kind of source"
    assert refused.value.remedy == (
        "use abfs, adl, az, file, gcs, gs, https, local, memory, s3, s3a"
    )


def test_a_shard_of_files_is_read_one_by_one(tmp_path, monkeypatch):
    """Each with the bytes of those before it; one that is too large, or gone, has none."""
    monkeypatch.setattr(files, "MAX_BYTES", 4)
    for name, text in (("a ä.txt", "1234"), ("b.txt", "12345"), ("c.md", "123")):
        (tmp_path / name).write_text(text)
    urls = tuple(f"file://{tmp_path}/{name}" for name in ("a ä.txt", "b.txt", "no.txt", "c.md"))
    base = f"file://{tmp_path}"

    assert list(files.records(Shard("files", urls, 6))) == [
        Item(RawPage(f"{base}/a%20%C3%A4.txt", b"1234", "text/plain"), 4),
        Item(Rejected("file too large", urls[1]), 4),
        Item(Rejected("unreadable (FileNotFoundError)", urls[2]), 4),
        Item(RawPage(f"{base}/c.md", b"123", "text/markdown"), 6),
    ]
    assert files._document_url("s3://bucket/a b") == "s3://bucket/a b"
