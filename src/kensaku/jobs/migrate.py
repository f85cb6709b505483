"""Create or update the tables of DBOS, in one transaction on SQLite.

DBOS has a lock for it on PostgreSQL and none on SQLite, where it also creates its first tables
without a transaction. Two processes that began at the same time created the same table, and one of
them failed; a process that was killed in between left a file that no other could open.
"""

from __future__ import annotations

from kensaku.database.connection import connect
from kensaku.database.migrate import LOCK_SECONDS
from kensaku.jobs.executor import import_dbos


def migrate(url: str) -> None:
    """Run the migrations of DBOS that are missing; other processes wait meanwhile."""
    dbos = import_dbos()
    if not url.startswith("sqlite"):
        dbos.DBOS.migrate(url)
        return
    from dbos._sys_db import SystemDatabase

    with connect(url, lock_seconds=LOCK_SECONDS) as connection:
        system = SystemDatabase.create(
            system_database_url=url,
            engine=connection.engine,  # begins each transaction with the lock
            engine_kwargs={},
            schema=None,
            serializer=dbos.DBOSPortableJSONSerializer(),
            executor_id=None,
        )
        system.run_migrations()
