"""What a run is asked to do is checked before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Budget
from kensaku.assistant.actions import Thresholds
from kensaku.assistant.request import begin
from kensaku.errors import InvalidQuery, UnknownName

from .conftest import Person


def ready(k: Any, question: Any = "Why?", **options: Any) -> Any:
    """A run that is about to start."""
    return begin(question, k, options, lambda _: None)  # type: ignore[arg-type]


async def test_a_run_has_what_the_settings_and_the_call_say(client: Any, clock: Any) -> None:
    """The options of the call, the bounds of the settings; the parent's budget is spent, too."""
    k = client(assistant_wait=7, assistant_silent=0.8, assistant_money=0.5, assistant_searches=2)
    person, parent = Person(), Budget(searches=1)
    run = ready(
        k, "  Why\u200b? ", person=person, budget=parent, route=" tavily, exa", collection="docs",
        cache=False, timeout=9, earlier=["How?"], approvals={"shell": "auto"},
    )  # fmt: skip
    tools = run.tools

    assert (run.question, run.earlier, run.model) == ("Why?", ("How?",), None)
    assert run.thresholds == Thresholds(0.8, 0.7, 0.4)
    assert (tools.client, tools.person, tools.wait) == (k, person, 7.0)
    assert (tools.route, tools.collection, tools.cache) == (("tavily", "exa"), "docs", False)
    assert tools.deadline == run.began + 9
    assert tools.approvals.tier("shell") == "auto"
    assert tools.budget.left() == {"searches": 2, "fetches": 12, "tokens": 60_000, "money": 0.5}
    assert tools.budget.parent is parent

    plain = ready(k).tools
    assert (plain.person, plain.route, plain.collection, plain.cache) == (None, None, None, None)
    assert plain.deadline - ready(k).began <= 120
    assert plain.journal.finished == {}
    assert ready(client()).tools.budget.left() == {"searches": 8, "fetches": 12, "tokens": 60_000}
    assert ready(k, route=["tavily", "exa"]).tools.route == ("tavily", "exa")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (5, "the question must be text, not int"),
        (" \u200b ", "the question is empty"),
        ("x" * 4_001, "the question has 4,001 characters; at most 4,000 are taken"),
        ("\ud800", "the question is empty"),
    ],
)
async def test_a_question_is_text_of_a_bounded_length(
    question: Any, told: str, client: Any
) -> None:
    """One sentence that says what is wrong."""
    with pytest.raises(InvalidQuery) as refused:
        ready(client(), question)
    assert refused.value.message == told
    assert ready(client(), "x" * 4_000).question == "x" * 4_000


@pytest.mark.parametrize("seconds", [0, -1, 3_600.1, float("nan"), True, "5"])
async def test_a_timeout_is_bounded(seconds: Any, client: Any) -> None:
    """More than nothing, and an hour at most."""
    with pytest.raises(InvalidQuery) as refused:
        ready(client(), timeout=seconds)
    assert refused.value.message == (
        f"timeout is {seconds!r}; it must be more than 0 and at most 3600 s"
    )
    for good in (0.5, 3_600):
        run = ready(client(), timeout=good)
        assert run.tools.deadline == pytest.approx(run.began + good)


async def test_an_option_that_is_not_there_is_named(client: Any) -> None:
    """With the nearest; so is a collection with a wrong name."""
    with pytest.raises(UnknownName, match="'rout'") as refused:
        ready(client(), rout="tavily")
    assert "route" in refused.value.remedy
    with pytest.raises(InvalidQuery):
        ready(client(), collection="")
