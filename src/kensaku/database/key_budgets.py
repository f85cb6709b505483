"""The budget of a key: searches per day and money per month.

The counters are in the store, so all processes that share it count together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.search.budget import Budget

if TYPE_CHECKING:
    from kensaku.database.keys import ApiKey
    from kensaku.store import Store


class KeyBudgets:
    """The budgets of keys in one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_run(self, key: ApiKey, parent: Budget | None = None) -> Budget | None:
        """Return what the searches of a run count against: those of the day, and the money."""
        money = self.money(key, parent)
        if key.searches_per_day is None:
            return money
        budget = self._budget(key, searches=key.searches_per_day, period="day")
        budget.parent = money or parent
        return budget

    def money(self, key: ApiKey, parent: Budget | None = None) -> Budget | None:
        """Return the key's money of the month, for the search to spend; None without a bound.

        `parent` is the operator's own budget, which is spent as well.
        """
        if key.money_per_month is None:
            return None
        budget = self._budget(key, money=key.money_per_month, period="month")
        budget.parent = parent
        return budget

    def _budget(
        self,
        key: ApiKey,
        *,
        period: str,
        searches: int | None = None,
        money: float | None = None,
    ) -> Budget:
        name = f"key:{key.id}"
        return Budget(searches, money=money, name=name, period=period, store=self._store)
