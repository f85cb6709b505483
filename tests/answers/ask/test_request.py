"""What a run is asked to do is checked before anything is sent, and holds for all of it."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Budget
from kensaku.errors import InvalidQuery, UnknownName, UsageError
from kensaku.testing import FakeUpstream
from tests.answers.conftest import Web

from .conftest import BOTH, SLEEP


async def test_the_budget_of_the_call_is_spent_too(client: Any, web: Web) -> None:
    """The stricter of both counts; what is spent is gone for the next run."""
    budget = Budget(searches=1)
    answer = await client().ask(BOTH, budget=budget)
    again = await client().ask(SLEEP, budget=budget)

    assert (answer.usage.searches, again.usage.searches) == (1, 0)
    assert len(web.queries) == 1


async def test_a_question_goes_on_with_the_ones_before(client: Any, web: Web) -> None:
    """Its topic is searched for."""
    await client().ask("And what do they eat?", earlier=[SLEEP])

    assert "otters" in web.queries[0]


@pytest.mark.parametrize("route", [" tavily ", ["tavily"]])
async def test_the_route_of_the_call_counts_over_the_settings(
    route: Any, client: Any, upstream: FakeUpstream
) -> None:
    """As a text or as a list; blanks make no difference."""
    answer = await client("exa", "tavily").ask(SLEEP, route=route)

    assert "hold hands" in answer.text
    assert upstream.asked("exa") == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (5, "must be text, not int"),
        (" \u200b ", "is empty"),
        ("\ud800", "is empty"),
        ("x" * 4_001, "has 4,001 characters; at most 4,000"),
    ],
)
async def test_a_question_is_text_of_a_bounded_length(
    question: Any, told: str, client: Any, web: Web
) -> None:
    """One sentence that says what is wrong."""
    with pytest.raises(InvalidQuery, match=told):
        await client().ask(question)

    assert web.queries == []


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        *[({"timeout": wrong}, InvalidQuery, "at most 3600 s")
          for wrong in (0, -1, 3_600.1, float("nan"), True, "5")],
        ({"collection": ""}, InvalidQuery, "collection"),
        ({"rout": "tavily"}, UnknownName, "'rout'.*route"),
        ({"approvals": {"web_search": "sometimes"}}, InvalidQuery, "auto, ask, never"),
    ],
)  # fmt: skip
async def test_an_option_that_no_run_would_take_is_named(
    options: Any, error: type[UsageError], told: str, client: Any, web: Web
) -> None:
    """With its bounds, or the nearest name."""
    with pytest.raises(error, match=told):
        await client().ask(SLEEP, **options)

    assert web.queries == []
