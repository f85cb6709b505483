"""Record what providers answer, and play it again: no network, no key, the same findings.

    Kensaku(cassette=Cassette("otters.json", mode="record"))   asks, and writes down
    Kensaku(cassette=Cassette("otters.json"))                  sends nothing

    provider + fingerprint of the query → findings, or the typed error

The file is JSON that people can read. It holds no key, and not the query: where an upstream repeats
them, a mark stands in their place, and the query of the replay is put back there.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kensaku import errors
from kensaku.errors import (
    ConfigError,
    FetchError,
    KensakuError,
    NotAsked,
    PageUnavailable,
    ProviderError,
    UsageError,
)
from kensaku.models import Hit, Page, Query
from kensaku.testing._redaction import Discretion

if TYPE_CHECKING:
    from kensaku.providers.base import Findings, Provider, Transport

VERSION = 1
Entry = dict[str, Any]


class NotRecorded(NotAsked):
    """A replay was asked for something that was never recorded; nothing was sent."""


class Cassette:
    """Findings by provider and query. The same query asked several times plays its recordings in
    order, and the last one again and again. Recording into a file that is there keeps what it
    holds, but for the queries that are asked anew."""

    def __init__(self, path: str | Path, mode: Literal["record", "replay"] = "replay") -> None:
        if mode not in ("record", "replay"):
            raise UsageError(f"a cassette's mode is {str(mode)[:20]!r}; write record or replay")
        self.path = Path(path)
        self.replays = mode == "replay"
        self._salt = secrets.token_hex(8)
        self._order: list[str] = []
        self._asked: dict[str, list[Entry]] = {}
        self._pages: dict[str, list[Entry]] = {}
        self._played: dict[str, int] = {}
        self._new: set[str] = set()
        self._writing = threading.Lock()
        self._changes = self._written = 0
        if self.replays or self.path.exists():
            self._load()
        if not self.replays:
            self._save(self._snapshot(), 0)  # a place that cannot be written is known at once

    @property
    def providers(self) -> list[str]:
        """Who was asked, in the order of the recording: the route of a replay."""
        return list(self._order)

    async def ask(self, provider: Provider, query: Query, key: str, http: Transport) -> Findings:
        """Ask the provider and write down what it says; or say what it said."""
        discretion = Discretion(query.text, (key, *provider.option.values()))
        place = f"{provider.name} {self._fingerprint(query)}"
        if self.replays:
            return _findings(self._next(place, provider.name), provider.name, discretion)
        try:
            findings = await provider.ask(query, key, http)
        except ProviderError as error:
            await self._keep(self._asked, place, _error_entry(error, discretion))
            raise
        await self._keep(self._asked, place, _findings_entry(findings, discretion))
        return findings

    async def record_page(self, url: str, page: Page | FetchError) -> None:
        """Write down what came of fetching `url`."""
        if isinstance(page, Page):
            entry: Entry = {"page": page.to_dict()}
        else:
            entry = {"error": _described(page)}
        await self._keep(self._pages, url, entry)

    def page(self, url: str) -> Page:
        """What came of fetching `url`. Raises the recorded error, or `PageUnavailable`."""
        takes = self._pages.get(url)
        if not takes:
            raise PageUnavailable(
                "the page is not in the recording; nothing was fetched", remedy=self._remedy
            )
        entry = takes[self._turn(url, len(takes))]
        if said := entry.get("error"):
            kind = getattr(errors, said["type"], FetchError)
            raise kind(said["message"], remedy=said["remedy"])
        known = {f.name for f in fields(Page)}
        values: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v
            for n, v in entry["page"].items()
            if n in known
        }
        return Page(**values)

    def _fingerprint(self, query: Query) -> str:
        asked = "\x1f".join(f"{f.name}={getattr(query, f.name)}" for f in fields(query))
        return hashlib.blake2b(f"{self._salt}\x1e{asked}".encode(), digest_size=12).hexdigest()

    def _next(self, place: str, provider: str) -> Entry:
        if takes := self._asked.get(place):
            return takes[self._turn(place, len(takes))]
        raise NotRecorded(
            provider,
            "this query is not in the recording; nothing was sent",
            remedy=self._remedy,
        )

    @property
    def _remedy(self) -> str:
        return f"record it into {self.path.name} first"

    def _turn(self, place: str, takes: int) -> int:
        turn = self._played.get(place, 0)
        self._played[place] = turn + 1
        return min(turn, takes - 1)

    async def _keep(self, shelf: dict[str, list[Entry]], place: str, entry: Entry) -> None:
        if place not in self._new:
            self._new.add(place)
            shelf[place] = []
        shelf[place].append(entry)
        name = place.partition(" ")[0]
        if shelf is self._asked and name not in self._order:
            self._order.append(name)
        self._changes += 1
        await asyncio.shield(asyncio.to_thread(self._save, self._snapshot(), self._changes))

    def _snapshot(self) -> Entry:
        """All of it, sorted: who was faster while recording makes no difference."""
        return {
            "kensaku cassette": VERSION,
            "salt": self._salt,
            "providers": list(self._order),
            "asked": {place: list(self._asked[place]) for place in sorted(self._asked)},
            "pages": {url: list(self._pages[url]) for url in sorted(self._pages)},
        }

    def _save(self, whole: Entry, change: int) -> None:
        """Write a new file, which then takes the old one's place."""
        with self._writing:
            if change < self._written:
                return  # a later one was faster
            self._written = change
            text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
            draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                draft.write_text(text, encoding="utf-8")
                os.replace(draft, self.path)
            except OSError as error:
                draft.unlink(missing_ok=True)
                raise UsageError(
                    f"the recording {self.path.name} cannot be written: {error.strerror}",
                    remedy="check the path and its permissions",
                ) from None

    def _load(self) -> None:
        try:
            whole = json.loads(self.path.read_text(encoding="utf-8"))
            if whole["kensaku cassette"] != VERSION:
                raise ValueError("another version")
            self._salt = str(whole["salt"])
            self._order = [str(name) for name in whole["providers"]]
            self._asked, self._pages = dict(whole["asked"]), dict(whole["pages"])
        except FileNotFoundError:
            raise ConfigError(
                f"there is no recording {self.path}", remedy="make one with --record"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"the recording {self.path} cannot be read: {error.strerror}"
            ) from None
        except (ValueError, KeyError, TypeError):
            raise ConfigError(
                f"{self.path} is not a recording of this version", remedy="record it again"
            ) from None


_HIT_FIELDS = [f.name for f in fields(Hit) if f.name not in ("sources", "explain")]


def _findings_entry(findings: Findings, discretion: Discretion) -> Entry:
    hits = [{n: v for n in _HIT_FIELDS if (v := getattr(h, n))} for h in findings.hits]
    entry = {"hits": hits, "answer": findings.answer, "cost": findings.cost}
    return dict(discretion.hide(entry | {"notes": list(findings.notes)}))


def _error_entry(error: ProviderError, discretion: Discretion) -> Entry:
    return {"error": discretion.hide(_described(error))}


def _described(error: KensakuError) -> Entry:
    """The error by the nearest class of ours, so that other people's can be played, too."""
    ours = next(c.__name__ for c in type(error).__mro__ if c.__module__ == errors.__name__)
    return error.to_dict() | {"type": ours}


def _findings(entry: Mapping[str, Any], provider: str, discretion: Discretion) -> Findings:
    from kensaku.providers.base import Findings

    shown = discretion.show(entry)
    if said := shown.get("error"):
        kind = getattr(errors, said.pop("type"), ProviderError)
        raise kind(provider, said.pop("message"), **said)
    hits = [Hit(**{"title": "", **hit}) for hit in shown["hits"]]
    return Findings(hits, shown["answer"], shown["cost"], tuple(shown["notes"]))
