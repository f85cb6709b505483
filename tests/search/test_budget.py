"""Budgets: what a run may spend, and how many retries it may make."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kensaku import Budget
from kensaku.errors import BudgetExceeded
from kensaku.search.budget import RetryBudget, seconds_left
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


async def test_a_repr_shows_the_limits_and_no_store():
    """The address of a store may hold a password; its count is the truth, ours is a copy."""
    budget = Budget(searches=10, store=MemoryStore())
    await budget.spend(searches=3)

    assert "searches=10" in repr(budget)
    assert "Store" not in repr(budget)
    assert "3" not in repr(budget)


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


def test_a_retry_budget_saves_a_hundred_searches_at_most():
    """A quiet week does not pay for a storm of retries."""
    large, small = RetryBudget(1.0), RetryBudget(0.05)
    for budget in (large, small):
        for _ in range(1_000):
            budget.earn()

    assert sum(large.take() for _ in range(200)) == 100
    assert sum(small.take() for _ in range(100)) == 10
    assert not large.left()
    none = RetryBudget(1.0, floor=0.9)
    assert (none.left(), none.take()) == (False, False)
    one = RetryBudget(1.0, floor=1.0)
    assert (one.left(), one.take(), one.take()) == (True, True, False)


async def test_the_bound_itself_can_be_spent():
    """Sums of cents are not exact: a billionth too much is none."""
    budget = Budget(money=0.3, searches=1)

    for _ in range(3):
        assert not await budget.is_spent()
        await budget.spend(money=0.1)
    assert await budget.is_spent()
    with pytest.raises(BudgetExceeded) as exceeded:
        await budget.spend(money=0.001)
    assert str(exceeded.value) == (
        "the budget of 0.3 money is spent; raise it, or answer with what is there"
    )
    await budget.spend(money=0.0)  # what costs nothing can be had
    await Budget(money=0.0).spend(money=1e-9)
    assert await Budget(money=1e-9).is_spent()
    with pytest.raises(BudgetExceeded, match=r"^the key is used up; "):
        await Budget(searches=0, reason="the key is used up").spend(searches=1)


async def test_what_a_child_cannot_have_is_given_back_to_both():
    """Searches are taken first, and come back when the money of the parent is gone."""
    parent = Budget(money=0.5)
    child = Budget(searches=2, money=5.0, parent=parent)

    with pytest.raises(BudgetExceeded, match=r"0\.5 money"):
        await child.spend(searches=1, money=0.6)

    assert (child.left(), parent.left()) == ({"searches": 2, "money": 5.0}, {"money": 0.5})
    await child.settle(money=-0.25, searches=0)
    assert (child.left(), parent.left()) == ({"searches": 2, "money": 5.25}, {"money": 0.75})


@pytest.mark.parametrize(
    ("period", "lasts"), [("hour", 3_600), ("day", 86_400), ("month", 31 * 86_400)]
)
async def test_a_shared_budget_is_counted_by_period(period, lasts):
    """Two clients of one name count together, under a key that ends with the period."""
    kept = []

    class Store(MemoryStore):
        async def add(self, key, amount, ttl):
            kept.append((key, ttl))
            return await super().add(key, amount, ttl)

    store, form = Store(), {"hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d", "month": "%Y-%m"}[period]
    one, other = (Budget(searches=3, name="n", period=period, store=store) for _ in range(2))
    before = datetime.now(UTC)
    await one.spend(searches=2)
    await other.spend(searches=1)
    await other.settle(money=0.5)  # nobody bounds it, so it is not counted

    assert other.left() == {"searches": 0}
    assert await one.is_spent()
    times = {t.strftime(form) for t in (before, datetime.now(UTC))}
    assert {key for key, _ in kept} <= {f"budget:n:searches:{t}" for t in times}
    assert {ttl for _, ttl in kept} == {lasts}


@pytest.mark.parametrize(
    ("period", "now", "seconds"),
    [
        ("hour", datetime(2026, 1, 30, 22, 59, 30, 500_000, tzinfo=UTC), 29.5),
        ("day", datetime(2026, 1, 30, 22, 0, 0, tzinfo=UTC), 7_200),
        ("month", datetime(2026, 1, 31, 23, 0, 0, tzinfo=UTC), 3_600),
        ("month", datetime(2026, 2, 1, tzinfo=UTC), 28 * 86_400),
        ("month", datetime(2026, 12, 31, 12, tzinfo=UTC), 43_200),
    ],
)
def test_how_long_a_period_lasts_is_known(period, now, seconds):
    """Until the next hour, day or month, in UTC."""
    assert seconds_left(period, now) == seconds
    assert 0 < seconds_left(period) <= 31 * 86_400


@pytest.mark.parametrize("kind", ["searches", "fetches", "seconds", "money", "tokens"])
async def test_each_bound_by_itself_is_one(kind):
    """It is counted, and reached."""
    budget = Budget(**{kind: 2})

    assert budget.bounded
    assert budget.left() == {kind: 2}
    await budget.spend(**{kind: 1})
    assert not await budget.is_spent()
    await budget.spend(**{kind: 1})
    assert await budget.is_spent()
    assert not Budget().bounded
    assert not await Budget().is_spent()
