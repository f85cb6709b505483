"""Our tools in an agent of each framework: the same words out, the same results in."""

from __future__ import annotations

import json

import pytest

from kensaku.tools import WebSearchTool

from .agents import FRAMEWORKS, LOOPS
from .model_server import CUT_OFF
from .scenes import OTTER, SCENES, SECRET, staged

# Google's SDK derives from a class of aiohttp that does not like it.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Inheritance class AiohttpClientSession:DeprecationWarning"
)
AGENTS = FRAMEWORKS | LOOPS
every_agent = pytest.mark.parametrize("ask", AGENTS, indirect=True)
# Two frameworks end a run themselves, before a tool is asked.
NONSENSE = [(name, "badjson") for name in AGENTS if name != "LangChain"] + [
    (name, "unknown") for name in AGENTS if not name.startswith("OpenAI Agents")
]


@pytest.fixture
def ask(request: pytest.FixtureRequest):
    """`await ask(model, tool)`: the answer of an agent."""
    package, function = AGENTS[request.param]
    if package:
        pytest.importorskip(package)
    return function


@every_agent
@pytest.mark.parametrize("scene", SCENES)
async def test_an_agent_is_told_what_came_of_its_call(ask, scene, model, upstream, make_client):
    """Whatever happens below, the run ends with an answer, and the model knows what happened."""
    model.mode, shown = SCENES[scene]

    answer = await ask(model, staged(scene, upstream, make_client))

    assert answer.startswith("FINAL")
    assert shown in answer
    assert SECRET not in json.dumps([request.body for request in model.requests])


@every_agent
async def test_two_calls_in_one_turn_are_both_answered(ask, model, upstream, make_client):
    """Models ask for several searches at once."""
    model.mode = "parallel"

    answer = await ask(model, staged("found", upstream, make_client))

    assert answer.count(OTTER.content) == 2


@every_agent
async def test_the_model_gets_our_words_and_bounds(ask, model, upstream, make_client):
    """The schema on the wire is the one that is written in `kensaku.tools`."""
    upstream.answers("tavily", [OTTER])
    tool = WebSearchTool(make_client("tavily"), language="ja")

    await ask(model, tool)

    seen = model.offered["web_search"]
    assert (seen.description, seen.parameters) == (tool.description, tool.parameters)


@pytest.mark.parametrize(("ask", "mode"), NONSENSE, indirect=["ask"])
async def test_a_call_that_makes_no_sense_does_not_end_the_run(
    ask, mode, model, upstream, make_client
):
    """The model is told; nothing is guessed, and nothing is sent."""
    model.mode = mode

    answer = await ask(model, staged("found", upstream, make_client))

    assert answer.startswith("FINAL")
    assert CUT_OFF not in answer
    assert not upstream.asked("tavily")


@pytest.mark.parametrize("ask", LOOPS, indirect=True)
@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("unknown", ("there is no tool 'no_such_tool'",)),
        ("badjson", ("the arguments are not JSON", "web_search needs query")),
    ],
)
async def test_what_makes_no_sense_is_said(ask, mode, told, model, upstream, make_client):
    """A call without an answer would end the conversation."""
    model.mode = mode

    answer = await ask(model, staged("found", upstream, make_client))

    assert any(sentence in answer for sentence in told)
