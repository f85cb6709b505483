"""The state of a crawl in SQLite: what waits, what is done, and the pages themselves.

In memory, or in a file that survives a kill: what was taken and not finished waits again.
Every call is short and runs in one thread of its own.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from kensaku.models import Page

T = TypeVar("T")
VARIANTS = 20  # addresses that differ in their query alone: calendars, filters, sort orders
WAITING = 100_000  # how long the queue may become

_TABLES = {
    "links": "CREATE TABLE IF NOT EXISTS links (url TEXT PRIMARY KEY, depth INTEGER, score REAL,"
    " state INTEGER, place INTEGER, page TEXT) WITHOUT ROWID",
    "paths": "CREATE TABLE IF NOT EXISTS paths (path TEXT PRIMARY KEY, many INTEGER) WITHOUT ROWID",
    "contents": "CREATE TABLE IF NOT EXISTS contents (hash BLOB PRIMARY KEY, url TEXT)"
    " WITHOUT ROWID",
}
_INDEX = "CREATE INDEX IF NOT EXISTS waiting ON links (state, depth, score DESC, place)"
_WAITS, _DONE, _FAILED = 0, 2, 3
_LISTS = ("images", "links", "notes")


class Frontier:
    """URLs of one crawl, each of them once."""

    def __init__(self, path: Path | None = None, *, fresh: bool = True) -> None:
        self._path, self._fresh = path, fresh
        self._db: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kensaku-crawl")
        self._taken: set[str] = set()  # handed out, not finished: known to this process alone

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: work(self._open()))

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                self._db = self._connect()
            except sqlite3.OperationalError:  # another process is at this very crawl
                self._path = None
                self._db = self._connect()
            except sqlite3.DatabaseError:  # damaged: what it held is fetched again
                assert self._path is not None
                self._path.unlink()
                self._db = self._connect()
        return self._db

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
        db = sqlite3.connect(self._path or ":memory:", isolation_level=None, timeout=0.5)
        try:
            db.execute("PRAGMA locking_mode=EXCLUSIVE")
            db.execute("PRAGMA journal_mode=TRUNCATE")
            db.execute("PRAGMA synchronous=OFF")  # a killed process loses nothing
            db.execute("BEGIN EXCLUSIVE")
            for table in _TABLES if self._fresh else ():
                db.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in (*_TABLES.values(), _INDEX):
                db.execute(statement)
            db.execute("COMMIT")
        except sqlite3.Error:
            db.close()
            raise
        return db

    async def add(self, links: Iterable[tuple[str, float]], depth: int) -> int:
        """Let links wait; those that are known, and those over a bound, are not added."""

        def work(db: sqlite3.Connection) -> int:
            (place,) = db.execute("SELECT count(*) FROM links").fetchone()
            added = 0
            db.execute("BEGIN")
            for url, score in links:
                if place + added >= WAITING or not _new_variant(db, url):
                    continue
                row = (url, depth, score, _WAITS, place + added)
                added += db.execute(
                    "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, NULL)", row
                ).rowcount
            db.execute("COMMIT")
            return added

        return await self._run(work)

    async def take(self, most: int) -> list[tuple[str, int, float]]:
        """The next links, the shallow and the fitting first: url, depth, score."""

        def work(db: sqlite3.Connection) -> list[tuple[str, int, float]]:
            rows = db.execute(
                "SELECT url, depth, score FROM links WHERE state = ?"
                " ORDER BY depth, score DESC, place LIMIT ?",
                (_WAITS, most + len(self._taken)),
            )
            chosen = [row for row in rows if row[0] not in self._taken][:most]
            self._taken.update(row[0] for row in chosen)
            return chosen

        return await self._run(work)

    async def done(self, url: str, page: Page | None, score: float = 0.0) -> None:
        """A link is finished: with its page, or with nothing to show."""
        text = None if page is None else json.dumps(page.to_dict(), ensure_ascii=False)
        row = (_FAILED if page is None else _DONE, text, score, url)

        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE links SET state = ?, page = ?, score = ? WHERE url = ?", row)
            self._taken.discard(url)

        await self._run(work)

    async def first_time(self, digest: bytes, url: str) -> bool:
        """Whether a text was not met elsewhere: the same page under many addresses is a trap. Under
        the same address it is a page that was being read when the crawl was killed."""

        def work(db: sqlite3.Connection) -> bool:
            db.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (digest, url))
            found = db.execute("SELECT url FROM contents WHERE hash = ?", (digest,)).fetchone()
            return bool(found[0] == url)

        return await self._run(work)

    async def pages(self) -> list[Page]:
        """The pages of an earlier run."""
        rows = await self._run(
            lambda db: db.execute(
                "SELECT page FROM links WHERE state = ? AND page IS NOT NULL ORDER BY place",
                (_DONE,),
            ).fetchall()
        )
        return [_page(row[0]) for row in rows]

    async def urls(self) -> list[str]:
        """Every link that was met, in order."""
        rows = await self._run(
            lambda db: db.execute(
                "SELECT url FROM links ORDER BY depth, score DESC, place"
            ).fetchall()
        )
        return [row[0] for row in rows]

    async def counts(self) -> tuple[int, int]:
        """How many are done (with or without a page), and how many wait."""
        rows = dict(
            await self._run(
                lambda db: db.execute(
                    "SELECT state = ?, count(*) FROM links GROUP BY 1", (_WAITS,)
                ).fetchall()
            )
        )
        return rows.get(0, 0), rows.get(1, 0)

    async def close(self, *, forget: bool = False) -> None:
        """Close the file; `forget` deletes it, when there is nothing left to resume."""

        def work() -> None:
            if self._db is not None:
                self._db.close()
                self._db = None
            if forget and self._path is not None:
                self._path.unlink(missing_ok=True)

        await asyncio.get_running_loop().run_in_executor(self._thread, work)
        self._thread.shutdown(wait=False)


def _new_variant(db: sqlite3.Connection, url: str) -> bool:
    parts = urlsplit(url)
    if not parts.query:
        return True
    if db.execute("SELECT 1 FROM links WHERE url = ?", (url,)).fetchone():
        return False
    (many,) = db.execute(
        "INSERT INTO paths VALUES (?, 1) ON CONFLICT (path) DO UPDATE SET many = many + 1"
        " RETURNING many",
        (f"{parts.netloc}{parts.path}",),
    ).fetchone()
    return bool(many <= VARIANTS)


def _page(text: str) -> Page:
    names = {f.name for f in fields(Page)}
    known: dict[str, Any] = {n: v for n, v in json.loads(text).items() if n in names}
    return Page(**known | {n: tuple(known.get(n, ())) for n in _LISTS})
