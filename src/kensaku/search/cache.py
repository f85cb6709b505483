"""Response cache with a TTL; expired entries are served only if every provider fails.

    cache_key(…) → memory → store → Response, or one search that all who ask the same share

`unavailable` is never kept, nor a response in which a provider failed. What is written holds
hits, never the query.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Container
from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from kensaku.errors import CalledOff
from kensaku.messages import msg
from kensaku.models import Attempt, Hit, Image, Outcome, Query, Response

if TYPE_CHECKING:
    from kensaku.providers.base import Provider
    from kensaku.resources import Resources
    from kensaku.search.route import Beside, Route
    from kensaku.store import Store

T = TypeVar("T")
IN_MEMORY = 1_024
EMPTY_SECONDS = 300.0  # "nothing" is looked up again sooner than something
COUNTED_SECONDS = 30 * 86_400.0
_COUNTERS = ("hits", "misses")


def cache_key(resources: Resources, query: Query, route: Route, beside: Beside) -> str:
    """The cache key of a response: everything that affects it, and its tenant.

    Tenant, every field of the query, the providers with their addresses and options, the mode,
    and the settings of the ranking.
    """
    s, names = resources.settings, (*route.names, *beside.names)
    hosts = [(n, resources.provider(n).base_url, s.provider(n).options) for n in names]
    ranking = (s.rank_per_domain, s.rank_block_domains, s.rank_undated)
    whole = repr((s.tenant, _QUERY_VALUES(query), hosts, route.mode, ranking)).encode()
    return "hits:" + hashlib.blake2b(whole, digest_size=16).hexdigest()


class Cache:
    """Responses by key: the newest in memory, all of them in the store."""

    def __init__(self, store: Store, ttl: float, stale: float) -> None:
        self._store, self._ttl, self._stale = store, ttl, stale
        self._memory: OrderedDict[str, tuple[float, Response]] = OrderedDict()
        self._uses = dict.fromkeys(_COUNTERS, 0)  # since they were last written

    def remembered(self, key: str) -> Response | None:
        """The response under this key in memory, while its TTL lasts: without waiting."""
        response = self._if_fresh(self._memory.get(key))
        self._uses["hits"] += response is not None
        return response

    async def fresh(self, key: str, query: Query) -> Response | None:
        """The response under this key, in memory or in the store, while its TTL lasts."""
        response = self._if_fresh(self._memory.get(key) or await self._load(key, query))
        self._uses["misses" if response is None else "hits"] += 1
        return response

    def _if_fresh(self, entry: tuple[float, Response] | None) -> Response | None:
        if entry is None or not 0 <= _age(entry[0]) <= self._ttl_of(entry[1]):
            return None
        return entry[1]

    async def stale(self, key: str, query: Query) -> Response | None:
        """The response under this key after its TTL: for when every provider fails."""
        entry = self._memory.get(key) or await self._load(key, query)
        age = -1.0 if entry is None else _age(entry[0])
        if entry is None or not 0 <= age <= self._ttl + self._stale:
            return None
        note = msg(
            "nobody could search; this is what was found {age:.0f} minutes ago", age=age / 60
        )
        return replace(entry[1], stale=True, notes=(*entry[1].notes, note))

    async def keep(self, key: str, response: Response) -> None:
        """Store a response. `worth_keeping` says which."""
        asked = tuple(replace(a, cost=0.0) for a in response.attempts if a.sent)  # paid once
        marked = replace(response, cached=True, attempts=asked)
        self._remember(key, time.time(), marked)
        await self._store.put(key, _dump(marked), self._ttl + self._stale)
        await self.write_counts()

    async def write_counts(self) -> None:
        """Add this process's hits and misses to the shared counters."""
        for name, count in self._uses.items():
            if count:
                self._uses[name] = 0
                await self._store.add(f"uses:{name}", count, COUNTED_SECONDS)

    async def counts(self) -> dict[str, int]:
        """Hits and misses of all processes, of the last 30 days at the most."""
        return {n: round(await self._store.add(f"uses:{n}", 0, COUNTED_SECONDS)) for n in _COUNTERS}

    async def clear(self) -> int:
        """Remove everything; how many entries there were."""
        self._memory.clear()
        removed = [await self._store.forget(kind) for kind in ("hits:", "page:", "robots:")]
        return sum(removed)

    async def size(self) -> tuple[int, int]:
        """The number of cached responses, and their bytes."""
        return await self._store.size("hits:")

    def _ttl_of(self, response: Response) -> float:
        return self._ttl if response.hits else min(self._ttl, EMPTY_SECONDS)

    def _remember(self, key: str, at: float, response: Response) -> None:
        self._memory[key] = (at, response)
        if len(self._memory) > IN_MEMORY:
            self._memory.popitem(last=False)

    async def _load(self, key: str, query: Query) -> tuple[float, Response] | None:
        (raw,) = await self._store.get([key])
        try:
            entry = None if raw is None else _parse(raw, query)
        except (ValueError, KeyError, TypeError):
            return None  # written by another version: as good as nothing
        if entry is not None:
            self._remember(key, *entry)
        return entry


def worth_keeping(
    response: Response, provider: Callable[[str], Provider], beside: Container[str] = ()
) -> bool:
    """Whether to cache it: found or empty, whole, no provider failed, and one that was asked is
    cacheable. (The local index answers faster than a cache, and changes.) Those that were asked
    `beside` the route may fail."""
    sent = [a for a in response.attempts if a.sent and a.provider not in beside]
    return (
        response.outcome is not Outcome.UNAVAILABLE
        and not response.partial
        and not response.stale
        and not any(a.error and not isinstance(a.error, CalledOff) for a in sent)
        and any(provider(a.provider).cacheable for a in sent)
    )


def _age(at: float) -> float:
    """Seconds since then; negative when the clock was set back, and nobody knows."""
    age = time.time() - at
    return max(age, 0.0) if age > -1 else age


_QUERY_VALUES = attrgetter(*(f.name for f in fields(Query)))  # all: a new field counts by itself


def _dump(response: Response) -> bytes:
    whole = {
        "at": time.time(),
        "hits": [hit.to_dict() for hit in response.hits],
        "answer": response.answer,
        "answered_by": response.answered_by,
        "images": [image.to_dict() for image in response.images],
        "attempts": [a.to_dict() for a in response.attempts],
        "notes": response.notes,
    }
    return json.dumps(whole, ensure_ascii=False).encode()


def _parse(raw: bytes, query: Query) -> tuple[float, Response]:
    values = json.loads(raw)
    hits = tuple(Hit.from_dict(h) for h in values["hits"])
    response = Response(
        query=query,
        outcome=Outcome.FOUND if hits or values["answer"] else Outcome.EMPTY,
        hits=hits,
        answer=values["answer"],
        answered_by=values["answered_by"],
        images=tuple(Image(**image) for image in values["images"]),
        attempts=tuple(Attempt.from_dict(a) for a in values["attempts"]),
        notes=tuple(values["notes"]),
        cached=True,
    )
    return values["at"], response
