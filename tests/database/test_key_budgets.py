"""The budgets of keys: what counts against which."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kensaku.database.key_budgets import KeyBudgets
from kensaku.database.keys import ApiKey
from kensaku.search.budget import Budget
from kensaku.store import MemoryStore


def key(searches: int | None, money: float | None) -> ApiKey:
    made = datetime(2026, 11, 16, tzinfo=UTC)
    return ApiKey("k1", "agent", "acme", "ksk_", None, searches, money, False, made, None, None)


@pytest.mark.parametrize(
    ("searches", "money", "chain"),
    [
        (None, None, []),
        (5, None, [(5, None, "day"), (7, None, "day")]),
        (None, 1.5, [(None, 1.5, "month"), (7, None, "day")]),
        (5, 1.5, [(5, None, "day"), (None, 1.5, "month"), (7, None, "day")]),
    ],
)
def test_searches_are_of_the_day_and_money_is_of_the_month(searches, money, chain):
    """And what is spent of them is spent of the operator's budget."""
    store, operator = MemoryStore(), Budget(7)

    budget = KeyBudgets(store).of_run(key(searches, money), operator)

    found = []
    while budget is not None:
        found.append((budget.searches, budget.money, budget.period))
        if budget is not operator:
            assert (budget.name, budget.store) == ("key:k1", store)
        budget = budget.parent
    assert found == chain


def test_money_alone_is_none_without_a_bound():
    """The searches of the day are another question."""
    assert KeyBudgets(MemoryStore()).money(key(5, None), Budget(7)) is None
