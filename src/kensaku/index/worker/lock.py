"""One owner for a directory: a kernel lock, which ends with the process that holds it.

The file's text only says who; a file that is left behind by a killed process holds nothing.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from kensaku.errors import IndexFault
from kensaku.index.errors import faults

PATIENCE = 0.8  # seconds; long enough for an owner that is just leaving
_STEP = 0.02


class DirectoryLock:
    """An exclusive lock on `<directory>/lock`."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "lock"
        self._directory = directory
        self._file: int | None = None
        self.refused = False  # somebody else has it

    def take(self, patience: float = PATIENCE) -> None:
        """Own the directory, or say within a second which process does."""
        import fcntl

        with faults(f"the index at {self._directory}"):
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() >= deadline:
                    os.close(file)
                    self.refused = True
                    raise self.held() from error
                time.sleep(_STEP)
        self._file = file
        self.sign()

    @property
    def taken(self) -> bool:
        """Whether it is ours."""
        return self._file is not None

    def sign(self) -> None:
        """Write down who holds it."""
        assert self._file is not None
        with faults(f"the index at {self._directory}"):
            os.pwrite(self._file, f"{os.getpid():<10}\n".encode(), 0)

    def held(self) -> IndexFault:
        """The error that names the owner."""
        owner = self.owner()
        who = f"process {owner}" if owner else "another process"
        return IndexFault(
            f"the index at {self._directory} is held by {who}",
            remedy="wait for it to finish, or end it",
        )

    def owner(self) -> int | None:
        """The process that took the lock last; it may be gone."""
        try:
            return int(self._path.read_text().strip())
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        """Let the next one in."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
