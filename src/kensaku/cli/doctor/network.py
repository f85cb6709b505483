"""Checks of the network: reachable hosts, accepted keys, the clock.

provider → GET its base URL (any reply will do) → its key, where that is free → --live: a search
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kensaku.cli.doctor.local import CheckResult
from kensaku.config.settings import secrets_in
from kensaku.errors import KensakuError, KeyRefused, ProviderError, QuotaExhausted, RateLimited
from kensaku.messages import Translatable, msg
from kensaku.models import Query
from kensaku.providers._status import READY, provider_state
from kensaku.text.redact import redact
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.transport.reply import Reply

MAX_SKEW = 120.0  # seconds; beyond it certificates and dates begin to fail


class ProviderCheck:
    """The checks of one provider of the route.

    A keyless provider that cannot be reached is no fault of this machine: a warning, no error.
    """

    def __init__(self, k: Kensaku, name: str, pooled: bool, *, live: bool, seconds: float) -> None:
        self.name, self.results = name, list[CheckResult]()
        self.skew: float | None = None  # seconds by which this machine's clock is ahead
        self.usable = False
        self._k, self._provider, self._pooled = k, k.resources.provider(name), pooled
        self._live, self._seconds = live, seconds
        self._secrets = secrets_in(k.settings)

    async def run(self) -> None:
        """Check configuration, connection and keys, in this order; stop at the first failure."""
        state = await provider_state(self._k, self.name)
        if state.startswith("needs "):
            self._add(
                "!",
                msg("it is not configured"),
                msg("set {name}", name=state.removeprefix("needs ")),
            )
            return
        if self.name == "duckduckgo" and find_spec("ddgs") is None:
            self._add("!", msg("a package is missing"), 'pip install "kensaku-search[ddgs]"')
            return
        if not await self._reachable():
            return
        checks = [self._search] if self._live else [self._account] if self.name == "tavily" else []
        for check in checks:
            for number, key in enumerate(self._keys, 1):
                await self._try(check, key, number)
        if self._live or state == READY:
            return
        if await provider_state(self._k, self.name) != READY:
            self._add(
                "!",
                msg("it is left alone for now: {state}", state=state),
                msg("wait, or: kensaku doctor --live"),
            )

    @property
    def _keys(self) -> list[str]:
        return [k.reveal() for k in self._k.settings.provider(self.name).keys] or [""]

    @property
    def _address(self) -> str:
        """Return its address: some have another host for searches without a key."""
        host = self._provider.keyless_host
        if self._keys != [""] or "*" in host or self._provider.base_url != self._provider.url:
            return self._provider.base_url
        return f"https://{host}"

    async def _reachable(self) -> bool:
        if self._provider.runs_program:
            self.usable = True
            if not self._live:
                self._add("✓", msg("a command runs it; kensaku doctor --live asks it"))
            return True
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._k.resources.http.send(Request(self._address), self.name)
        except (ProviderError, TimeoutError) as error:
            message = (
                error.message if isinstance(error, ProviderError) else msg("it does not answer")
            )
            self._add(
                "!" if self._pooled else "✗", message, msg("check the network and its address")
            )
            return False
        self.skew = _skew(reply)
        self.usable = True
        if not self._live:
            self._add("✓", msg("it can be reached"))
        return True

    async def _try(self, check: Any, key: str, number: int) -> None:
        numbered = len(self._keys) > 1

        def which(text: str) -> str:
            return msg("key {number}: {text}", number=number, text=text) if numbered else text

        try:
            async with asyncio.timeout(self._seconds):
                message = await check(key)
        except TimeoutError:
            late = msg("it took longer than {seconds:g} s", seconds=self._seconds)
            self._add("✗", which(late))
        except KensakuError as error:
            transient = self._pooled or isinstance(error, RateLimited)
            self.usable = self.usable and not isinstance(error, KeyRefused | QuotaExhausted)
            self._add("!" if transient else "✗", which(error.message), error.remedy)
        else:
            if message:
                self._add("✓", which(message))
                await self._k.resources.limiter(self.name).reset()

    async def _search(self, key: str) -> str:
        findings = await self._k.resources.ask(self._provider, Query("kensaku", max_results=1), key)
        return msg("it answered a search ({hits} hits)", hits=len(findings.hits))

    async def _account(self, key: str) -> str:
        """Read the quota of a key; Tavily does not charge for it."""
        if not key:
            return ""
        request = Request(
            f"{self._provider.base_url}/usage", headers={"Authorization": f"Bearer {key}"}
        )
        reply = await self._k.resources.http.send(request, self.name)
        if error := self._provider.failure(reply):
            raise error
        return _quota(reply)

    def _add(self, mark: Any, message: str, remedy: str = "") -> None:
        """Add a result. What an upstream said may repeat a key: also one of another provider."""
        self.results.append(
            CheckResult(mark, self.name, self._redacted(message), self._redacted(remedy))
        )

    def _redacted(self, text: str) -> str:
        if isinstance(text, Translatable):
            return text.with_values(self._redacted) if text.values else text
        return redact(text, self._secrets)


def check_clock(skews: Iterable[float | None]) -> list[CheckResult]:
    """Compare the clock with the median of the hosts' clocks."""
    measured = sorted(s for s in skews if s is not None)
    if not measured:
        return []
    skew = measured[len(measured) // 2]
    if abs(skew) < MAX_SKEW:
        return [CheckResult("✓", msg("clock"), msg("it agrees with the hosts that were asked"))]
    seconds = abs(skew)
    message = (
        msg("it is {seconds:.0f} s ahead", seconds=seconds)
        if skew > 0
        else msg("it is {seconds:.0f} s behind", seconds=seconds)
    )
    return [CheckResult("✗", msg("clock"), message, msg("set it by the network"))]


def check_route(checks: Iterable[ProviderCheck], index: CheckResult) -> list[CheckResult]:
    """Report if no provider of the route is available."""
    if any(c.usable for c in checks):
        return []
    if index.mark == "✓":
        return [
            CheckResult(
                "!",
                msg("route"),
                msg("only the local index can answer"),
                msg("set a key, or go online"),
            )
        ]
    return [
        CheckResult(
            "✗",
            msg("route"),
            msg("nobody can search"),
            msg("set a key, go online, or: kensaku index add"),
        )
    ]


def _skew(reply: Reply) -> float | None:
    try:
        server_time = parsedate_to_datetime(reply.headers.get("date", ""))
        return (datetime.now(UTC) - server_time).total_seconds()
    except (ValueError, TypeError):
        return None


def _quota(reply: Reply) -> str:
    """Read `{"key": {"usage": 150, "limit": 1000}, "account": {"plan_usage": …}}`."""
    try:
        body = reply.json()
        key, account = body["key"], body.get("account") or {}
        used, limit = key["usage"], key.get("limit")
        if limit is None:
            used, limit = account.get("plan_usage", used), account.get("plan_limit")
        if not isinstance(used, int) or not isinstance(limit, int | None):
            return msg("the key is accepted")
        if limit is not None and used >= limit:
            raise QuotaExhausted(
                "tavily",
                msg("{used} of {limit} credits are used", used=used, limit=limit),
                remedy=msg("add a key"),
            )
        if limit:
            return msg(
                "the key is accepted, {used} of {limit} credits used", used=used, limit=limit
            )
        return msg("the key is accepted, {used} credits used", used=used)
    except (ValueError, KeyError, TypeError, AttributeError):
        return msg("the key is accepted")
