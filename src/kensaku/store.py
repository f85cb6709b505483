"""Where processes share small state: memory, a SQLite file, or Valkey/Redis by URL.

    open_store("")            a file in home: every process of this user on this machine
    open_store("memory:")     this process alone
    open_store("valkey://…")  every machine that can reach it

Five operations carry the cache, the limits, the breakers and the budgets. Values expire.
SQLite runs in one thread of its own, so the event loop never waits for a disk or a lock.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from kensaku.errors import ConfigError, MissingExtra

T = TypeVar("T")
log = logging.getLogger("kensaku")


class Store(ABC):
    """Keys, values that expire, counters, and turns."""

    @abstractmethod
    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values of `keys`; None where there is none, or it has expired."""

    @abstractmethod
    async def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds; nothing, when that is over already."""

    @abstractmethod
    async def claim(self, key: str, ttl: float) -> bool:
        """True for the first who asks in `ttl` seconds: one probe, not one per process."""

    @abstractmethod
    async def add(self, key: str, amount: float, ttl: float) -> float:
        """Add to a counter, and return what it now is."""

    @abstractmethod
    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        """Take a turn in a queue that moves every `interval` seconds: how long to wait for it.

        When that is longer than `patience`, no turn is taken, and the wait is returned negative.
        """

    @abstractmethod
    async def forget(self, prefix: str) -> int:
        """Delete what starts with `prefix`; returns how many there were."""

    @abstractmethod
    async def size(self, prefix: str) -> tuple[int, int]:
        """How many values start with `prefix`, and their bytes."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of files and connections."""


def _next_turn(
    arrival: float, now: float, interval: float, burst: int, patience: float
) -> tuple[float, float]:
    """The generic cell rate algorithm: one number is the whole queue. → (wait, new arrival)"""
    arrival = max(arrival, now - interval * burst)  # unused turns add up to a burst, and no more
    start = arrival + interval
    wait = max(0.0, start - now)
    return (-wait, arrival) if wait > patience else (wait, start)


class MemoryStore(Store):
    """For one process: tests, and people who want nothing on disk."""

    MOST = 20_000

    def __init__(self) -> None:
        self._values: dict[str, tuple[bytes | float, float]] = {}

    def _live(self, key: str) -> Any:
        found = self._values.get(key)
        return None if found is None or found[1] <= time.time() else found[0]

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return [self._live(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        now = time.time()
        if len(self._values) >= self.MOST:
            live = [(k, v) for k, v in self._values.items() if v[1] > now]
            self._values = dict(live[-self.MOST * 9 // 10 :])  # the oldest go first
        self._values[key] = (value, now + ttl)

    async def claim(self, key: str, ttl: float) -> bool:
        if self._live(key) is not None:
            return False
        await self.put(key, b"1", ttl)
        return True

    async def add(self, key: str, amount: float, ttl: float) -> float:
        total: float = (self._live(key) or 0.0) + amount
        old = self._values.get(key)
        live = old is not None and old[1] > time.time()
        self._values[key] = (total, old[1] if live and old else time.time() + ttl)
        return total

    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        now = time.time()
        wait, arrival = _next_turn(self._live(key) or 0.0, now, interval, burst, patience)
        self._values[key] = (arrival, now + interval * burst + abs(wait) + 60)
        return wait

    async def forget(self, prefix: str) -> int:
        gone = [k for k in self._values if k.startswith(prefix)]
        for key in gone:
            del self._values[key]
        return len(gone)

    async def size(self, prefix: str) -> tuple[int, int]:
        live = [v for k, (v, _) in self._values.items() if k.startswith(prefix)]
        return len(live), sum(len(v) for v in live if isinstance(v, bytes))

    async def close(self) -> None:
        self._values.clear()


class SqliteStore(Store):
    """For the processes of one machine. What is in it can be lost without harm: a damaged file
    is set aside and begun anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._puts = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kensaku-store")

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._guarded, work)

    def _guarded(self, work: Callable[[sqlite3.Connection], T]) -> T:
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
        found = dict(await self._run(lambda db: db.execute(sql, (*keys, time.time())).fetchall()))
        return [found.get(k) for k in keys]

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        row = (key, value, time.time() + ttl)
        self._puts += 1
        tidy = self._puts % 1_000 == 0

        def work(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", row)
            if tidy:
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

    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        def work(db: sqlite3.Connection) -> float:
            db.execute("BEGIN IMMEDIATE")
            try:
                now = time.time()
                row = db.execute("SELECT v FROM kv WHERE k = ?", (key,)).fetchone()
                wait, arrival = _next_turn(row[0] if row else 0.0, now, interval, burst, patience)
                keep = now + interval * burst + abs(wait) + 60
                db.execute("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", (key, arrival, keep))
                return wait
            finally:
                db.execute("COMMIT")

        return await self._run(work)

    async def forget(self, prefix: str) -> int:
        sql = "DELETE FROM kv WHERE k >= ? AND k < ?"
        return await self._run(lambda db: db.execute(sql, (prefix, prefix + "\U0010ffff")).rowcount)

    async def size(self, prefix: str) -> tuple[int, int]:
        sql = "SELECT count(*), coalesce(sum(length(v)), 0) FROM kv WHERE k >= ? AND k < ?"
        work = (prefix, prefix + "\U0010ffff")
        count, size = await self._run(lambda db: db.execute(sql, work).fetchone())
        return int(count), int(size)

    async def close(self) -> None:
        def work() -> None:
            if self._db is not None:
                self._db.close()
                self._db = None

        await asyncio.get_running_loop().run_in_executor(self._thread, work)
        self._thread.shutdown(wait=False)


# The same arithmetic as `_next_turn`, where all machines see one clock: the server's.
_TURN = """
local t = redis.call('TIME'); local now = t[1] + t[2] / 1000000
local interval, burst, patience = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now - interval * burst)
local start = arrival + interval
local wait = math.max(0, start - now)
if wait > patience then return tostring(-wait) end
redis.call('SET', KEYS[1], string.format('%.6f', start),
           'PX', math.ceil((interval * burst + wait + 60) * 1000))
return tostring(wait)
"""


class ValkeyStore(Store):
    """For many machines: one connection pool per event loop, made on first use."""

    PREFIX = "kensaku:"

    def __init__(self, url: str) -> None:
        self._url = url.replace("redis://", "valkey://", 1).replace("rediss://", "valkeys://", 1)
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}

    def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        if (client := self._clients.get(loop)) is None:
            for ended in [other for other in self._clients if other.is_closed()]:
                del self._clients[ended]
            try:
                from valkey.asyncio import Valkey
            except ImportError:
                raise MissingExtra("the Valkey client", "valkey") from None
            client = self._clients[loop] = Valkey.from_url(
                self._url, socket_timeout=5, socket_connect_timeout=2
            )
        return client

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        return list(await self._client().mget([self.PREFIX + k for k in keys]))

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        if ttl > 0:
            await self._client().set(self.PREFIX + key, value, px=max(1, int(ttl * 1000)))

    async def claim(self, key: str, ttl: float) -> bool:
        kept = await self._client().set(self.PREFIX + key, b"1", px=int(ttl * 1000) or 1, nx=True)
        return bool(kept)

    async def add(self, key: str, amount: float, ttl: float) -> float:
        pipe = self._client().pipeline()
        pipe.incrbyfloat(self.PREFIX + key, amount)
        pipe.expire(self.PREFIX + key, int(ttl) + 1, nx=True)
        return float((await pipe.execute())[0])

    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        script = self._client().register_script(_TURN)
        wait = await script(keys=[self.PREFIX + key], args=[interval, burst, patience])
        return float(wait)

    async def forget(self, prefix: str) -> int:
        gone = 0
        async for key in self._client().scan_iter(match=f"{self.PREFIX}{prefix}*", count=1000):
            gone += await self._client().delete(key)
        return gone

    async def size(self, prefix: str) -> tuple[int, int]:
        count = size = 0
        async for key in self._client().scan_iter(match=f"{self.PREFIX}{prefix}*", count=1000):
            count, size = count + 1, size + await self._client().strlen(key)
        return count, size

    async def close(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        self._clients.clear()
        if client is not None:
            await client.aclose()


def open_store(url: str, home: Path, name: str) -> Store:
    """The store that a setting names. Nothing is opened before the first use."""
    if not url:
        return SqliteStore(home / f"{name}.sqlite")
    if url == "memory:":
        return MemoryStore()
    if url.startswith(("valkey://", "valkeys://", "redis://", "rediss://", "unix://")):
        return ValkeyStore(url)
    if url.startswith("sqlite:"):
        return SqliteStore(Path(url.removeprefix("sqlite:").removeprefix("//")).expanduser())
    raise ConfigError(
        f"{url.partition(':')[0][:20]!r} is no kind of store",
        remedy="write valkey://host:6379, sqlite:///path, memory:, or nothing",
    )


class Steady(Store):
    """A store that never takes a search along when it fails: for a while, memory stands in.

    Limits are then kept by this process alone, and the log says so.
    """

    PAUSE = 30.0

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spare = MemoryStore()
        self._until = 0.0
        self._failing = False

    async def _either(self, call: Callable[[Store], Any]) -> Any:
        if time.monotonic() >= self._until:
            try:
                result = await call(self._store)
            except MissingExtra:
                raise
            except Exception as error:
                self._until = time.monotonic() + self.PAUSE
                if not self._failing:  # said once, not every half minute
                    log.warning(
                        "%s does not work (%s): limits and cache are kept in memory for now",
                        type(self._store).__name__,
                        type(error).__name__,
                    )
                self._failing = True
            else:
                self._failing = False
                return result
        return await call(self._spare)

    async def get(self, keys: Sequence[str]) -> list[bytes | None]:
        found: list[bytes | None] = await self._either(lambda s: s.get(keys))
        return found

    async def put(self, key: str, value: bytes, ttl: float) -> None:
        await self._either(lambda s: s.put(key, value, ttl))

    async def claim(self, key: str, ttl: float) -> bool:
        return bool(await self._either(lambda s: s.claim(key, ttl)))

    async def add(self, key: str, amount: float, ttl: float) -> float:
        return float(await self._either(lambda s: s.add(key, amount, ttl)))

    async def turn(self, key: str, interval: float, burst: int, patience: float) -> float:
        return float(await self._either(lambda s: s.turn(key, interval, burst, patience)))

    async def forget(self, prefix: str) -> int:
        return int(await self._either(lambda s: s.forget(prefix)))

    async def size(self, prefix: str) -> tuple[int, int]:
        count, size = await self._either(lambda s: s.size(prefix))
        return count, size

    async def close(self) -> None:
        await self._store.close()
