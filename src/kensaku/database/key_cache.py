"""A cache of keys, for one process: a revoked key ends within a second in every process.

    find(secret) → entry younger than a second | one query for all that are waiting → ApiKey | None

Unknown keys are cached as well. One query is under way at a time, for up to `BATCH` keys, so a
flood of wrong keys costs the database no more than that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from kensaku._shielded import shielded
from kensaku.database.keys import ApiKey, any_key, find_hashes, hash_secret

if TYPE_CHECKING:
    from kensaku.database.engine import Database

Entry = tuple[ApiKey | None, float]  # the key, and until when that is known


class KeyCache:
    """Finds keys; asks the database for each at most once a second."""

    SECONDS = 1.0
    BATCH = 500
    MAX_ENTRIES = 10_000  # of known keys, and of unknown ones

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._db = db
        self._clock = clock
        self._known: dict[bytes, Entry] = {}
        self._unknown: dict[bytes, Entry] = {}  # apart: a flood must not push known keys out
        self._waiting: dict[bytes, asyncio.Future[ApiKey | None]] = {}
        self._lookup: asyncio.Task[None] | None = None
        self._required = (False, 0.0)
        self._asking: asyncio.Task[bool] | None = None

    async def find(self, secret: bytes | str) -> ApiKey | None:
        """Return the live key of a secret, or None. Raises `DatabaseFault`: it cannot be known."""
        digest = hash_secret(secret)
        return None if digest is None else await self.find_hash(digest)

    async def find_hash(self, digest: bytes) -> ApiKey | None:
        """Return the live key with this hash, or None. Raises `DatabaseFault`."""
        key, until = self._known.get(digest) or self._unknown.get(digest) or (None, 0.0)
        if self._clock() >= until:
            key = await self._look_up(digest)
        return key if key is not None and key.is_live() else None

    async def required(self) -> bool:
        """Whether callers need a key: from the first that is created, for ever."""
        required, until = self._required
        if required or self._clock() < until:
            return required
        if self._asking is None:  # one query for all that are waiting
            self._asking = asyncio.create_task(self._ask_required())
        return await shielded(self._asking)

    def require(self) -> None:
        """A key was created here: from now on callers need one, in other processes in a second."""
        self._required = (True, 0.0)

    async def _ask_required(self) -> bool:
        until = self._clock() + self.SECONDS
        try:
            required = await any_key(self._db)
        finally:
            self._asking = None
        self._required = (required, until)
        return required

    async def _look_up(self, digest: bytes) -> ApiKey | None:
        """Find the key by one query for all who ask for it."""
        future = self._waiting.get(digest)
        if future is None:
            future = self._waiting[digest] = asyncio.get_running_loop().create_future()
            if self._lookup is None:
                self._lookup = asyncio.create_task(self._run_lookups())
        return await shielded(future)

    async def _run_lookups(self) -> None:
        try:
            while self._waiting:
                batch = dict(islice(self._waiting.items(), self.BATCH))
                await self._run_lookup(batch)
                for digest in batch:
                    del self._waiting[digest]
        finally:
            for future in self._waiting.values():  # this task was cancelled
                future.cancel()
            self._waiting.clear()
            self._lookup = None

    async def _run_lookup(self, batch: dict[bytes, asyncio.Future[ApiKey | None]]) -> None:
        until = self._clock() + self.SECONDS  # from before the query: it may see what was before
        try:
            found = await find_hashes(self._db, batch)
        except Exception as error:
            for future in batch.values():
                future.set_exception(error)
            return
        for digest, future in batch.items():
            key = found.get(digest)
            self._remember(self._unknown if key is None else self._known, digest, (key, until))
            future.set_result(key)

    def _remember(self, entries: dict[bytes, Entry], digest: bytes, entry: Entry) -> None:
        self._known.pop(digest, None)
        self._unknown.pop(digest, None)
        if len(entries) >= self.MAX_ENTRIES:
            del entries[next(iter(entries))]  # the oldest
        entries[digest] = entry
