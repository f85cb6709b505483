"""Compare the tables of a database with those of `tables.py`."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from kensaku.database.connection import connect
from kensaku.database.migrate import VERSION_TABLE
from kensaku.database.tables import METADATA


def drift(url: str) -> list[object]:
    """The differences between the tables that are there and those of `tables.py`."""
    options = {
        "version_table": VERSION_TABLE,
        "compare_type": True,
        "compare_server_default": True,
    }
    with connect(url, write=False) as connection:
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, METADATA))
