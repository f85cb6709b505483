"""What may be sent now: rate limits, cooldowns, circuit breakers and key pools.

    Limiter.acquire(deadline) → Permit(key) … → Limiter.record(permit, error)   one per provider

Short-lived facts (latencies, the breaker's window) stay in the process; what others must obey
(a cooling key, an open circuit, a queue's next turn, money spent) goes through the store, so ten
agents on one machine, or on ten machines, keep to one plan together. Times are monotonic here and
wall times in the store: a clock that is set back must not prolong a cooldown.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from kensaku.errors import (
    CircuitOpen,
    Cooling,
    KeyRefused,
    NotConfigured,
    NotConnected,
    Outage,
    ProviderError,
    RateLimited,
    Timeout,
    Unreadable,
)
from kensaku.messages import msg
from kensaku.search.circuit_breaker import CircuitBreaker
from kensaku.text.rate import parse_rate

if TYPE_CHECKING:
    from kensaku.config.secret import Secret
    from kensaku.store import Store

LONGEST_COOLDOWN = 86400.0
REFUSALS = 5  # consecutive refusals before a previously good key is put on cooldown
FIRST_COOLDOWN = 10.0  # seconds; three times as many after each further refusal
UNPROVEN = REFUSALS + 9  # a key that has not worked yet cools down at its first refusal
SYNC_SECONDS = 0.5  # how long another process's news may take to be seen here


class Cooldown(NamedTuple):
    """Until when a key is left alone, the error that began it, and whether the upstream asked."""

    until: float  # `time.monotonic`
    why: str
    asked: bool  # by `Retry-After`

    @property
    def ends_by_time(self) -> bool:
        """Whether waiting helps, and nothing else ends it."""
        return self.asked or self.why == _RATE


# "Never" is not 0: the monotonic clock begins there when the machine starts.
_NO_COOLDOWN = Cooldown(-inf, "", False)
_NO_REFUSAL = (0, -inf)
_RATE, _REFUSED = RateLimited.__name__, KeyRefused.__name__
_WHY = {
    "KeyRefused": msg("its key was refused"),
    "QuotaExhausted": msg("its quota is used up"),
    "RateLimited": msg("it asked us to slow down"),
    "Blocked": msg("it took us for a robot"),
}


@dataclass(slots=True)
class Permit:
    """Permission to send one request, with this key."""

    key: str = field(repr=False)
    number: int | None  # which key of the pool, from 1; None without a key
    probe: bool = False
    began: float = 0.0


class Limiter:
    """Key pool, rate limit, cooldowns and circuit breaker of one provider."""

    def __init__(
        self,
        name: str,
        store: Store,
        *,
        keys: Sequence[Secret] = (),
        key_variable: str | None = None,
        keyless: bool = False,  # it may be asked without a key
        rate: str | None = None,
        rate_group: str = "",  # providers of one group share turns and cooldowns of a key
    ) -> None:
        self.name = name
        self._group = rate_group or name
        self._variable = key_variable
        self.breaker = CircuitBreaker()
        self.latencies: deque[float] = deque(maxlen=100)
        self._keys: list[Secret | None] = list(keys) or (
            [None] if keyless or key_variable is None else []
        )
        self._ids = [_key_id(k.reveal() if k else "") for k in self._keys]
        self._rate = parse_rate(rate) if rate else None
        self._cooldowns = dict.fromkeys(self._ids, _NO_COOLDOWN)
        # Refusals in a row, and when the last of them came.
        self._refusals = dict.fromkeys(self._ids, (UNPROVEN, -inf))
        self._store = store
        self._next = 0
        self._synced = -inf

    @property
    def limited(self) -> bool:
        """Whether there are turns to wait for."""
        return self._rate is not None

    async def acquire(self, deadline: float) -> Permit:
        """Wait for a turn, at most until `deadline` (loop time). Raises a `NotAsked`."""
        now = time.monotonic()
        if now - self._synced > SYNC_SECONDS:
            if self._synced > -inf:
                self._synced = now  # one asks for all; before anything is known, each for itself
            await self.sync()
            self._synced = now
        usable = self._usable_keys(now)
        probe = await self._check_circuit(now) if self.breaker.until is not None else False
        index = await self._take_turn(usable, deadline) if self._rate else usable[0]
        if index is not None:
            self._next = index + 1
            key = self._keys[index]
            number, text = (index + 1, key.reveal()) if key else (None, "")
            return Permit(text, number, probe, now)
        raise Cooling(
            self.name,
            msg("our own limit for it leaves no turn before the deadline"),
            remedy=msg("raise its rate, add a key, or allow more time"),
        )

    async def record(self, used: Permit, error: ProviderError | None, elapsed: float) -> None:
        """Record the result of a request.

        Outages and unreadable replies count against the provider as a whole. A refused key does
        not, nor a deadline that nobody could have met. A probe that is refused counts as an
        answer: somebody is there.
        """
        if isinstance(error, Timeout) and not error.status and elapsed < self.p95_latency(1.0):
            return
        if isinstance(error, NotConnected):
            await self._give_back(used)
            if not error.transient:
                return  # no name, no network: that is nothing about the provider
        down = isinstance(error, Outage | Unreadable)
        if error is None:
            self.latencies.append(elapsed)
            key_id = self._id_of(used)
            self._refusals[key_id] = _NO_REFUSAL
            if self._cooldowns[key_id] is not _NO_COOLDOWN:
                await self._end_cooldown(key_id)
        counts = error is None or down or used.probe
        if counts and self.breaker.record(down, used.probe):
            await self._publish_circuit()

    def cooldown_after_refusal(self, used: Permit, longest: float) -> float:
        """Record a refusal and return the cooldown in seconds (0 for isolated refusals).

        Concurrent refusals count once: a refusal comes back sooner than results do.
        """
        key_id = self._id_of(used)
        count, last = self._refusals[key_id]
        if used.began > last:
            count, last = count + 1, time.monotonic()
            self._refusals[key_id] = count, last
        if count < REFUSALS:
            return 0.0
        return min(longest, FIRST_COOLDOWN * 3.0 ** (count - REFUSALS))

    async def cool_down(
        self,
        used: Permit,
        seconds: float,
        why: str,
        *,
        asked: bool = False,
        all_keys: bool = False,
    ) -> None:
        """Put this key on cooldown, in every process, or all keys of the provider.

        What the upstream `asked` for is kept to, whatever works meanwhile.
        """
        seconds = min(seconds, LONGEST_COOLDOWN)
        value = f"{time.time() + seconds:f} {why} {asked:d}".encode()
        for key_id in self._ids if all_keys else [self._id_of(used)]:
            self._cooldowns[key_id] = Cooldown(time.monotonic() + seconds, why, asked)
            await self._store.put(self._cooldown_key(key_id), value, seconds)

    async def _end_cooldown(self, key_id: str) -> None:
        """End a cooldown: a request that was under way has shown that the key works."""
        cooldown = self._cooldowns[key_id]
        if cooldown.until > time.monotonic() and not cooldown.ends_by_time:
            self._cooldowns[key_id] = _NO_COOLDOWN
            await self._store.forget(self._cooldown_key(key_id))

    async def reset(self) -> None:
        """End all cooldowns and close the circuit."""
        self.breaker.close()
        self._cooldowns = dict.fromkeys(self._ids, _NO_COOLDOWN)
        await self._store.forget(f"cool:{self._group}:")
        await self._publish_circuit()

    def has_other_key(self, tried: int) -> bool:
        """Whether there is another key that is not cooling down, after `tried` were tried."""
        now = time.monotonic()
        return tried < len(self._ids) and any(c.until <= now for c in self._cooldowns.values())

    def wait(self) -> float | None:
        """Seconds until a key may be used: 0, or the rest of a `Retry-After`.

        None when all keys are on a longer cooldown, or the circuit is open.
        """
        now = time.monotonic()
        if self.breaker.until is not None and self.breaker.until > now:
            return None
        waits = [
            max(0.0, c.until - now)
            for c in self._cooldowns.values()
            if c.until <= now or c.ends_by_time
        ]
        return min(waits, default=None)

    def p95_latency(self, fallback: float) -> float:
        """The 95th percentile of its latency, in seconds."""
        seconds = sorted(self.latencies)
        return seconds[int(len(seconds) * 0.95)] if len(seconds) >= 10 else fallback

    def state(self) -> str:
        """For people: ready, cooling, open, or no key."""
        now = time.monotonic()
        if not self._keys:
            return msg("no key")
        if self.breaker.until is not None:
            return msg("circuit open") if now < self.breaker.until else msg("to be probed")
        until, why, _ = min(self._cooldowns.values())
        if until <= now:
            return "ready"
        said = _WHY.get(why, msg("waiting"))
        return msg("{why}, {seconds:.0f} s", why=said, seconds=until - now)

    async def sync(self) -> None:
        """Load cooldowns and circuit state from other processes."""
        names = [f"open:{self.name}", *(self._cooldown_key(i) for i in self._ids)]
        circuit, *cooling = await self._store.get(names)
        ahead = time.monotonic() - time.time()  # of the store's clock
        if circuit is not None:
            if (until := float(circuit)) == 0:
                self.breaker.close()
            else:
                self.breaker.open_until(until + ahead)
        for key_id, entry in zip(self._ids, cooling, strict=True):
            if entry is not None:
                when, why, asked = entry.decode().split(" ")
                shared = Cooldown(float(when) + ahead, why, asked == "1")
                self._cooldowns[key_id] = max(self._cooldowns[key_id], shared)

    async def _publish_circuit(self) -> None:
        open_until = self.breaker.until
        until = 0.0 if open_until is None else open_until - time.monotonic() + time.time()
        await self._store.put(f"open:{self.name}", b"%f" % until, 3600)

    async def _check_circuit(self, now: float) -> bool:
        until = self.breaker.until or now
        if now >= until and await self._store.claim(f"probe:{self.name}", CircuitBreaker.PAUSE):
            return True
        raise CircuitOpen(
            self.name,
            msg("it failed too often just now"),
            retry_after=max(0.0, until - now),
            remedy=msg("it is tried again by itself"),
        )

    def _usable_keys(self, now: float) -> list[int]:
        if not self._keys:
            raise NotConfigured(
                self.name,
                msg("it has no key"),
                remedy=msg("set {variable}", variable=self._variable),
            )
        count = len(self._keys)
        order = [(self._next + n) % count for n in range(count)] if count > 1 else [0]
        usable = [i for i in order if self._cooldowns[self._ids[i]][0] <= now]
        if not usable:
            until, why, _ = soonest = min(self._cooldowns.values())
            reason = _WHY.get(why, msg("it asked us to wait"))
            if why == _REFUSED and self._variable:  # waiting does not mend a key
                raise Cooling(
                    self.name,
                    reason,
                    remedy=msg("check {variable}", variable=self._variable),
                    cause=why,
                )
            said = msg(
                "{reason}; not asked for {seconds:.0f} s", reason=reason, seconds=until - now
            )
            raise Cooling(
                self.name,
                said,
                retry_after=until - now,
                cause=why,
                transient=soonest.ends_by_time,
            )
        return usable

    async def _take_turn(self, usable: Sequence[int], deadline: float) -> int | None:
        """Wait for a key's turn; return None if none comes in time."""
        assert self._rate is not None
        interval, burst = self._rate
        patience = max(0.0, deadline - asyncio.get_running_loop().time())
        # A key that can be used now is better than one to wait for.
        for longest in (0.0, patience) if len(usable) > 1 else (patience,):
            for index in usable:
                wait = await self._store.turn(self._turn_key(index), interval, burst, longest)
                if wait >= 0:
                    await asyncio.sleep(wait)
                    return index
        return None

    async def _give_back(self, used: Permit) -> None:
        """Give a turn back that was not used: no request was sent."""
        if self._rate:
            await self._store.give_back(self._turn_key((used.number or 1) - 1), self._rate[0])

    def _turn_key(self, index: int) -> str:
        return f"turn:{self._group}:{self._ids[index]}"

    def _id_of(self, used: Permit) -> str:
        return self._ids[(used.number or 1) - 1]

    def _cooldown_key(self, key_id: str) -> str:
        return f"cool:{self._group}:{key_id}"


def _key_id(key: str) -> str:
    return hashlib.blake2s(key.encode(), digest_size=8, person=b"kensaku").hexdigest()
