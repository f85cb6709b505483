"""The SQLite store: for all processes of one machine.

SQLite runs in a thread of its own, so the event loop never waits for a disk or a lock.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from kensaku.store.base import Store, next_turn

T = TypeVar("T")
log = logging.getLogger("kensaku")


class SqliteStore(Store):
    """State in a SQLite file. A damaged file is renamed and replaced by an empty one: losing this
    state does no harm."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._puts = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kensaku-store")

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._run_or_recover, work
        )

    def _run_or_recover(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return work(self._open())
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # full, locked, …: the file is sound
                raise
            log.warning("%s was damaged; it was set aside, and a new one begun", self._path.name)
            self._set_aside()
            return work(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            db = sqlite3.connect(self._path, timeout=5, isolation_level=None)
            self._db = db
            # SQLite before 3.51.3 can damage a WAL file that several processes write; the
            # rollback journal is safe there. Without a sync: a killed process loses nothing.
            wal = sqlite3.sqlite_version_info >= (3, 51, 3)
            db.execute(f"PRAGMA journal_mode={'WAL' if wal else 'TRUNCATE'}")
            db.execute("PRAGMA synchronous=OFF")
            db.execute(
                "CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v, expires REAL) WITHOUT ROWID"
            )
            db.execute("CREATE INDEX IF NOT EXISTS by_expiry ON kv (expires)")
            db.execute("DELETE FROM kv WHERE expires <= ?", (time.time(),))
        return self._db

    def _set_aside(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        for suffix in ("-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # another process was faster
            self._path.replace(self._path.with_name(self._path.name + ".damaged"))

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        marks = ",".join("?" * len(keys))
        sql = f"SELECT k, v FROM kv WHERE k IN ({marks}) AND expires > ?"
        rows = await self._run(lambda db: db.execute(sql, (*keys, time.time())).fetchall())
        values = dict(rows)
        return [values.get(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        row = (key, value, time.time() + ttl)
        self._puts += 1
        purge = self._puts % 1_000 == 0

        def work(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", row)
            if purge:
                db.execute("DELETE FROM kv WHERE expires <= ?", (time.time(),))

        await self._run(work)

    async def claim(self, key: str, ttl: float) -> bool:
        now = time.time()
        sql = (
            "INSERT INTO kv VALUES (?, x'31', ?) ON CONFLICT (k) DO UPDATE"
            " SET expires = excluded.expires WHERE kv.expires <= ?"
        )
        return await self._run(lambda db: db.execute(sql, (key, now + ttl, now)).rowcount > 0)

    async def add(self, key: str, amount: float, ttl: float) -> float:
        now = time.time()
        sql = (
            "INSERT INTO kv VALUES (:k, :n, :until) ON CONFLICT (k) DO UPDATE SET"
            " v = CASE WHEN kv.expires <= :now THEN :n ELSE kv.v + :n END,"
            " expires = CASE WHEN kv.expires <= :now THEN :until ELSE kv.expires END RETURNING v"
        )
        row = {"k": key, "n": amount, "until": now + ttl, "now": now}
        return float(await self._run(lambda db: db.execute(sql, row).fetchone()[0]))

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        def work(db: sqlite3.Connection) -> float:
            db.execute("BEGIN IMMEDIATE")
            try:
                now = time.time()
                row = db.execute("SELECT v FROM kv WHERE k = ?", (key,)).fetchone()
                wait, arrival = next_turn(row[0] if row else 0.0, now, interval, burst, max_wait)
                expires = now + interval * burst + abs(wait) + 60
                db.execute("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", (key, arrival, expires))
                return wait
            finally:
                db.execute("COMMIT")

        return await self._run(work)

    async def forget(self, prefix: str) -> int:
        sql = "DELETE FROM kv WHERE k >= ? AND k < ?"
        return await self._run(lambda db: db.execute(sql, (prefix, prefix + "\U0010ffff")).rowcount)

    async def size(self, prefix: str) -> tuple[int, int]:
        sql = "SELECT count(*), coalesce(sum(length(v)), 0) FROM kv WHERE k >= ? AND k < ?"
        bounds = (prefix, prefix + "\U0010ffff")
        count, size = await self._run(lambda db: db.execute(sql, bounds).fetchone())
        return int(count), int(size)

    async def close(self) -> None:
        def work() -> None:
            if self._db is not None:
                self._db.close()
                self._db = None

        await asyncio.get_running_loop().run_in_executor(self._thread, work)
        self._thread.shutdown(wait=False)
