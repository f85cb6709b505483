"""Bring the tables of a database up to date, or refuse one that is newer than this program.

    read the revision → lock → read it again → Alembic → commit

All migrations run in one transaction, on SQLite, too: an interrupted one leaves the earlier tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from kensaku.database.connection import connect, transaction
from kensaku.errors import DatabaseFault, MissingExtra
from kensaku.messages import msg

if TYPE_CHECKING:
    from sqlalchemy import URL

VERSION_TABLE = "kensaku_schema"
# Oldest first; a test compares them with the files.
REVISIONS = ("keys_and_usage", "conversations", "questions", "runs")
LOCK_SECONDS = 60.0  # for which one process waits while another migrates


def migrate(url: str | URL) -> None:
    """Run the migrations that are missing. Raises `DatabaseFault` for a newer database."""
    with connect(url, write=False, lock_seconds=LOCK_SECONDS) as connection:
        if _is_current(connection):
            return  # without Alembic, whose import takes longer than all else here
    with connect(url, lock_seconds=LOCK_SECONDS) as connection, transaction(connection):
        if not _is_current(connection):
            _upgrade(connection)


def _is_current(connection: Connection) -> bool:
    if not inspect(connection).has_table(VERSION_TABLE):
        return False
    revision: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    if revision is not None and revision not in REVISIONS:
        raise DatabaseFault(
            msg(
                "the database was made by a newer Kensaku (its tables are {revision!r})",
                revision=revision[:40],
            ),
            remedy=msg(
                "upgrade this one, or set another KENSAKU_DATABASE_URL; nothing was changed"
            ),
        )
    return revision == REVISIONS[-1]


def _upgrade(connection: Connection) -> None:
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError:
        raise MissingExtra("Alembic", "database") from None
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
