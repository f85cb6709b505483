"""The file of a SQLite database: private, and with a journal that several processes may use."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from kensaku._logger import get_logger
from kensaku.errors import ConfigError, DatabaseFault, system_reason
from kensaku.messages import msg

log = get_logger("kensaku")

LOCK_SECONDS = 10.0
# SQLite before 3.51.3 can damage a WAL file that several processes write, as store/sqlite.py says.
SAFE_WAL = (3, 51, 3)
_JOURNAL = "WAL" if sqlite3.sqlite_version_info >= SAFE_WAL else "TRUNCATE"
PRAGMAS = (
    f"PRAGMA busy_timeout = {LOCK_SECONDS * 1000:.0f}",
    f"PRAGMA journal_mode = {_JOURNAL}",
    "PRAGMA synchronous = FULL",  # a revoked key stays revoked after a power failure
    "PRAGMA foreign_keys = ON",
)


def path_of(url: URL) -> Path:
    """Return the path of a SQLite URL. Raises `ConfigError` for a database in memory."""
    name = url.database or ""
    if not name or name == ":memory:" or name.startswith("file:"):
        raise ConfigError(
            msg("the database must be a file: workers and commands share it"),
            remedy=msg("write sqlite:///path, or leave KENSAKU_DATABASE_URL empty"),
        )
    return Path(name)


def make_private(path: Path) -> None:
    """Create the file (0600) and its directories (0700). Raises `DatabaseFault`.

    SQLite gives its journals the mode of the file.
    """
    try:
        _make_directory(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(path, flags, 0o600)
        mode = os.fstat(file).st_mode
        os.close(file)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DatabaseFault(
                msg("{path} is a symbolic link, and is not followed", path=path.name),
                remedy=msg("remove it, or set KENSAKU_DATABASE_URL to the file itself"),
            ) from None
        raise DatabaseFault(
            msg(
                "the database {path} cannot be opened: {reason}",
                path=path.name,
                reason=system_reason(error),
            ),
            remedy=msg("check the owner and the mode of its directory"),
        ) from None
    if mode & 0o077:
        log.warning("other users may read %s; run: chmod 600 on it", path.name)


def is_locked(error: SQLAlchemyError) -> bool:
    """Whether another connection held SQLite's lock for too long."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    return getattr(cause, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _make_directory(path: Path) -> None:
    # `Path.mkdir` gives the mode to the last directory alone.
    for folder in [*reversed(path.parents), path]:
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
