"""A saved query that shows only what is new since last time.

    k.watch("python 3.15") → search past the cache → hits that were not there before → saved

What was shown is kept by the digest of its address in a private file in home. A search that could
not be made, or only in part, forgets nothing and marks nothing as seen.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.errors import ConfigError, InvalidQuery, UnknownName
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.text.urls import canonical

if TYPE_CHECKING:
    from kensaku.models import Hit, Response

MAX_SEEN = 5_000  # addresses of one query, the newest
MAX_WATCHES = 1_000


@dataclass(frozen=True, slots=True)
class News:
    """The new results of a saved query."""

    query: str
    new: tuple[Hit, ...]
    response: Response
    since: datetime | None  # of the last time; None: this was the first

    @property
    def outcome(self) -> Outcome:
        """The outcome of the search; no new results does not mean `empty`."""
        return self.response.outcome


@dataclass(slots=True)
class Watch:
    """A saved query, with its options and the results already shown."""

    query: str
    options: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)  # digest of the address → when
    last: float | None = None

    def take(self, response: Response, now: float | None = None) -> News:
        """Return what is new in a response, and remember it."""
        at = time.time() if now is None else now
        since = None if self.last is None else datetime.fromtimestamp(self.last, UTC)
        if response.outcome is Outcome.UNAVAILABLE:
            return News(self.query, (), response, since)
        fresh = {digest: hit for hit in response.hits if (digest := _digest(hit)) not in self.seen}
        self.seen.update(dict.fromkeys(fresh, at))
        for digest in sorted(self.seen, key=self.seen.__getitem__)[:-MAX_SEEN]:
            del self.seen[digest]
        self.last = at
        return News(self.query, tuple(fresh.values()), response, since)


class Watches:
    """The saved queries of a home, one file each."""

    def __init__(self, home: Path, tenant: str = "") -> None:
        name = hashlib.sha256(tenant.encode()).hexdigest()[:16] if tenant else "own"
        self._folder = home / "watches" / name

    def open(self, query: str, options: Mapping[str, Any]) -> Watch:
        """Return the saved query, or a new one. Options that are given replace the saved ones."""
        text = " ".join(query.split())
        if not text:
            raise InvalidQuery(msg("the query is empty"), remedy=msg("say what to watch for"))
        try:
            stored = json.loads(self._path(text).read_text("utf-8"))
            watch = Watch(text, dict(stored["options"]), dict(stored["seen"]), stored["last"])
        except FileNotFoundError:
            watch = Watch(text)
        except (OSError, ValueError, KeyError, TypeError):
            raise ConfigError(
                msg("a saved query cannot be read"),
                remedy=msg("remove it: kensaku watch --remove QUERY"),
            ) from None
        watch.options.update(options)
        return watch

    def save(self, watch: Watch) -> None:
        """Write it, private, all or nothing."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(watch.query)
        if not path.exists() and len(list(self._folder.iterdir())) >= MAX_WATCHES:
            raise InvalidQuery(
                msg("there are {max_watches:,} saved queries", max_watches=MAX_WATCHES),
                remedy=msg("remove some"),
            )
        text = json.dumps(
            {"query": watch.query, "options": watch.options, "seen": watch.seen, "last": watch.last}
        )
        part = path.with_suffix(f".{os.getpid()}.part")
        part.touch(mode=0o600)
        part.write_text(text, "utf-8")
        part.replace(path)

    def list(self) -> list[tuple[str, datetime | None]]:
        """Return the saved queries and when each last ran."""
        found = []
        for path in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            try:
                stored = json.loads(path.read_text("utf-8"))
                at = stored["last"]
                found.append((str(stored["query"]), at and datetime.fromtimestamp(at, UTC)))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return found

    def remove(self, query: str) -> None:
        """Forget a saved query. Raises `UnknownName`."""
        text = " ".join(query.split())
        try:
            self._path(text).unlink()
        except FileNotFoundError:
            raise UnknownName(msg("saved query"), text, [q for q, _ in self.list()]) from None

    def _path(self, query: str) -> Path:
        return self._folder / f"{hashlib.sha256(query.encode()).hexdigest()[:32]}.json"


def _digest(hit: Hit) -> str:
    return hashlib.sha256(canonical(hit.url).encode()).hexdigest()[:32]
