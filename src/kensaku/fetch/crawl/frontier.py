"""The state of a crawl in SQLite: queued links, finished links, and the pages themselves.

It is in memory, or in a file that survives a kill: links that were taken and not finished are
queued again. Every call is short and runs in one thread of its own.
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

from kensaku._shielded import end_thread
from kensaku.models import Page

T = TypeVar("T")
MAX_VARIANTS = 20  # URLs that differ in their query alone: calendars, filters, sort orders
MAX_LINKS = 100_000

_TABLES = {
    "links": "CREATE TABLE IF NOT EXISTS links (url TEXT PRIMARY KEY, depth INTEGER, score REAL,"
    " state INTEGER, place INTEGER, page TEXT) WITHOUT ROWID",
    "paths": "CREATE TABLE IF NOT EXISTS paths (path TEXT PRIMARY KEY, many INTEGER) WITHOUT ROWID",
    "contents": "CREATE TABLE IF NOT EXISTS contents (hash BLOB PRIMARY KEY, url TEXT)"
    " WITHOUT ROWID",
}
_INDEX = "CREATE INDEX IF NOT EXISTS waiting ON links (state, depth, score DESC, place)"
_QUEUED, _FINISHED = 0, 2
_TUPLES = ("images", "links", "notes")


class Frontier:
    """The URLs of one crawl, each once."""

    def __init__(self, path: Path | None = None, *, fresh: bool = True) -> None:
        self._path, self._fresh = path, fresh
        self._db: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kensaku-crawl")
        self._in_progress: set[str] = set()  # taken and not finished; not in the file

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: work(self._open()))

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                self._db = self._connect()
            except sqlite3.OperationalError:  # another process runs the same crawl
                self._path = None
                self._db = self._connect()
            except sqlite3.DatabaseError:  # damaged: its pages are fetched again
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

    async def add(self, links: Iterable[tuple[str, float]], depth: int) -> list[tuple[str, float]]:
        """Queue links and return them; skip those that are known or over a limit."""

        def work(db: sqlite3.Connection) -> list[tuple[str, float]]:
            (place,) = db.execute("SELECT count(*) FROM links").fetchone()
            added: list[tuple[str, float]] = []
            db.execute("BEGIN")
            for url, score in links:
                if place + len(added) >= MAX_LINKS or not _new_variant(db, url):
                    continue
                row = (url, depth, score, _QUEUED, place + len(added))
                insert = "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, NULL)"
                if db.execute(insert, row).rowcount:
                    added.append((url, score))
            db.execute("COMMIT")
            return added

        return await self._run(work)

    async def take(self, most: int) -> list[tuple[str, int, float]]:
        """Take the next links, by depth and then by score: url, depth, score."""

        def work(db: sqlite3.Connection) -> list[tuple[str, int, float]]:
            rows = db.execute(
                "SELECT url, depth, score FROM links WHERE state = ?"
                " ORDER BY depth, score DESC, place LIMIT ?",
                (_QUEUED, most + len(self._in_progress)),
            )
            links = [row for row in rows if row[0] not in self._in_progress][:most]
            self._in_progress.update(row[0] for row in links)
            return links

        return await self._run(work)

    async def finish(self, url: str, page: Page | None, score: float = 0.0) -> None:
        """Mark a link as finished, with its page or without one."""
        text = None if page is None else _dump(page)
        row = (_FINISHED, text, score, url)

        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE links SET state = ?, page = ?, score = ? WHERE url = ?", row)
            self._in_progress.discard(url)

        await self._run(work)

    async def is_new_text(self, digest: bytes, url: str) -> bool:
        """Tell whether no other URL had this text: one page under many addresses is a trap.

        The same URL may have it: the crawl was killed while it was being read.
        """

        def work(db: sqlite3.Connection) -> bool:
            db.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (digest, url))
            (first,) = db.execute("SELECT url FROM contents WHERE hash = ?", (digest,)).fetchone()
            return bool(first == url)

        return await self._run(work)

    async def pages(self) -> list[Page]:
        """Return the pages of an earlier run."""
        rows = await self._run(
            lambda db: db.execute(
                "SELECT page FROM links WHERE page IS NOT NULL ORDER BY place"
            ).fetchall()
        )
        return [_load(row[0]) for row in rows]

    async def urls(self) -> list[str]:
        """Return every link, by depth and then by score."""
        rows = await self._run(
            lambda db: db.execute(
                "SELECT url FROM links ORDER BY depth, score DESC, place"
            ).fetchall()
        )
        return [row[0] for row in rows]

    async def counts(self) -> tuple[int, int]:
        """Count the finished links (with or without a page) and the queued ones."""
        rows = dict(
            await self._run(
                lambda db: db.execute(
                    "SELECT state = ?, count(*) FROM links GROUP BY 1", (_QUEUED,)
                ).fetchall()
            )
        )
        return rows.get(0, 0), rows.get(1, 0)

    async def close(self, *, forget: bool = False) -> None:
        """Close the file; with `forget`, delete it: there is nothing left to resume."""

        def work() -> None:
            if self._db is not None:
                self._db.close()
                self._db = None
            if forget and self._path is not None:
                self._path.unlink(missing_ok=True)

        await end_thread(self._thread, work)


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
    return bool(many <= MAX_VARIANTS)


def _dump(page: Page) -> str:
    stored = page.to_dict() | {"needs_browser": page.needs_browser}
    return json.dumps(stored, ensure_ascii=False)


def _load(text: str) -> Page:
    names = {f.name for f in fields(Page)}
    stored: dict[str, Any] = {n: v for n, v in json.loads(text).items() if n in names}
    return Page(**stored | {n: tuple(stored.get(n, ())) for n in _TUPLES})
