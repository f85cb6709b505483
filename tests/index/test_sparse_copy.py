"""Copies of the index's files: with their holes, their times and their rights."""

from __future__ import annotations

import os
from pathlib import Path

from kensaku.index.sparse_copy import allocated_bytes, copy_sparse

MIB = 1 << 20


def test_a_copy_is_the_same_file_with_the_same_holes(tmp_path: Path) -> None:
    """Bytes, size, time and rights; a hole of 64 MiB takes no disk."""
    source, target = tmp_path / "source", tmp_path / "copies" / "target"
    target.parent.mkdir()
    with source.open("wb") as file:
        file.write(b"first" * 300_000)  # more than one block of reading
        file.seek(64 * MIB)
        file.write(b"last")
        file.truncate(80 * MIB)
    os.utime(source, (1_000_000_000, 1_234_567_890))
    source.chmod(0o600)

    assert copy_sparse(str(source), str(target)) == str(target)
    copied = target.stat()
    assert (copied.st_size, copied.st_mtime, copied.st_mode & 0o777) == (
        80 * MIB,
        1_234_567_890,
        0o600,
    )
    assert target.read_bytes() == source.read_bytes()
    assert allocated_bytes(target.parent) < 8 * MIB


def test_a_file_of_nothing_but_a_hole_is_copied(tmp_path: Path) -> None:
    """And an empty one."""
    for size in (0, MIB):
        source, target = tmp_path / f"{size}", tmp_path / f"{size}-copy"
        with source.open("wb") as file:
            file.truncate(size)
        copy_sparse(str(source), str(target))
        assert target.read_bytes() == bytes(size)
