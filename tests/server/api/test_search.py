"""A search as events: in which order they come, and what a model's answer is shown with."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku.models import Document, Hit
from kensaku.server.api import search
from kensaku.server.api.base import Call
from kensaku.testing import faults

HITS = [
    Hit("https://a.example/", "Alpha", "Sea otters hold hands while they sleep.", score=0.9),
    Hit("https://b.example/", "Beta", "River otters live in burrows.", score=0.5),
]


async def events_of(call: Call) -> list[tuple[str, dict[str, Any]]]:
    return [(e[0], dict(e[1])) async for e in search.stream(call)]


async def test_a_search_comes_in_parts(make_call, upstream):
    """Who is asked, what they said, the hits as they come, the ranked whole."""
    upstream.answers("tavily", HITS)
    call = make_call({"q": "otters", "n": "1"})

    events = await events_of(call)

    names = [name for name, _ in events]
    assert names[0] == "asked"
    assert names[-1] == "response"
    assert set(names) == {"asked", "hits", "response"}
    whole = events[-1][1]
    assert (whole["outcome"], whole["title"]) == ("found", "otters")
    assert whole["address"] == "/root/?q=otters&n=1"
    assert "Alpha" in whole["html"]
    assert "Beta" not in whole["html"]
    assert (call.session.outcome, call.session.cached) == ("found", False)
    again = make_call({"q": "otters", "n": "1"})
    assert [name for name, _ in await events_of(again)] == ["response"]
    assert (again.session.outcome, again.session.cached) == ("found", True)


async def test_a_search_takes_the_route_and_the_number_of_the_settings(make_call, upstream, state):
    """Unless the form says otherwise."""
    upstream.answers("tavily", HITS)

    await events_of(make_call({"q": "otters"}))
    await events_of(make_call({"q": "kelp", "n": "7"}))
    await state.client.index.add([Document("file:///a", "Kept", "kelp")], "notes")
    local = (await events_of(make_call({"q": "kelp", "route": "local"})))[-1][1]

    asked = [r.json["max_results"] for r in upstream.asked("tavily")]
    assert asked == [make_call().client.settings.max_results, 7]
    assert (local["outcome"], "Kept" in local["html"]) == ("found", True)


async def test_a_search_that_is_refused_says_so_in_one_sentence(make_call):
    """And nothing comes after it."""
    ((name, data),) = await events_of(make_call({"q": ""}))

    assert name == "failed"
    assert "query" in data["html"]


async def test_a_search_that_nobody_could_do_is_shown_with_its_reasons(make_call, upstream):
    """It is no failure of the call."""
    upstream.fails("tavily", faults.status(401))
    call = make_call({"q": "otters"})

    name, data = (await events_of(call))[-1]

    assert (name, data["outcome"]) == ("response", "unavailable")
    assert call.session.outcome == "unavailable"


async def test_who_leaves_ends_the_search(make_call, upstream):
    """Nobody is asked for somebody who has gone."""
    upstream.fails("tavily", faults.hang())
    events = search.stream(make_call({"q": "otters"}))

    assert (await anext(events))[0] == "asked"
    (task,) = [t for t in asyncio.all_tasks() if t.get_coro().__qualname__ == "_search"]
    await events.aclose()

    assert task.cancelled()


@pytest.fixture
def modelled(make_client, upstream, make_call):
    """Calls of a client with a model."""

    def make(fields: dict[str, Any]) -> Call:
        call = make_call(fields)
        call.session.client = make_client(
            "tavily", llm_url=f"{upstream.url}/llm", llm_model="small", llm_api_key="sk-1"
        )
        return call

    return make


def says(upstream: Any, text: str) -> None:
    body = {"choices": [{"message": {"content": text}}]}
    upstream.fails("llm", faults.wrong_shape(body))


async def test_the_answer_of_a_model_comes_last(modelled, upstream):
    """Its marks lead to the hits, by their numbers; until then the page says that it is written."""
    upstream.answers("tavily", HITS)
    says(upstream, "River otters live in burrows. [2]")

    events = await events_of(modelled({"q": "otters"}))

    (name, whole), (last, answer) = events[-2:]
    assert (name, last) == ("response", "answer")
    assert answer["found"] is True
    assert "River otters live in burrows." in answer["html"]
    assert '<a class="cite" href="#h2">2</a>' in answer["html"]
    assert "by small" in answer["html"]
    assert "Working" in whole["html"]
    assert "Working" not in answer["html"]


async def test_a_model_is_not_asked_about_nothing(modelled, upstream):
    """There would be nothing to cite."""
    upstream.answers("tavily", [])

    events = await events_of(modelled({"q": "otters"}))

    assert events[-1][0] == "response"
    assert upstream.asked("llm") == []
