"""Record what providers answer and replay it: no network, no key, the same findings.

    Kensaku(cassette=Cassette("otters.json", mode="record"))   asks and records
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
from contextlib import suppress
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
    system_reason,
)
from kensaku.messages import msg
from kensaku.models import Hit, Page, Query
from kensaku.providers.base import Findings
from kensaku.testing._redaction import Redactor

if TYPE_CHECKING:
    from kensaku.providers.base import Findings, Provider, Transport

VERSION = 1
Entry = dict[str, Any]


class NotRecorded(NotAsked):
    """The query is not in the recording; nothing was sent."""


class Cassette:
    """Recorded findings by provider and query.

    A query asked several times replays its recordings in order; the last one repeats. Recording
    into an existing file replaces the queries that are asked again and keeps the others.
    """

    def __init__(self, path: str | Path, mode: Literal["record", "replay"] = "replay") -> None:
        if mode not in ("record", "replay"):
            raise UsageError(
                msg("a cassette's mode is {mode!r}; write record or replay", mode=str(mode)[:20])
            )
        self.path = Path(path)
        self.replays = mode == "replay"
        self._salt = secrets.token_hex(8)
        self._order: list[str] = []
        self._findings: dict[str, list[Entry]] = {}
        self._pages: dict[str, list[Entry]] = {}
        self._played: dict[str, int] = {}
        self._new: set[str] = set()
        self._writing = threading.Lock()
        self._changes = self._written = 0
        if self.replays or self.path.exists():
            self._load()
        if not self.replays:
            self._save(self._snapshot(), 0)  # fail now if the path cannot be written

    @property
    def providers(self) -> list[str]:
        """The providers in the order of the recording: the route of a replay."""
        return list(self._order)

    async def ask(self, provider: Provider, query: Query, key: str, http: Transport) -> Findings:
        """Ask the provider and record its answer; on replay, return the recorded one."""
        redactor = Redactor(query.text, (key, *provider.option.values()))
        slot = f"{provider.name} {self._fingerprint(query)}"
        if self.replays:
            return _replay(self._next(slot, provider.name), provider.name, redactor)
        try:
            findings = await provider.ask(query, key, http)
        except ProviderError as error:
            await self._record(self._findings, slot, _error_entry(error, redactor))
            raise
        await self._record(self._findings, slot, _findings_entry(findings, redactor))
        return findings

    async def record_page(self, url: str, page: Page | FetchError) -> None:
        """Record the page or the error of fetching `url`."""
        if isinstance(page, Page):
            entry: Entry = {"page": page.to_dict()}
        else:
            entry = {"error": _describe(page)}
        await self._record(self._pages, url, entry)

    def page(self, url: str) -> Page:
        """Return the recorded page. Raises the recorded error, or `PageUnavailable`."""
        takes = self._pages.get(url)
        if not takes:
            raise PageUnavailable(
                msg("the page is not in the recording; nothing was fetched"), remedy=self._remedy
            )
        entry = takes[self._turn(url, len(takes))]
        if error := entry.get("error"):
            kind = getattr(errors, error["type"], FetchError)
            raise kind(error["message"], remedy=error["remedy"])
        names = {f.name for f in fields(Page)}
        values: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v
            for n, v in entry["page"].items()
            if n in names
        }
        return Page(**values)

    def _fingerprint(self, query: Query) -> str:
        members = "\x1f".join(f"{f.name}={getattr(query, f.name)}" for f in fields(query))
        return hashlib.blake2b(f"{self._salt}\x1e{members}".encode(), digest_size=12).hexdigest()

    def _next(self, slot: str, provider: str) -> Entry:
        if takes := self._findings.get(slot):
            return takes[self._turn(slot, len(takes))]
        raise NotRecorded(
            provider,
            msg("this query is not in the recording; nothing was sent"),
            remedy=self._remedy,
        )

    @property
    def _remedy(self) -> str:
        return f"record it into {self.path.name} first"

    def _turn(self, slot: str, takes: int) -> int:
        turn = self._played.get(slot, 0)
        self._played[slot] = turn + 1
        return min(turn, takes - 1)

    async def _record(self, slots: dict[str, list[Entry]], slot: str, entry: Entry) -> None:
        if slot not in self._new:
            self._new.add(slot)
            slots[slot] = []
        slots[slot].append(entry)
        name = slot.partition(" ")[0]
        if slots is self._findings and name not in self._order:
            self._order.append(name)
        self._changes += 1
        await asyncio.shield(asyncio.to_thread(self._save, self._snapshot(), self._changes))

    def _snapshot(self) -> Entry:
        """Return the whole recording, sorted: the order of replies makes no difference."""
        return {
            "kensaku cassette": VERSION,
            "salt": self._salt,
            "providers": list(self._order),
            "asked": {slot: list(self._findings[slot]) for slot in sorted(self._findings)},
            "pages": {url: list(self._pages[url]) for url in sorted(self._pages)},
        }

    def _save(self, whole: Entry, change: int) -> None:
        """Replace the file atomically."""
        with self._writing:
            if change < self._written:
                return  # a later snapshot is written already
            self._written = change
            text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
            draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                draft.write_text(text, encoding="utf-8")
                os.replace(draft, self.path)
            except OSError as error:
                with suppress(OSError):  # where no file can be, there is none to delete
                    draft.unlink()
                raise UsageError(
                    msg(
                        "the recording {path} cannot be written: {reason}",
                        path=self.path.name,
                        reason=system_reason(error),
                    ),
                    remedy=msg("check the path and its permissions"),
                ) from None

    def _load(self) -> None:
        try:
            whole = json.loads(self.path.read_text(encoding="utf-8"))
            if whole["kensaku cassette"] != VERSION:
                raise ValueError("another version")
            self._salt = str(whole["salt"])
            self._order = [str(name) for name in whole["providers"]]
            self._findings, self._pages = dict(whole["asked"]), dict(whole["pages"])
        except FileNotFoundError:
            raise ConfigError(
                msg("there is no recording {path}", path=self.path),
                remedy=msg("make one with --record"),
            ) from None
        except OSError as error:
            raise ConfigError(
                msg(
                    "the recording {path} cannot be read: {reason}",
                    path=self.path,
                    reason=system_reason(error),
                )
            ) from None
        except (ValueError, KeyError, TypeError):
            raise ConfigError(
                msg("{path} is not a recording of this version", path=self.path),
                remedy=msg("record it again"),
            ) from None


_HIT_FIELDS = [f.name for f in fields(Hit) if f.name not in ("sources", "explain")]


def _findings_entry(findings: Findings, redactor: Redactor) -> Entry:
    hits = [{n: v for n in _HIT_FIELDS if (v := getattr(h, n))} for h in findings.hits]
    entry = {"hits": hits, "answer": findings.answer, "cost": findings.cost}
    if findings.searched:
        entry["searched"] = findings.searched
    return dict(redactor.redact(entry | {"notes": list(findings.notes)}))


def _error_entry(error: ProviderError, redactor: Redactor) -> Entry:
    return {"error": redactor.redact(_describe(error))}


def _describe(error: KensakuError) -> Entry:
    """Describe the error by its nearest class of ours: third-party classes replay, too."""
    ours = next(c.__name__ for c in type(error).__mro__ if c.__module__ == errors.__name__)
    return error.to_dict() | {"type": ours}


def _replay(entry: Mapping[str, Any], provider: str, redactor: Redactor) -> Findings:
    restored = redactor.restore(entry)
    if error := restored.get("error"):
        kind = getattr(errors, error.pop("type"), ProviderError)
        raise kind(provider, error.pop("message"), **error)
    hits = [Hit(**{"title": "", **hit}) for hit in restored["hits"]]
    notes, searched = tuple(restored["notes"]), restored.get("searched")
    return Findings(hits, restored["answer"], restored["cost"], notes, searched=searched)
