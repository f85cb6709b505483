"""That keys were created, remembered outside of the database.

A database that was lost, or emptied, looks like that of a new server, which asks for no key. The
mark is a file in home: beside it, a database without keys is a fault.
"""

from __future__ import annotations

import os
from pathlib import Path

from kensaku._logger import get_logger
from kensaku.errors import DatabaseFault

log = get_logger("kensaku")
FILE = "server-has-keys"


class KeysLost(DatabaseFault):
    """The database has no keys, although some were created."""

    def __init__(self) -> None:
        super().__init__(
            "keys were created for this server, and its database has none",
            remedy="restore the database from a backup, correct KENSAKU_DATABASE_URL, or begin "
            "anew: kensaku keys create NAME --admin",
        )


class KeyMark:
    """The file that says so."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._is_set = False

    def check(self, any_key: bool) -> None:
        """Compare the mark with what the database has. Raises `KeysLost`."""
        if any_key:
            self.set()
        elif self._path.exists():
            raise KeysLost

    def set(self) -> None:
        """Remember that there is a key."""
        if self._is_set:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            log.warning("%s cannot be written: %s", FILE, os.strerror(error.errno or 0))
        self._is_set = True
