"""Models: any vendor's, or one behind a URL; what they say is checked, or the extract stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku import Hit
from kensaku.errors import ConfigError
from tests.answers.conftest import KEY, Model, Web

from .conftest import BOTH, GOOD, SLEEP, WRITE, says


async def test_a_vendors_model_writes(client: Any) -> None:
    """Told the date, the language and the budget; sources are fenced and labelled."""
    model, prompts = says(GOOD)
    answer = await client().ask(SLEEP, model=model)

    assert answer.text == "They hold hands. [1]"
    assert answer.written_by == model.model_name
    assert answer.usage.model_calls == 1
    assert answer.usage.tokens > 0
    [prompt] = prompts
    for told in ("Today is ", "seconds", "searches", "English", "<<<web", "[1] "):
        assert told in prompt


async def test_the_name_of_a_call_counts_over_the_settings(client: Any, model: Model) -> None:
    """Also one with a colon, as servers have."""
    model.says(WRITE, GOOD)
    answer = await client(**model.settings).ask(SLEEP, model="qwen3:8b")

    assert (answer.text, answer.written_by) == ("They hold hands. [1]", "qwen3:8b")
    assert KEY not in json.dumps(answer.to_dict())
    assert model.upstream.asked("llm")[-1].json["model"] == "qwen3:8b"


async def test_a_name_that_nobody_serves_is_wrong_usage(client: Any) -> None:
    """Before anything is sent."""
    with pytest.raises(ConfigError, match="vendor"):
        await client().ask(SLEEP, model="small")


@pytest.mark.parametrize("name", ["nowhere:model", "anthropic:claude-nothing"])
async def test_a_vendor_that_cannot_be_asked_is_said(name: str, client: Any) -> None:
    """No package, no key, no such vendor: the extract stands."""
    answer = await client(model=name).ask(SLEEP)

    assert answer.written_by == "extract"
    assert any("the model did not answer" in note for note in answer.notes)
    assert "hold hands" in answer.text


async def test_a_model_that_calls_tools_calls_nothing(client: Any, web: Web) -> None:
    """It has none: a reply without text is no answer."""
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def call(*_: Any) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("web_search", {"query": "steal"})])

    answer = await client().ask(SLEEP, model=FunctionModel(call))

    assert answer.written_by == "extract"
    assert web.queries == [SLEEP]


async def test_a_model_that_plans_the_same_search_again_pays_once(client: Any, web: Web) -> None:
    """The earlier result is used, with a note."""
    plan = {
        "questions": [
            {"question": f"{SLEEP} {n}", "queries": [SLEEP, SLEEP.upper(), SLEEP]} for n in range(3)
        ]
    }
    model, _ = says(json.dumps(plan), GOOD)
    answer = await client(assistant_notify=1.0, assistant_silent=1.0).ask(BOTH, model=model)

    assert [q for q in web.queries if q.casefold() == SLEEP.casefold()] == [SLEEP]
    assert any("same search" in note for note in answer.notes)
    assert answer.usage.searches == len(web.queries)


async def test_tokens_are_bounded(client: Any, web: Web) -> None:
    """Nothing is sent to the model when its prompt is too long for the budget."""
    model, prompts = says(GOOD)
    text = " ".join(f"Kelp forest number {n} shelters sea otters at night." for n in range(300))
    web.finds("kelp", Hit("https://a.example/", "Kelp", text, score=0.9))
    k = client(assistant_tokens=1000, assistant_fetches=0)
    answer = await k.ask("Which kelp forest shelters sea otters?", model=model)

    assert prompts == []
    assert (answer.usage.model_calls, answer.written_by) == (0, "extract")
    assert any("budget of 1000 tokens" in note for note in answer.notes)
