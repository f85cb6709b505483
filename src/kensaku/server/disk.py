"""A disk that is full is no defect of ours: 503, and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from kensaku.errors import KensakuError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DiskFull(KensakuError):
    """There is no room to write what the request needs."""

    status, retry_after = 503, 60.0

    def __init__(self, message: str = "the disk of the server is full") -> None:
        super().__init__(message, remedy="free some space on the disk of KENSAKU_HOME")


@contextmanager
def disk_faults() -> Iterator[None]:
    """Turn the error of a write that has no room into `DiskFull`."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull from None
        raise
