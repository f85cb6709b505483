"""What `kensaku doctor` asks of the network: who is reachable, whose key is taken, what time it is.

provider → GET its address (any reply will do) → its key, where checking is free → --live: a search
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kensaku.cli.doctor.local import Finding
from kensaku.errors import KensakuError, KeyRefused, ProviderError, QuotaExhausted, RateLimited
from kensaku.models import Query
from kensaku.providers.base import Request

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.providers.base import Reply

MOST_SKEW = 120.0  # seconds; from there on certificates and dates begin to fail


class Examination:
    """One provider of the route. A keyless one that is out of reach is no fault of this machine."""

    def __init__(self, k: Kensaku, name: str, pooled: bool, *, live: bool, seconds: float) -> None:
        self.name, self.findings = name, list[Finding]()
        self.skew: float | None = None  # seconds by which this machine's clock is ahead
        self.well = False
        self._k, self._provider, self._pooled = k, k.provider(name), pooled
        self._live, self._seconds = live, seconds

    async def examine(self) -> None:
        """From the outside in; what is out of reach is not asked any further."""
        from kensaku.cli.providers import READY, state_of

        state = await state_of(self._k, self.name)
        if state.startswith("needs "):
            self._note("!", "it is not configured", f"set {state.removeprefix('needs ')}")
            return
        if self.name == "duckduckgo" and find_spec("ddgs") is None:
            self._note("!", "a package is missing", 'pip install "kensaku[ddgs]"')
            return
        if not await self._reachable():
            return
        checks = [self._search] if self._live else [self._account] if self.name == "tavily" else []
        for check in checks:
            for number, key in enumerate(self._keys, 1):
                await self._try(check, key, number)
        if self._live or state == READY:
            return
        if await state_of(self._k, self.name) != READY:
            self._note("!", f"it is left alone for now: {state}", "wait, or: kensaku doctor --live")

    @property
    def _keys(self) -> list[str]:
        return [k.reveal() for k in self._k.settings.provider(self.name).keys] or [""]

    async def _reachable(self) -> bool:
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._k.http.send(Request(self._provider.base_url), self.name)
        except (ProviderError, TimeoutError) as error:
            said = error.message if isinstance(error, ProviderError) else "it does not answer"
            self._note("!" if self._pooled else "✗", said, "check the network and its address")
            return False
        self.skew = _skew(reply)
        self.well = True
        if not self._live:
            self._note("✓", "it can be reached")
        return True

    async def _try(self, check: Any, key: str, number: int) -> None:
        which = f"key {number}: " if len(self._keys) > 1 else ""
        try:
            async with asyncio.timeout(self._seconds):
                said = await check(key)
        except TimeoutError:
            self._note("✗", f"{which}it took longer than {self._seconds:g} s")
        except KensakuError as error:
            passing = self._pooled or isinstance(error, RateLimited)
            self.well = self.well and not isinstance(error, KeyRefused | QuotaExhausted)
            self._note("!" if passing else "✗", which + error.message, error.remedy)
        else:
            if said:
                self._note("✓", which + said)
                await self._k.gate(self.name).warm()

    async def _search(self, key: str) -> str:
        findings = await self._k.ask(self._provider, Query("kensaku", limit=1), key)
        return f"it answered a search ({len(findings.hits)} hits)"

    async def _account(self, key: str) -> str:
        """Tavily says for nothing what a key may still do."""
        if not key:
            return ""
        request = Request(
            f"{self._provider.base_url}/usage", headers={"Authorization": f"Bearer {key}"}
        )
        reply = await self._k.http.send(request, self.name)
        if error := self._provider.failure(reply):
            raise error
        return _quota(reply)

    def _note(self, mark: Any, said: str, then: str = "") -> None:
        self.findings.append(Finding(mark, self.name, said, then))


def check_clock(skews: Iterable[float | None]) -> list[Finding]:
    """What most hosts agree on is the time."""
    known = sorted(s for s in skews if s is not None)
    if not known:
        return []
    skew = known[len(known) // 2]
    if abs(skew) < MOST_SKEW:
        return [Finding("✓", "clock", "it agrees with the hosts that were asked")]
    word = "ahead" if skew > 0 else "behind"
    return [Finding("✗", "clock", f"it is {abs(skew):.0f} s {word}", "set it by the network")]


def check_somebody(examined: Iterable[Examination], index: Finding) -> list[Finding]:
    """Whether a search would find anybody at all."""
    if any(e.well for e in examined):
        return []
    if index.mark == "✓":
        return [Finding("!", "route", "only the local index can answer", "set a key, or go online")]
    return [
        Finding("✗", "route", "nobody can search", "set a key, go online, or: kensaku index add")
    ]


def _skew(reply: Reply) -> float | None:
    try:
        theirs = parsedate_to_datetime(reply.headers.get("date", ""))
        return (datetime.now(UTC) - theirs).total_seconds()
    except (ValueError, TypeError):
        return None


def _quota(reply: Reply) -> str:
    """`{"key": {"usage": 150, "limit": 1000}, "account": {"plan_usage": …, "plan_limit": …}}`"""
    try:
        body = reply.json()
        key, account = body["key"], body.get("account") or {}
        used, limit = key["usage"], key.get("limit")
        if limit is None:
            used, limit = account.get("plan_usage", used), account.get("plan_limit")
        if isinstance(limit, int) and used >= limit:
            raise QuotaExhausted(
                "tavily", f"{used} of {limit} credits are used", remedy="add a key"
            )
        return f"the key is accepted, {used} of {limit or 'unlimited'} credits used"
    except (ValueError, KeyError, TypeError, AttributeError):
        return "the key is accepted"
