"""Page cache: fresh for a while, then revalidated with ETag and Last-Modified.

    url → PageCache.get → CachedPage → still fresh, or If-None-Match / If-Modified-Since → 304

The key includes the tenant: no tenant can see what another one has read.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import zlib
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.store import Store

MAX_BYTES = 2 * 2**20  # of a body; larger pages are not cached
INLINE_BYTES = 64 * 2**10  # a larger body is compressed in a thread
_STORED_HEADERS = (
    "content-type", "etag", "last-modified", "x-robots-tag", "tdm-reservation", "content-signal",
    "content-language",
)  # fmt: skip
_VALIDATORS = (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified"))
_MAX_AGE = re.compile(r"(?:^|,)\s*max-age\s*=\s*\"?(\d{1,10})")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a copy of a page is from, when its own server did not give it."""

    rung: str  # site, reader or archive
    service: str
    url: str
    as_of: str = ""  # the day of a snapshot


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page before extraction: its bytes and headers, and where they came from."""

    url: str  # as asked for
    final_url: str  # after redirects
    status: int
    content_type: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fetched_at: str = ""  # ISO 8601, UTC: when the server last confirmed it
    via: str = "http"  # http, cache, browser, or the rung: site, reader, archive
    notes: tuple[str, ...] = ()
    source: Source | None = None  # of a copy
    is_private: bool = False  # read with headers for its host alone: it is never cached


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page from the cache, and until when it is fresh."""

    page: FetchedPage
    fresh_until: float

    @property
    def fresh(self) -> bool:
        return time.time() < self.fresh_until

    def conditions(self, url: str) -> dict[str, str]:
        """Return the headers of a conditional request; none for another URL than the page's."""
        headers = self.page.headers
        if url != self.page.final_url:
            return {}
        return {name: headers[own] for name, own in _VALIDATORS if headers.get(own)}


class PageCache:
    """Pages by tenant and URL, in a store with expiry."""

    def __init__(self, store: Store, tenant: str, *, fresh: float, keep: float) -> None:
        self._store, self._tenant, self._fresh, self._keep = store, tenant, fresh, keep

    def for_tenant(self, tenant: str) -> PageCache:
        """Return the pages of a tenant in the same store."""
        return PageCache(self._store, tenant, fresh=self._fresh, keep=self._keep)

    def key(self, url: str, service: str = "") -> str:
        """Return the key of a page of this tenant, or of the copy that a service has of it."""
        whole = f"{self._tenant}\x1e{url}{service and chr(0x1E) + service}".encode()
        return "page:" + blake2b(whole, digest_size=16).hexdigest()

    async def get(self, url: str, service: str = "") -> CachedPage | None:
        """Return a page, fresh or not; with `service`, the copy that it gave."""
        (raw,) = await self._store.get([self.key(url, service)])
        if raw is None:
            return None
        try:
            if len(raw) <= INLINE_BYTES:
                return _unpack(raw, url)
            return await asyncio.to_thread(_unpack, raw, url)
        except (ValueError, KeyError, TypeError, zlib.error):
            return None  # written by another version

    async def put(self, page: FetchedPage) -> None:
        """Store a page, unless its server forbids that."""
        control = page.headers.get("cache-control", "").lower()
        if "no-store" in control or len(page.body) > MAX_BYTES or page.status != 200:
            return
        if page.is_private:
            return
        until = time.time() + self._freshness(control)
        if len(page.body) <= INLINE_BYTES:
            raw = _pack(page, until)
        else:
            raw = await asyncio.to_thread(_pack, page, until)
        service = page.source.service if page.source else ""
        await self._store.put(self.key(page.url, service), raw, self._keep)

    def _freshness(self, cache_control: str) -> float:
        """Return for how many seconds a page needs no revalidation."""
        if "no-cache" in cache_control:
            return 0.0
        age = _MAX_AGE.search(cache_control)
        return self._fresh if age is None else min(float(age[1]), max(self._fresh, 3600.0))


def utc_now() -> str:
    """Return the time as `fetched_at` has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _pack(page: FetchedPage, until: float) -> bytes:
    head = {
        "until": until,
        "final_url": page.final_url,
        "headers": {n: page.headers[n] for n in _STORED_HEADERS if n in page.headers},
        "at": page.fetched_at,
        "notes": page.notes,
        "source": page.source and astuple(page.source),
    }
    return json.dumps(head).encode() + b"\n" + zlib.compress(page.body, 1)


def _unpack(raw: bytes, url: str) -> CachedPage:
    head, _, body = raw.partition(b"\n")
    stored = json.loads(head)
    page = FetchedPage(
        url=url,
        final_url=stored["final_url"],
        status=200,
        content_type=stored["headers"].get("content-type", ""),
        body=zlib.decompress(body, bufsize=MAX_BYTES),
        headers=stored["headers"],
        fetched_at=stored["at"],
        via="cache",
        notes=tuple(stored["notes"]),
        source=Source(*stored["source"]) if stored.get("source") else None,
    )
    return CachedPage(page, stored["until"])
