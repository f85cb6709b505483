"""Pages that were fetched before: fresh for a while, then asked for with their validators.

    url → PageCache.get → Kept → still fresh, or If-None-Match / If-Modified-Since → 304 → the same

The key covers the tenant: what one of them may read, or has read, is nobody else's business.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.store import Store

MAX_KEPT = 2 * 2**20
INLINE = 64 * 2**10  # a body this small is packed without leaving the event loop
_KEPT_HEADERS = (
    "content-type", "etag", "last-modified", "x-robots-tag", "tdm-reservation", "content-signal",
    "content-language",
)  # fmt: skip
_MAX_AGE = re.compile(r"(?:^|,)\s*max-age\s*=\s*\"?(\d{1,10})")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came: bytes, and how they were had."""

    url: str  # as it was asked for
    final_url: str  # after redirects
    status: int
    content_type: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fetched_at: str = ""  # ISO 8601, UTC: when the server last vouched for it
    rung: str = "http"  # http, cache, or browser
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A page of the cache."""

    page: Fetched
    fresh_until: float

    @property
    def fresh(self) -> bool:
        return time.time() < self.fresh_until

    def conditions(self, url: str) -> dict[str, str]:
        """Headers that ask for the page only if it has changed: to the URL that gave them."""
        headers = self.page.headers
        if url != self.page.final_url:
            return {}
        asked = (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified"))
        return {name: headers[kept] for name, kept in asked if headers.get(kept)}


class PageCache:
    """Pages by tenant and URL, in a store that forgets."""

    def __init__(self, store: Store, tenant: str, *, fresh: float, keep: float) -> None:
        self._store, self._tenant, self._fresh, self._keep = store, tenant, fresh, keep

    def key(self, url: str) -> str:
        """Whose page, and which."""
        whole = f"{self._tenant}\x1e{url}".encode()
        return "page:" + blake2b(whole, digest_size=16).hexdigest()

    async def get(self, url: str) -> Kept | None:
        """What is known of a page, fresh or not."""
        (raw,) = await self._store.get([self.key(url)])
        if raw is None:
            return None
        try:
            if len(raw) <= INLINE:
                return _unpacked(raw, url)
            return await asyncio.to_thread(_unpacked, raw, url)
        except (ValueError, KeyError, TypeError, zlib.error):
            return None  # written by another version

    async def put(self, page: Fetched) -> None:
        """Keep a page, unless its server asks us not to."""
        said = page.headers.get("cache-control", "").lower()
        if "no-store" in said or len(page.body) > MAX_KEPT or page.status != 200:
            return
        until = time.time() + self._life(said)
        if len(page.body) <= INLINE:
            raw = _packed(page, until)
        else:
            raw = await asyncio.to_thread(_packed, page, until)
        await self._store.put(self.key(page.url), raw, self._keep)

    def _life(self, said: str) -> float:
        if "no-cache" in said:
            return 0.0
        age = _MAX_AGE.search(said)
        return self._fresh if age is None else min(float(age[1]), max(self._fresh, 3600.0))


def now() -> str:
    """The time, as `fetched_at` has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _packed(page: Fetched, until: float) -> bytes:
    head = {
        "until": until,
        "final_url": page.final_url,
        "headers": {n: page.headers[n] for n in _KEPT_HEADERS if n in page.headers},
        "at": page.fetched_at,
        "notes": page.notes,
    }
    return json.dumps(head).encode() + b"\n" + zlib.compress(page.body, 1)


def _unpacked(raw: bytes, url: str) -> Kept:
    head, _, body = raw.partition(b"\n")
    known = json.loads(head)
    page = Fetched(
        url=url,
        final_url=known["final_url"],
        status=200,
        content_type=known["headers"].get("content-type", ""),
        body=zlib.decompress(body, bufsize=MAX_KEPT),
        headers=known["headers"],
        fetched_at=known["at"],
        rung="cache",
        notes=tuple(known["notes"]),
    )
    return Kept(page, known["until"])
