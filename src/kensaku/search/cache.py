"""What was found is kept: fresh for a while, then only for the hour when nobody can search.

    key(tenant, query, route) → memory → store → Response, or one flight that all who ask share

`unavailable` is never kept, nor is anything that a failing provider had a part in. What is
written holds hits, never the query.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from kensaku.errors import CalledOff
from kensaku.models import Attempt, Hit, Outcome, Query, Response, Source

if TYPE_CHECKING:
    from kensaku.store import Store

T = TypeVar("T")
IN_MEMORY = 1_024
EMPTY_SECONDS = 300.0  # "nothing" is looked up again sooner than something


def cache_key(tenant: str, query: Query, route: str) -> str:
    """Everything that changes the answer, and whose it is. `route` names providers and mode,
    their addresses, and the settings of the ranking."""
    whole = repr((tenant, _ASKED(query), route)).encode()
    return "hits:" + hashlib.blake2b(whole, digest_size=16).hexdigest()


class Cache:
    """Responses by key: the newest in memory, all of them in the store."""

    def __init__(
        self, store: Store, ttl: float, stale: float, families: Mapping[str, str] | None = None
    ) -> None:
        self._store, self._ttl, self._stale = store, ttl, stale
        self._families = {} if families is None else families
        self._memory: OrderedDict[str, tuple[float, Response]] = OrderedDict()

    async def fresh(self, key: str, query: Query) -> Response | None:
        """What is known and still good."""
        known = self._memory.get(key)
        if known is None:
            known = await self._read(key, query)
        if known is None or time.time() - known[0] > self._life(known[1]):
            return None
        return known[1]

    async def stale(self, key: str, query: Query) -> Response | None:
        """What was known once: for when nobody can search."""
        known = self._memory.get(key) or await self._read(key, query)
        if known is None or time.time() - known[0] > self._ttl + self._stale:
            return None
        age = time.time() - known[0]
        note = f"nobody could search; this is what was found {age / 60:.0f} minutes ago"
        return replace(known[1], stale=True, notes=(*known[1].notes, note))

    async def keep(self, key: str, response: Response) -> None:
        """Keep a response, if it is one to keep."""
        if not worth_keeping(response):
            return
        marked = replace(response, cached=True)
        self._remember(key, time.time(), marked)
        await self._store.put(key, _written(marked), self._ttl + self._stale)

    async def clear(self) -> int:
        """Forget everything."""
        self._memory.clear()
        forgotten = [await self._store.forget(kind) for kind in ("hits:", "page:", "robots:")]
        return sum(forgotten)

    async def size(self) -> tuple[int, int]:
        """How many responses are kept, and their bytes."""
        return await self._store.size("hits:")

    def _life(self, response: Response) -> float:
        return self._ttl if response.hits else min(self._ttl, EMPTY_SECONDS)

    def _remember(self, key: str, at: float, response: Response) -> None:
        self._memory[key] = (at, response)
        if len(self._memory) > IN_MEMORY:
            self._memory.popitem(last=False)

    async def _read(self, key: str, query: Query) -> tuple[float, Response] | None:
        (raw,) = await self._store.get([key])
        try:
            known = None if raw is None else _read(raw, query, self._families)
        except (ValueError, KeyError, TypeError):
            return None  # written by another version: as good as nothing
        if known is not None:
            self._remember(key, *known)
        return known


def worth_keeping(response: Response) -> bool:
    """Found or empty, whole, and by providers that did not fail on the way; the local index
    answers faster than a cache, and changes."""
    return (
        response.outcome is not Outcome.UNAVAILABLE
        and not response.partial
        and not response.stale
        and not any(a.sent and _failed(a) for a in response.attempts)
        and any(a.sent and a.provider != "local" for a in response.attempts)
    )


def _failed(attempt: Attempt) -> bool:
    return attempt.error is not None and not isinstance(attempt.error, CalledOff)


class Flights:
    """Single flight: those who ask for the same thing at the same time wait for one answer."""

    def __init__(self) -> None:
        self._flying: dict[tuple[int, str], tuple[asyncio.Task[Any], list[None]]] = {}

    async def join(
        self, key: str, work: Callable[[], Awaitable[T]], good: Callable[[T], bool]
    ) -> T:
        """Run `work`, or wait for who runs it. A failed or cancelled flight is flown once more,
        by one of those who waited: its trouble may have been the first one's alone."""
        place = (id(asyncio.get_running_loop()), key)
        for last in (False, True):
            leader = place not in self._flying
            if leader:
                task = asyncio.ensure_future(work())
                self._flying[place] = (task, [])
                task.add_done_callback(lambda _: self._flying.pop(place, None))
            try:
                result = await self._wait(place)
            except asyncio.CancelledError:
                if last or leader or _being_cancelled():
                    raise
            except Exception:
                if last or leader:
                    raise
            else:
                if last or leader or good(result):
                    return result  # type: ignore[no-any-return]
        raise AssertionError("unreachable")

    async def _wait(self, place: tuple[int, str]) -> Any:
        task, waiting = self._flying[place]
        waiting.append(None)
        try:
            return await asyncio.shield(task)
        finally:
            waiting.pop()
            if not waiting and not task.done():
                task.cancel()  # nobody is left who wants it


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


_ASKED = attrgetter(*(f.name for f in fields(Query)))  # every field: a new one counts by itself
_HIT_FIELDS = tuple(f.name for f in fields(Hit) if f.name != "sources")


def _written(response: Response) -> bytes:
    hits = [
        {n: v for n in _HIT_FIELDS if (v := getattr(h, n)) is not None}
        | {"sources": [[s.provider, s.rank, s.score] for s in h.sources]}
        for h in response.hits
    ]
    asked = [[a.provider, a.outcome, a.elapsed_ms, a.hits] for a in response.attempts if a.sent]
    whole = {"at": time.time(), "hits": hits, "answer": response.answer, "asked": asked}
    whole["answered_by"] = response.answered_by
    return json.dumps(whole | {"notes": response.notes}, ensure_ascii=False).encode()


def _read(raw: bytes, query: Query, families: Mapping[str, str]) -> tuple[float, Response]:
    known = json.loads(raw)
    hits = tuple(
        Hit(**{**h, "sources": tuple(Source(*s) for s in h["sources"])}) for h in known["hits"]
    )
    response = Response(
        query=query,
        outcome=Outcome.FOUND if hits or known["answer"] else Outcome.EMPTY,
        hits=hits,
        answer=known["answer"],
        answered_by=known["answered_by"],
        attempts=tuple(
            Attempt(p, Outcome(o), elapsed_ms=ms, hits=n) for p, o, ms, n in known["asked"]
        ),
        families=families,
        notes=tuple(known["notes"]),
        cached=True,
    )
    return known["at"], response
