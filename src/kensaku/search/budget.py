"""Budgets for searches, money and time, and for retries.

Budget.spend(searches=1, money=0.008)   or BudgetExceeded; one per run, or shared by a name
RetryBudget.take()                      a share of the searches, so retries do not add to an outage
"""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kensaku.errors import BudgetExceeded
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.store import Store


KINDS = ("searches", "fetches", "seconds", "money", "tokens")


class RetryBudget:
    """Bounds the extra calls to a share of the searches, so retries do not add to an outage."""

    def __init__(self, share: float, floor: float = 10.0) -> None:
        self._share, self._cap = share, max(floor, 100 * share)
        self._tokens = floor

    def earn(self) -> None:
        """Add one search's share to the retry budget."""
        self._tokens = min(self._cap, self._tokens + self._share)

    def left(self) -> bool:
        """Whether one more call could be made."""
        return self._tokens >= 1

    def take(self) -> bool:
        """Take one call from the budget; False when there is none left."""
        if not self.left():
            return False
        self._tokens -= 1
        return True


@dataclass
class Budget:
    """Limits on searches, money and time; None means unlimited.

    With a `store`, all budgets of one `name` are shared, across processes and machines, until the
    period ends. What is spent is spent of the `parent`, too.
    """

    searches: int | None = None
    fetches: int | None = None
    seconds: float | None = None
    money: float | None = None  # US dollars
    tokens: int | None = None
    name: str = ""
    period: str = "day"
    store: Store | None = field(default=None, repr=False)
    parent: Budget | None = None
    reason: str = ""  # why there is no more, where that is not simply spent
    _spent: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def bounded(self) -> bool:
        """Whether there is anything to count."""
        if self.parent is not None and self.parent.bounded:
            return True
        return any(getattr(self, what) is not None for what in KINDS)

    async def spend(self, **amounts: float) -> None:
        """Spend amounts, as in `spend(searches=1, money=0.008)`.

        Raises `BudgetExceeded`; then nothing was spent.
        """
        taken: list[tuple[str, float]] = []
        for what, amount in amounts.items():
            limit = getattr(self, what)
            if limit is None or not amount:
                continue
            taken.append((what, amount))
            if await self._add(what, amount) > limit + 1e-9:
                await self._give_back(taken)
                raise BudgetExceeded(
                    self.reason
                    or msg("the budget of {limit:g} {what} is spent", limit=limit, what=what),
                    remedy=msg("raise it, or answer with what is there"),
                )
        if self.parent is not None:
            try:
                await self.parent.spend(**amounts)
            except BudgetExceeded:
                await self._give_back(taken)
                raise

    async def is_spent(self) -> bool:
        """Whether one of its bounds is reached."""
        for what in KINDS:
            limit = getattr(self, what)
            if limit is not None and await self._add(what, 0.0) >= limit - 1e-9:
                return True
        return False

    async def settle(self, **amounts: float) -> None:
        """Correct the reserved amounts once the true ones are known."""
        for what, amount in amounts.items():
            if amount and getattr(self, what) is not None:
                await self._add(what, amount)
        if self.parent is not None:
            await self.parent.settle(**amounts)

    def left(self) -> dict[str, float]:
        """What remains of each limit, as far as this process knows."""
        limits = {k: getattr(self, k) for k in KINDS}
        return {k: v - self._spent.get(k, 0.0) for k, v in limits.items() if v is not None}

    async def _give_back(self, taken: list[tuple[str, float]]) -> None:
        for what, amount in taken:
            await self._add(what, -amount)

    async def _add(self, what: str, amount: float) -> float:
        if self.store is None:
            total = self._spent.get(what, 0.0) + amount
        else:
            key, ttl = _period(self.period)
            total = await self.store.add(f"budget:{self.name}:{what}:{key}", amount, ttl)
        self._spent[what] = total
        return total


# What the current task may spend instead of its client's own budget.
current_budget: ContextVar[Budget | None] = ContextVar("kensaku_budget", default=None)


def _period(period: str) -> tuple[str, float]:
    """The name of the current period, and seconds for which its counter must live."""
    form, seconds = {
        "hour": ("%Y-%m-%dT%H", 3600.0),
        "day": ("%Y-%m-%d", 86400.0),
        "month": ("%Y-%m", 31 * 86400.0),
    }[period]
    return time.strftime(form, time.gmtime()), seconds


def seconds_left(period: str, now: datetime | None = None) -> float:
    """Seconds until the next hour, day or month begins, in UTC."""
    now = now or datetime.now(UTC)
    begin = now.replace(minute=0, second=0, microsecond=0)
    if period == "hour":
        end = begin + timedelta(hours=1)
    elif period == "day":
        end = begin.replace(hour=0) + timedelta(days=1)
    else:
        year, month = now.year + now.month // 12, now.month % 12 + 1
        end = begin.replace(year=year, month=month, day=1, hour=0)
    return (end - now).total_seconds()
