"""Budgets: what a run may spend, and how many retries it may make."""

from __future__ import annotations

import pytest

from kensaku import Budget
from kensaku.errors import BudgetExceeded
from kensaku.search.budget import RetryBudget
from kensaku.store import MemoryStore


def test_a_retry_budget_is_a_share_of_the_searches():
    """Ten to begin with, then one for every two searches."""
    budget = RetryBudget(0.5)
    taken = sum(budget.take() for _ in range(50))
    for _ in range(20):
        budget.earn()

    assert taken == 10
    assert sum(budget.take() for _ in range(50)) == 10


async def test_a_budget_that_refuses_takes_nothing():
    """All or nothing: what was taken before the refusal is given back."""
    budget = Budget(searches=10, money=0.01)

    await budget.spend(searches=1, money=0.008)
    with pytest.raises(BudgetExceeded):
        await budget.spend(searches=1, money=0.008)

    assert budget.left() == {"searches": 9, "money": pytest.approx(0.002)}


async def test_a_budget_spends_of_its_parent_too():
    """A key of the server has money of its own, within the operator's budget."""
    parent = Budget(searches=3, money=1.0)
    child = Budget(money=0.5, parent=parent)

    await child.spend(searches=1, money=0.3)
    await child.settle(money=0.1)
    with pytest.raises(BudgetExceeded):  # the child's own bound
        await child.spend(searches=1, money=0.3)
    assert (child.left(), parent.left()) == (
        {"money": pytest.approx(0.1)},
        {"searches": 2, "money": pytest.approx(0.6)},
    )
    await parent.spend(searches=2)
    with pytest.raises(BudgetExceeded):  # the parent's
        await child.spend(searches=1, money=0.05)
    assert child.left() == {"money": pytest.approx(0.1)}
    assert Budget(parent=parent).bounded
    assert not Budget(parent=Budget()).bounded


async def test_budgets_bound_what_they_name_and_nothing_else():
    """Searches, fetches, seconds, money, tokens: None is no bound."""
    budget = Budget(tokens=100, fetches=1)

    await budget.spend(searches=1000, money=1e6, seconds=1e6, fetches=1, tokens=60)
    with pytest.raises(BudgetExceeded):
        await budget.spend(tokens=41)
    with pytest.raises(BudgetExceeded):
        await budget.spend(fetches=1)


async def test_the_budgets_of_two_tenants_are_two(tmp_path):
    """What one spends is not missing for the other."""
    store = MemoryStore()
    one, other = (Budget(searches=1, name=n, store=store) for n in ("one", "other"))

    await one.spend(searches=1)
    await other.spend(searches=1)

    with pytest.raises(BudgetExceeded):
        await one.spend(searches=1)
