"""Release the memory of mapped files that were read once and are not needed again.

Qdrant Edge 0.9.0 maps its write-ahead log and reads all of it when it opens a shard. The 40 to
60 MB stay resident until the kernel is short of memory (measured in November 2026 with 200,000
passages). Edge has no call that releases them, so this asks the kernel. Look again when Edge is
updated: delete this file once a freshly opened shard no longer keeps its log resident.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

_MADV_DONTNEED = 4  # a shared mapping loses nothing: the kernel reads the file again when needed


def release_mapped_pages(directory: Path) -> None:
    """Release the resident pages of mapped files in `directory`. Does nothing outside Linux."""
    prefix = f"{directory.resolve()}/"
    with suppress(OSError, AttributeError):  # no /proc, or no madvise: the memory just stays
        maps = Path("/proc/self/maps").read_text(errors="surrogateescape")
        madvise = ctypes.CDLL(None).madvise
        for line in maps.splitlines():
            addresses, mode, _, _, _, *path = line.split(maxsplit=5)
            if path and path[0].startswith(prefix) and mode.endswith("s"):
                start, end = (int(side, 16) for side in addresses.split("-"))
                madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED)
