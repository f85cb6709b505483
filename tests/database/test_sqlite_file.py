"""The file of the database: where it is, who may read it, and when it is locked."""

from __future__ import annotations

import logging
import os
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from kensaku.database import Database
from kensaku.database.sqlite_file import is_locked, make_private, path_of
from kensaku.errors import ConfigError, DatabaseFault


@pytest.mark.parametrize(
    ("url", "path"), [("sqlite:////a/b.db", "/a/b.db"), ("sqlite:///b.db", "b.db")]
)
def test_a_url_names_a_file(url: str, path: str) -> None:
    """As a path of this machine."""
    assert path_of(make_url(url)) == Path(path)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:x?uri=true"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    """Workers and commands share it."""
    with pytest.raises(ConfigError, match="the database must be a file"):
        path_of(make_url(url))


def test_a_file_and_its_folders_are_its_owners(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """All folders that are made on the way; what was there keeps its mode, and its bytes."""
    (tmp_path / "there").mkdir(mode=0o755)
    path = tmp_path / "there" / "a" / "b" / "k.db"
    before = os.umask(0)
    try:
        make_private(path)
    finally:
        os.umask(before)

    modes = [p.stat().st_mode & 0o777 for p in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o755
    assert caplog.messages == []
    path.write_bytes(b"bytes")
    path.chmod(0o640)
    with caplog.at_level(logging.WARNING):
        make_private(path)
    assert caplog.messages == ["other users may read k.db; run: chmod 600 on it"]
    assert path.read_bytes() == b"bytes"


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    """Neither a link, nor a folder, nor a file below a file; its name alone is said."""
    (tmp_path / "link.db").symlink_to(tmp_path / "other")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "file").touch()
    for name, why in (
        ("link.db", "link.db is a symbolic link, and is not followed"),
        ("folder.db", "the database folder.db cannot be opened: Is a directory"),
        ("file/a.db", "the database a.db cannot be opened: Not a directory"),
    ):
        with pytest.raises(DatabaseFault) as fault:
            make_private(tmp_path / name)
        assert fault.value.message == why
    assert not (tmp_path / "other").exists()


def locked(name: str | None) -> DBAPIError:
    error = sqlite3.OperationalError("no")
    if name is not None:
        error.sqlite_errorname = name
    return DBAPIError("SELECT 1", {}, error)


async def test_a_connection_waits_syncs_and_follows_keys(file_db: Database) -> None:
    """As SQLite says; with WAL only from the version on in which it can be trusted."""
    names = ("busy_timeout", "synchronous", "foreign_keys", "journal_mode")
    async with file_db.read() as connection:
        found = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one() for name in names
        ]

    journal = "wal" if sqlite3.sqlite_version_info >= (3, 51, 3) else "truncate"
    assert found == [10_000, 2, 1, journal]


@pytest.mark.parametrize(
    ("error", "is_so"),
    [
        (locked("SQLITE_BUSY"), True),
        (locked("SQLITE_BUSY_SNAPSHOT"), True),
        (locked("SQLITE_LOCKED"), True),
        (locked("SQLITE_IOERR"), False),
        (locked(None), False),
        (SQLAlchemyError("SQLITE_BUSY"), False),
    ],
)
def test_a_lock_is_told_by_its_name(error: SQLAlchemyError, is_so: bool) -> None:
    """Texts change."""
    assert is_locked(error) is is_so
