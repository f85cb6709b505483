"""The SQLite store: for all processes of one machine.

SQLite runs in a thread of its own, so the event loop never waits for a disk or a lock.

An entry that was written in the future does not count: the clock was set back, and nobody knows
when the entry would have expired.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from kensaku._logger import get_logger
from kensaku._shielded import end_thread
from kensaku.store.base import MICROSECONDS, Store, microseconds, next_turn

T = TypeVar("T")
log = get_logger("kensaku")

LOCK_SECONDS = 1.0  # that the thread waits for another process
_TABLE = """
CREATE TABLE IF NOT EXISTS entries
  (k TEXT PRIMARY KEY, v, written REAL NOT NULL, expires REAL NOT NULL) WITHOUT ROWID
"""
_LIVE = "expires > :now AND written <= :now + 1"
_GET = f"SELECT k, v FROM entries WHERE k IN ({{marks}}) AND {_LIVE}"
_PUT = "INSERT OR REPLACE INTO entries VALUES (:k, :v, :now, :until)"
_CLAIM = f"""
INSERT INTO entries VALUES (:k, x'31', :now, :until) ON CONFLICT (k) DO UPDATE
  SET written = :now, expires = :until WHERE NOT ({_LIVE})
"""
_ADD = f"""
INSERT INTO entries VALUES (:k, :n, :now, :until) ON CONFLICT (k) DO UPDATE SET
  v = CASE WHEN {_LIVE} THEN v + :n ELSE :n END,
  expires = CASE WHEN {_LIVE} THEN expires ELSE :until END,
  written = :now
RETURNING v
"""
_PURGE = f"DELETE FROM entries WHERE NOT ({_LIVE})"
_OLDEST = "DELETE FROM entries WHERE k IN (SELECT k FROM entries ORDER BY written LIMIT ?)"


class SqliteStore(Store):
    """State in a SQLite file. A damaged file is renamed and replaced by an empty one: losing this
    state does no harm.

    With `max_bytes`, the oldest entries are deleted when the file holds more.
    """

    PURGE_EVERY = 1_000  # writes

    def __init__(
        self,
        path: Path,
        max_bytes: int | None = None,
        *,
        clock: Callable[[], float] | None = None,  # for tests
    ) -> None:
        self._path = path
        self._clock = clock
        self._max_bytes = max_bytes
        self._db: sqlite3.Connection | None = None
        self._puts = 0
        self._failed_at = 0.0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kensaku-store")

    def _now(self) -> float:
        return time.time() if self._clock is None else self._clock()

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._run_or_recover, work, time.monotonic()
        )

    def _run_or_recover(self, work: Callable[[sqlite3.Connection], T], asked_at: float) -> T:
        if asked_at < self._failed_at:  # it waited behind one that failed: ten do not wait in turn
            raise sqlite3.OperationalError("the database is locked")
        try:
            return work(self._open())
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # full, locked, …: the file is sound
                self._failed_at = time.monotonic()
                raise
            log.warning("%s was damaged; it was set aside, and a new one begun", self._path.name)
            self._set_aside()
            return work(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            db = sqlite3.connect(self._path, timeout=LOCK_SECONDS, isolation_level=None)
            self._db = db
            # SQLite before 3.51.3 can damage a WAL file that several processes write; the
            # rollback journal is safe there. Without a sync: a killed process loses nothing.
            wal = sqlite3.sqlite_version_info >= (3, 51, 3)
            try:
                db.execute(f"PRAGMA journal_mode={'WAL' if wal else 'TRUNCATE'}")
                db.execute("PRAGMA synchronous=OFF")
                db.execute("DROP TABLE IF EXISTS kv")  # as it was before `written`
                db.execute(_TABLE)
                db.execute("CREATE INDEX IF NOT EXISTS by_age ON entries (written)")
                db.execute(_PURGE, {"now": self._now()})
            except sqlite3.OperationalError:  # locked: the next caller begins again
                self._db = None
                db.close()
                raise
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
        sql = _GET.format(marks=",".join(f":k{n}" for n in range(len(keys))))
        row: dict[str, object] = {f"k{n}": key for n, key in enumerate(keys)}
        row["now"] = self._now()
        values = dict(await self._run(lambda db: db.execute(sql, row).fetchall()))
        return [values.get(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        now = self._now()
        row = {"k": key, "v": value, "now": now, "until": now + ttl}
        self._puts += 1
        purge = self._puts % self.PURGE_EVERY == 0

        def work(db: sqlite3.Connection) -> None:
            db.execute(_PUT, row)
            if purge:
                db.execute(_PURGE, {"now": now})
            if self._max_bytes is not None and _used_bytes(db) > self._max_bytes:
                _shrink(db, self._max_bytes, now)

        await self._run(work)

    async def claim(self, key: str, ttl: float) -> bool:
        now = self._now()
        row = {"k": key, "now": now, "until": now + ttl}
        return await self._run(lambda db: db.execute(_CLAIM, row).rowcount > 0)

    async def add(self, key: str, amount: float, ttl: float) -> float:
        now = self._now()
        row = {"k": key, "n": amount, "now": now, "until": now + ttl}
        return float(await self._run(lambda db: db.execute(_ADD, row).fetchone()[0]))

    async def turn(self, key: str, interval: float, burst: int, max_wait: float) -> float:
        def work(db: sqlite3.Connection) -> float:
            db.execute("BEGIN IMMEDIATE")
            try:
                now = self._now()
                row = db.execute(_GET.format(marks=":k"), {"k": key, "now": now}).fetchone()
                wait, arrival = next_turn(
                    int(row[1]) if row else None,
                    round(now * MICROSECONDS),
                    microseconds(interval),
                    burst,
                    microseconds(max_wait),
                )
                seconds = wait / MICROSECONDS
                until = now + interval * burst + abs(seconds) + 60
                if arrival is not None:
                    db.execute(_PUT, {"k": key, "v": arrival, "now": now, "until": until})
                return seconds
            finally:
                db.execute("COMMIT")

        return await self._run(work)

    async def give_back(self, key: str, interval: float) -> None:
        sql = "UPDATE entries SET v = v - ? WHERE k = ?"
        await self._run(lambda db: db.execute(sql, (microseconds(interval), key)).rowcount)

    async def forget(self, prefix: str) -> int:
        sql = "DELETE FROM entries WHERE k >= ? AND k < ?"
        return await self._run(lambda db: db.execute(sql, (prefix, prefix + "\U0010ffff")).rowcount)

    async def size(self, prefix: str) -> tuple[int, int]:
        sql = "SELECT count(*), coalesce(sum(length(v)), 0) FROM entries WHERE k >= ? AND k < ?"
        bounds = (prefix, prefix + "\U0010ffff")
        count, size = await self._run(lambda db: db.execute(sql, bounds).fetchone())
        return int(count), int(size)

    async def close(self) -> None:
        def work() -> None:
            if self._db is not None:
                self._db.close()
                self._db = None

        await end_thread(self._thread, work)


def _used_bytes(db: sqlite3.Connection) -> int:
    """The bytes of the file that hold something; deleted pages are used again."""
    pages, free, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int(pages - free) * int(size)


def _shrink(db: sqlite3.Connection, max_bytes: int, now: float) -> None:
    """Delete what has expired, then the oldest entries, to a tenth below the bound."""
    db.execute(_PURGE, {"now": now})
    while _used_bytes(db) > max_bytes * 0.9:
        count = db.execute("SELECT count(*) FROM entries").fetchone()[0]
        if db.execute(_OLDEST, (max(1, count // 20),)).rowcount <= 0:
            return
