"""An exclusive lock on an index directory, held by the kernel: it ends with the owner's process.

The text in the file only names the owner. A file that a killed process left behind locks nothing.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from kensaku.errors import IndexFault
from kensaku.index.errors import translate_errors
from kensaku.messages import msg

TIMEOUT = 0.8  # seconds; long enough for an owner that is just exiting
_RETRY_INTERVAL = 0.02


class DirectoryLock:
    """An exclusive lock on `<directory>/lock`."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "lock"
        self._directory = directory
        self._file: int | None = None
        self.contended = False  # another process held it when `acquire` gave up

    def acquire(self, timeout: float = TIMEOUT) -> None:
        """Lock the directory, or raise an error that names the process that holds it."""
        import fcntl

        with translate_errors(f"the index at {self._directory}"):
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() >= deadline:
                    os.close(file)
                    self.contended = True
                    raise self.held_error() from error
                time.sleep(_RETRY_INTERVAL)
        self._file = file
        self.record_owner()

    @property
    def acquired(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    def record_owner(self) -> None:
        """Write the id of this process into the file."""
        assert self._file is not None
        with translate_errors(f"the index at {self._directory}"):
            os.pwrite(self._file, f"{os.getpid():<10}\n".encode(), 0)

    def clear_owner(self) -> None:
        """Erase the id: the owner is about to release the lock, so it is worth waiting for."""
        assert self._file is not None
        os.ftruncate(self._file, 0)

    def held_error(self) -> IndexFault:
        """Return the error that names the owner."""
        owner = self.owner()
        who = f"process {owner}" if owner else "another process"
        return IndexFault(
            msg("the index at {directory} is held by {who}", directory=self._directory, who=who),
            remedy=msg("wait for it to finish, or end it"),
        )

    def owner(self) -> int | None:
        """Return the id of the process that acquired the lock last; it may have exited.

        None when there is no such process, or it is about to release the lock.
        """
        try:
            return int(self._path.read_text().strip())
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        """Unlock the directory."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
