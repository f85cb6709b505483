"""Memory that holds pages of mapped files: give back what was read once and is not needed again.

Edge maps its write-ahead log and reads all of it when it opens, 40 to 60 MB that stay with the
process until the kernel is short of memory.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

_DONT_NEED = 4  # MADV_DONTNEED; for a shared mapping nothing is lost, it is read again when used


def give_back(directory: Path) -> None:
    """Let go of the pages of the files in `directory`, where the system can (Linux)."""
    inside = f"{directory.resolve()}/"
    with suppress(OSError, AttributeError):
        maps = Path("/proc/self/maps").read_text(errors="surrogateescape")
        advise = ctypes.CDLL(None).madvise
        for line in maps.splitlines():
            place, mode, _, _, _, *path = line.split(maxsplit=5)
            if path and path[0].startswith(inside) and mode.endswith("s"):
                start, end = (int(side, 16) for side in place.split("-"))
                advise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _DONT_NEED)
