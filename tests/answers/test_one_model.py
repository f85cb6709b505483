"""A model, or one that fails, is the same for every caller; what is set and not used is said."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kensaku.answers.model import unused_settings
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import KEY, Model, Web
from tests.search.support import until
from tests.server.conftest import make_server as make_server

QUESTION = "How do sea otters sleep?"
SAID = 'They hold hands [1: "Sea otters hold hands while they sleep"].'
PLAN = '{"questions": [{"question": "How do sea otters sleep?"}]}'
NAME = "openai-chat:small"


@pytest.fixture
def vendor(upstream: FakeUpstream, monkeypatch: pytest.MonkeyPatch, processes: Any) -> FakeUpstream:
    """A vendor on loopback, whose client is pydantic-ai's; it starts `uname`."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{upstream.url}/llm")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    for begins, text in (("Plan", PLAN), ("", SAID)):
        message = {"role": "assistant", "content": text}
        body = {
            "id": "c", "object": "chat.completion", "created": 1, "model": "small",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }  # fmt: skip
        upstream.fails("llm", faults.wrong_shape(body), when=lambda r, b=begins: _begins(r, b))
    return upstream


def _begins(request: Any, words: str) -> bool:
    asks_for_plan = request.json["messages"][0]["content"].startswith("Plan")
    return bool(asks_for_plan) == bool(words) and not request.json.get("stream")


@pytest.mark.usefixtures("web", "vendor")
async def test_a_vendors_model_writes_answers_and_reports(client: Any) -> None:
    """As it does for `ask`."""
    k = client(model=NAME)
    answer, report = await k.answer(QUESTION), await k.research(QUESTION)

    assert (answer.text, answer.written_by) == ("They hold hands. [1]", NAME)
    assert report.text.startswith("They hold hands. [1]")
    assert report.written_by == NAME
    assert not any("set and not used" in note for note in (*answer.notes, *report.notes))


async def test_a_vendors_model_writes_for_clients_of_the_server(
    vendor: FakeUpstream, web: Web, make_server: Any
) -> None:
    """`include_answer` of a search."""
    import aiohttp

    server = await make_server("tavily", model=NAME)
    body = {"query": QUESTION, "include_answer": True}
    async with aiohttp.ClientSession() as http, http.post(f"{server.url}/search", json=body) as got:
        reply = await got.json()

    assert reply["answer"] == "They hold hands. [1]"


@pytest.mark.usefixtures("web", "vendor")
@pytest.mark.parametrize("call", ["answer", "ask", "research"])
async def test_a_url_that_is_not_used_is_said(call: str, client: Any) -> None:
    """The vendor's model counts over it."""
    k = client(model=NAME, llm_url="http://127.0.0.1:9/v1", llm_model="other")
    made = await getattr(k, call)(QUESTION)

    assert f"llm.url is set and not used: the model is {NAME}" in made.notes


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, []),
        ({"model": NAME}, []),
        ({"llm_url": "http://127.0.0.1:9/v1", "llm_model": "small"}, []),
        ({"llm_url": "http://127.0.0.1:9/v1", "model": "qwen3:8b"}, []),
        ({"llm_url": "http://127.0.0.1:9/v1", "model": "a", "llm_model": "b"},
         ["llm.model is set and not used: the model is a"]),
        ({"llm_model": "small"}, ["llm.model is set and not used: llm.url is not set"]),
        ({"model": NAME, "llm_model": "b"},
         [f"llm.model is set and not used: the model is {NAME}"]),
    ],
)  # fmt: skip
def test_which_settings_are_not_used(
    settings: dict[str, str], said: list[str], client: Any
) -> None:
    """In one sentence."""
    assert unused_settings(client(**settings).settings) == said


# --- a model that fails, or lies: the same for every caller


BOTH = f"{QUESTION} What do sea otters eat each day?"
every_call = pytest.mark.parametrize("call", ["answer", "ask", "research"])


@every_call
@pytest.mark.parametrize(
    "fault", [faults.status(500), faults.status(401, {"error": KEY}), faults.html(), faults.reset()]
)
async def test_a_model_that_is_down_is_said_and_the_sources_speak(
    call: str, fault: Any, client: Any, upstream: FakeUpstream, model: Model
) -> None:
    """For the plan and for the text; without its key."""
    upstream.fails("llm", fault)
    task = QUESTION if call == "answer" else BOTH  # a simple question needs no plan
    made = await getattr(client(**model.settings), call)(task)

    assert made.written_by == "extract"
    assert "hold hands while they sleep. [1]" in made.text
    assert any("this is an extract" in note for note in made.notes)
    assert call == "answer" or any("made no plan" in note for note in made.notes)
    assert KEY not in json.dumps([made.to_dict(), made.notes])


@every_call
@pytest.mark.parametrize(
    "reply",
    ["No idea.", "They do [8, 9].", "Hidden [1]", "[1] [2]", "#" * 9_999, "\u200b",
     'Lies [1: "nothing of the kind there"].', 'Lies [99: "hold hands"].'],
)  # fmt: skip
async def test_a_text_that_nothing_supports_is_not_shown(
    call: str, reply: str, client: Any, model: Model
) -> None:
    """None of its citations holds: the extract stands, and a note says so."""
    model.says("", reply)
    made = await getattr(client(**model.settings), call)(QUESTION)

    assert made.written_by == "extract"
    assert "hold hands while they sleep. [1]" in made.text
    assert any("this is an extract" in note for note in made.notes)


@every_call
@pytest.mark.parametrize("outcome", ["empty", "unavailable"])
async def test_without_sources_no_model_writes(
    call: str, outcome: str, client: Any, model: Model, web: Web
) -> None:
    """It would write from memory. Nothing found and nobody to ask stay two things."""
    if outcome == "unavailable":
        web.upstream.heals("tavily")
        web.upstream.fails("tavily", faults.status(400))
    model.says("", "Leonardo did.")
    made = await getattr(client(**model.settings), call)("Who painted the Mona Lisa?")

    assert (made.outcome, made.written_by) == (outcome, "extract")
    assert all(rules.startswith("Plan") for rules, _ in model.asked(""))


@every_call
async def test_a_model_that_hangs_is_not_waited_for(
    call: str, client: Any, upstream: FakeUpstream, model: Model, clock: Any
) -> None:
    """It has a minute for the plan, and one for the text; the sources speak."""
    upstream.fails("llm", faults.hang())
    task = QUESTION if call == "answer" else BOTH  # a simple question needs no plan
    running = asyncio.ensure_future(getattr(client(**model.settings), call)(task))
    for asked in range(1, 2 if call == "answer" else 3):
        await until(lambda: len(upstream.asked("llm")) == asked)  # noqa: B023
        clock.advance(59)
        await asyncio.sleep(0)
        assert not running.done()
        clock.advance(1)
    made = await running

    assert made.written_by == "extract"
    assert "hold hands" in made.text
    assert any("longer than 60 s" in note for note in made.notes)
