"""Copy and measure files without their holes.

Edge allocates its files in advance: an empty collection is 138 MB of holes and 100 kB on the disk.
(Edge 0.9.0 has no setting for the size of its log.) A plain copy writes the holes out.
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

_CHUNK = 1 << 20


def copy_sparse(source: str, target: str) -> str:
    """Copy a file like `shutil.copy2`, but leave its holes unwritten."""
    if not hasattr(os, "SEEK_DATA"):
        return shutil.copy2(source, target)
    with open(source, "rb") as reader, open(target, "wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        for start, end in _data(reader.fileno(), size):
            reader.seek(start)
            writer.seek(start)
            while (left := end - reader.tell()) > 0 and (block := reader.read(min(_CHUNK, left))):
                writer.write(block)
        writer.truncate(size)
    shutil.copystat(source, target)
    return target


def allocated_bytes(directory: Path) -> int:
    """Return what the files of a directory take on the disk."""
    total = 0
    for path in directory.rglob("*"):
        with suppress(FileNotFoundError):  # the engine removes files while it works
            state = path.lstat()
            blocks = getattr(state, "st_blocks", None)  # of 512 bytes; Windows has no such field
            total += state.st_size if blocks is None else blocks * 512
    return total


def _data(file: int, size: int) -> list[tuple[int, int]]:
    """Return the stretches of a file that are not holes."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                break
            return [(0, size)]  # a file system that does not know
        at = os.lseek(file, start, os.SEEK_HOLE)
        found.append((start, at))
    return found
