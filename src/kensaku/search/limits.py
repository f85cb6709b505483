"""What may be sent now: rates, cooldowns, breakers and key pools.

    Gate.enter(deadline) → Pass(key) … → Gate.report(pass, error)     one gate per provider

Short-lived facts (latencies, the breaker's window) stay in the process; what others must obey
(a cooling key, an open circuit, a queue's next turn, money spent) goes through the store, so ten
agents on one machine, or on ten machines, keep to one plan together.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kensaku._quick import quick
from kensaku.errors import (
    CircuitOpen,
    ConfigError,
    Cooling,
    NotConfigured,
    Outage,
    ProviderError,
    RateLimited,
    Timeout,
    Unreadable,
)

if TYPE_CHECKING:
    from kensaku.config.secret import Secret
    from kensaku.store import Store

LONGEST_COOLDOWN = 86400.0
SLIPS = 5  # refusals in a row after which a key that has worked is believed to work no more …
FIRST_REST = 10.0  # … and rests so many seconds, three times as many after each further one
UNPROVEN = SLIPS + 9  # one that has not worked yet rests as long as there is at its first
SYNC_SECONDS = 0.5  # how long another process's news may take to be seen here
PERIODS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def parse_rate(text: str) -> tuple[float, int]:
    """`"100/m"` → (seconds between turns, burst), so that no window ever holds more than 100."""
    count, _, unit = text.partition("/")
    period = PERIODS.get(unit.strip())
    try:
        n = float(count)
    except ValueError:
        n = 0.0
    if period is None or not 0 < n < 1e9:
        raise ConfigError(f"the rate {text[:20]!r} cannot be read", remedy="write 1/s, 100/m, …")
    if n < 1:
        n, period = 1.0, period / n
    burst = max(1, int(n) // 10)
    return period / (n - burst + 1), burst


_NOT_COOLING = (0.0, "")
_NO_SLIP = (0, 0.0)
_RATE = RateLimited.__name__
_WHY = {
    "KeyRefused": "its key was refused",
    "QuotaExhausted": "its quota is used up",
    "RateLimited": "it asked us to slow down",
    "Blocked": "it took us for a robot",
}


class Breaker:
    """Opens when most of the last calls failed; then one probe at a time finds out."""

    WINDOW, FAILURES, SHARE = 50, 10, 0.6
    PAUSE, LONGEST = 5.0, 60.0

    def __init__(self) -> None:
        self._calls: deque[tuple[float, bool]] = deque(maxlen=self.WINDOW)
        self.until = 0.0  # wall time; 0 = closed
        self._pause = self.PAUSE

    def record(self, failed: bool, probe: bool = False) -> bool:
        """Note a call. Returns whether the state changed."""
        now = time.time()
        if self.until:
            if not probe:
                return False  # it was on its way when the circuit opened, and says nothing new
            if failed:
                self._pause = min(self.LONGEST, self._pause * 2)
                self.until = now + self._pause
            else:
                self.close()
            return True
        self._calls.append((now, failed))
        if not failed:
            return False
        recent = [f for t, f in self._calls if now - t < 60]
        failures = sum(recent)
        if failures < self.FAILURES or failures < self.SHARE * len(recent):
            return False
        self.until = now + self._pause
        return True

    def close(self) -> None:
        """Forget the failures."""
        self._calls.clear()
        self.until, self._pause = 0.0, self.PAUSE


@quick
@dataclass(frozen=True, slots=True)
class Pass:
    """Leave to send one request, with this key."""

    key: str = field(repr=False)
    number: int | None  # which key of the pool, from 1; None without a key
    probe: bool = False
    began: float = 0.0


class Gate:
    """Everything that stands before one provider."""

    def __init__(
        self,
        name: str,
        store: Store,
        *,
        keys: Sequence[Secret] = (),
        key_variable: str | None = None,  # None: it works without a key
        rate: str | None = None,
    ) -> None:
        self.name = name
        self._variable = key_variable
        self.breaker = Breaker()
        self.latencies: deque[float] = deque(maxlen=100)
        self._keys: list[Secret | None] = list(keys) or ([None] if key_variable is None else [])
        self._ids = [_key_id(k.reveal() if k else "") for k in self._keys]
        self._rate = parse_rate(rate) if rate else None
        self._cool = dict.fromkeys(self._ids, _NOT_COOLING)
        self._slips = dict.fromkeys(self._ids, (UNPROVEN, 0.0))  # refusals in a row, and the last
        self._store = store
        self._next = 0
        self._synced = 0.0

    @property
    def limited(self) -> bool:
        """Whether there are turns to wait for."""
        return self._rate is not None

    async def enter(self, deadline: float) -> Pass:
        """Wait for a turn, at most until `deadline` (loop time). Raises a `NotAsked`."""
        now = time.time()
        if now - self._synced > SYNC_SECONDS:
            if self._synced:
                self._synced = now  # one asks for all; before anything is known, each for itself
            await self.sync()
            self._synced = now
        fresh = self._fresh_keys(now)
        probe = await self._check_circuit(now) if self.breaker.until else False
        index = await self._take_turn(fresh, deadline) if self._rate else fresh[0]
        if index is not None:
            self._next = index + 1
            key = self._keys[index]
            number, text = (index + 1, key.reveal()) if key else (None, "")
            return Pass(text, number, probe, now)
        raise Cooling(
            self.name,
            "our own limit for it leaves no turn before the deadline",
            remedy="raise its rate, add a key, or allow more time",
        )

    async def report(self, used: Pass, error: ProviderError | None, elapsed: float) -> None:
        """Note what came of it. Outages and garbage count against the provider as a whole; a bad
        key is its owner's trouble alone, and so is a deadline that nobody could have met. A probe
        that is refused has still found somebody there."""
        if isinstance(error, Timeout) and not error.status and elapsed < self.slow(1.0):
            return
        down = isinstance(error, Outage | Unreadable)
        if error is None:
            self.latencies.append(elapsed)
            key_id = self._id_of(used)
            self._slips[key_id] = _NO_SLIP
            if self._cool[key_id] is not _NOT_COOLING:
                await self._lift(key_id)
        counts = error is None or down or used.probe
        if counts and self.breaker.record(down, used.probe):
            await self._publish_circuit()

    def rest(self, used: Pass, longest: float) -> float:
        """Note a refusal, and say for how long the key is to rest: not at all while it may be a
        slip. Those that were on their way together count as one, for a refusal comes back sooner
        than results do."""
        key_id = self._id_of(used)
        count, last = self._slips[key_id]
        if used.began > last:
            count, last = count + 1, time.time()
            self._slips[key_id] = count, last
        return min(longest, FIRST_REST * 3.0 ** (count - SLIPS)) if count >= SLIPS else 0.0

    async def cool(self, used: Pass, seconds: float, why: str) -> None:
        """Leave this key alone for a while, in every process."""
        seconds = min(seconds, LONGEST_COOLDOWN)
        key_id = self._id_of(used)
        self._cool[key_id] = (time.time() + seconds, why)
        value = f"{self._cool[key_id][0]:f} {why}".encode()
        await self._store.put(self._cool_key(key_id), value, seconds)

    async def _lift(self, key_id: str) -> None:
        """The key works: what was on its way when it was refused says so later than that."""
        until, why = self._cool[key_id]
        if until > time.time() and why != _RATE:
            self._cool[key_id] = _NOT_COOLING
            await self._store.forget(self._cool_key(key_id))

    async def warm(self) -> None:
        """Forget that keys were told to wait, and close the circuit: somebody has mended it."""
        self.breaker.close()
        self._cool = dict.fromkeys(self._ids, _NOT_COOLING)
        await self._store.forget(f"cool:{self.name}:")
        await self._publish_circuit()

    def other_key(self, tried: int) -> bool:
        """Whether there is a key that need not wait, after `tried` were tried."""
        now = time.time()
        return tried < len(self._ids) and any(until <= now for until, _ in self._cool.values())

    def wait(self) -> float | None:
        """Seconds until a key may be used: 0, or what is left of a wait that the upstream asked
        for. None when all are resting for longer, or the circuit is open."""
        now = time.time()
        if self.breaker.until > now:
            return None
        waits = [max(0.0, t - now) for t, why in self._cool.values() if t <= now or why == _RATE]
        return min(waits, default=None)

    def slow(self, fallback: float) -> float:
        """The 95th percentile of its latency, in seconds."""
        known = sorted(self.latencies)
        return known[int(len(known) * 0.95)] if len(known) >= 10 else fallback

    def state(self) -> str:
        """For people: ready, cooling, open, or no key."""
        now = time.time()
        if not self._keys:
            return "no key"
        if self.breaker.until:
            return "circuit open" if now < self.breaker.until else "to be probed"
        until, why = min(self._cool.values())
        return "ready" if until <= now else f"{_WHY.get(why, 'waiting')}, {until - now:.0f} s"

    async def sync(self) -> None:
        """Take over what other processes know: cooling keys, an open circuit."""
        names = [f"open:{self.name}", *(self._cool_key(i) for i in self._ids)]
        circuit, *cooling = await self._store.get(names)
        if circuit is not None and (until := float(circuit)) != self.breaker.until:
            if until == 0:
                self.breaker.close()
            else:
                self.breaker.until = max(until, self.breaker.until)
        for key_id, said in zip(self._ids, cooling, strict=True):
            if said is not None:
                when, _, why = said.decode().partition(" ")
                self._cool[key_id] = max(self._cool[key_id], (float(when), why))

    async def _publish_circuit(self) -> None:
        await self._store.put(f"open:{self.name}", b"%f" % self.breaker.until, 3600)

    async def _check_circuit(self, now: float) -> bool:
        until = self.breaker.until
        if now >= until and await self._store.claim(f"probe:{self.name}", Breaker.PAUSE):
            return True
        raise CircuitOpen(
            self.name,
            "it failed too often just now",
            retry_after=max(0.0, until - now),
            remedy="it is tried again by itself",
        )

    def _fresh_keys(self, now: float) -> list[int]:
        if not self._keys:
            raise NotConfigured(self.name, "it has no key", remedy=f"set {self._variable}")
        count = len(self._keys)
        order = [(self._next + n) % count for n in range(count)] if count > 1 else [0]
        fresh = [i for i in order if self._cool[self._ids[i]][0] <= now]
        if not fresh:
            until, why = min(self._cool.values())
            said = f"{_WHY.get(why, 'it asked us to wait')}; not asked for {until - now:.0f} s"
            raise Cooling(self.name, said, retry_after=until - now, cause=why)
        return fresh

    async def _take_turn(self, fresh: Sequence[int], deadline: float) -> int | None:
        """The key whose turn it is, after waiting for it; None when no turn comes in time."""
        assert self._rate is not None
        interval, burst = self._rate
        patience = max(0.0, deadline - asyncio.get_running_loop().time())
        # A key that can be used now is better than one to wait for.
        for longest in (0.0, patience) if len(fresh) > 1 else (patience,):
            for index in fresh:
                key = f"turn:{self.name}:{self._ids[index]}"
                wait = await self._store.turn(key, interval, burst, longest)
                if wait >= 0:
                    await asyncio.sleep(wait)
                    return index
        return None

    def _id_of(self, used: Pass) -> str:
        return self._ids[(used.number or 1) - 1]

    def _cool_key(self, key_id: str) -> str:
        return f"cool:{self.name}:{key_id}"


def _key_id(key: str) -> str:
    return hashlib.blake2s(key.encode(), digest_size=8, person=b"kensaku").hexdigest()
