"""The threads of SQLite's connections: none outlives the database.

aiosqlite runs each connection in a thread. When the caller is cancelled while its connection opens,
nobody waits for that thread any more; it then reports to an event loop that may have been closed.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

JOIN_SECONDS = 15.0  # longer than a connection waits for SQLite's lock


class Connection(sqlite3.Connection):
    """Releases its locks when it is closed, and is closed when nobody has it any more.

    SQLite keeps a closed connection, with its transaction, as long as one of its statements lives.
    That of a cancelled caller lives until the garbage collector finds its traceback. And aiosqlite
    drops the connection of a caller who was cancelled while it was opened, without closing it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        cursor = super().cursor(*args, **kwargs)
        self._cursors.add(cursor)
        return cursor

    def close(self) -> None:
        for cursor in list(self._cursors):
            cursor.close()
        if self.in_transaction:
            self.rollback()
        super().close()

    def __del__(self) -> None:
        with suppress(sqlite3.Error, AttributeError):  # it may not have been opened
            self.close()


class SqliteThreads:
    """Knows the threads of one engine: `connect` is the `factory` of its connections."""

    def __init__(self) -> None:
        self._opening = 0  # connections whose threads have not shown themselves yet
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()

    def watch(self, engine: AsyncEngine) -> None:
        """Count the connections that the engine begins to open."""
        event.listen(engine.sync_engine, "do_connect", self._begin)

    def connect(self, *args: Any, **kwargs: Any) -> sqlite3.Connection:
        """Open a connection, in the thread that it will live in."""
        with self._changed:
            alive = [thread for thread in self._threads if thread.is_alive()]
            self._threads = [*alive, threading.current_thread()]
            self._opening -= 1
            self._changed.notify_all()
        # One thread at a time uses it, but which one drops it last is open.
        return Connection(*args, **kwargs | {"check_same_thread": False})

    async def join(self) -> None:
        """Wait for threads that are still opening or closing a connection."""
        await asyncio.to_thread(self._join)

    def _begin(self, *_: object) -> None:
        with self._changed:
            self._opening += 1

    def _join(self) -> None:
        deadline = time.monotonic() + JOIN_SECONDS
        with self._changed:
            self._changed.wait_for(lambda: not self._opening, JOIN_SECONDS)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
