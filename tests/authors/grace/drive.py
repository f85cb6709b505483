"""Our tools in the author's `Executor`, built from his `GraceConfig` (nakashima2toshio)."""

from __future__ import annotations

import asyncio

import pytest
from grace.config import ConfigLoader, GraceConfig, QdrantConfig, ToolsConfig
from grace.executor import create_executor
from grace.schemas import ExecutionPlan, PlanStep
from grace.tools import create_tool_registry as his_registry

from kensaku import Hit
from kensaku.compat.grace import create_tool_registry
from kensaku.tools import ToolRegistry
from kensaku.tools.base import shared_portal
from tests.adapters.model_server import NO_TOOL, ModelServer
from tests.tools.doubles import KELP, OTTERS

QUERY = "sea otters"
PAGES = [
    Hit("https://a.example/", "Sea otters", "Sea otters eat urchins.", 0.95),
    Hit("https://b.example/", "Sea otters", "Sea otters sleep in kelp.", 0.9),
]


@pytest.fixture
def model(monkeypatch):
    """Gemini on loopback; it always gives the same text."""
    with ModelServer() as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.gemini_url)
        monkeypatch.setenv("GOOGLE_API_KEY", "none")
        yield server


@pytest.fixture
async def zoo(make_client, upstream):
    """A client with documents and a web, used in the loop that serves plain callers."""
    client = make_client("tavily")
    upstream.answers("tavily", PAGES)

    async def in_portal(coroutine):
        return await asyncio.to_thread(shared_portal().run, coroutine)

    await in_portal(client.index.add([OTTERS, KELP], collection="livedoor"))
    yield client
    await in_portal(client.close())


def his_config(**qdrant) -> GraceConfig:
    enabled = ["rag_search", "web_search", "reasoning", "ask_user", "run_legacy_agent"]
    return GraceConfig(tools=ToolsConfig(enabled=enabled), qdrant=QdrantConfig(**qdrant))


def plan(*actions: str) -> ExecutionPlan:
    steps = [
        PlanStep(
            step_id=number, action=action, description=action, query=QUERY,
            depends_on=list(range(1, number)), expected_output="…",
        )
        for number, action in enumerate(actions, 1)
    ]  # fmt: skip
    return ExecutionPlan(
        original_query=QUERY, complexity=0.5, estimated_steps=len(steps),
        requires_confirmation=False, steps=steps, success_criteria="…",
    )  # fmt: skip


async def execute(client, *actions: str, **options):
    config = his_config()
    registry = create_tool_registry(config=config, client=client)
    executor = create_executor(config=config, tool_registry=registry, **options)
    return await asyncio.to_thread(executor.execute_plan, plan(*actions))


def test_his_own_file_enables_what_it_says(monkeypatch):
    """As he loads it, with the tool that his own registry lacks."""
    monkeypatch.setenv("GOOGLE_API_KEY", "none")
    config = ConfigLoader("config/grace_config.yml").load()
    names = create_tool_registry(config=config).list_tools()

    assert names == [*his_registry(config=config).list_tools(), "web_search"]
    assert create_tool_registry("config/grace_config.yml").list_tools() == names
    rag = ToolRegistry(config).get("rag_search")
    assert rag.client.settings.index_url == config.qdrant.url
    assert rag.limit == config.qdrant.search_limit


async def test_web_pages_are_the_sources_of_his_answer(zoo, model):
    """Search, then reason: the pages are shown, and the model reads them."""
    result = await execute(zoo, "web_search", "reasoning")

    search, reasoned = result.step_results
    assert (result.overall_status, result.final_answer) == ("success", NO_TOOL)
    assert search.sources == [page.url for page in PAGES]
    assert search.confidence > 0.7
    prompt = next(str(r.body) for r in model.requests if "## 情報源" in str(r.body))
    assert all(page.content in prompt for page in PAGES)
    assert "（情報源はありません）" not in prompt
    assert reasoned.status == "success"


async def test_documents_and_a_question_run_as_well(zoo, model):
    """A plan with every action; the question reaches whoever talks to the person."""
    asked = []
    result = await execute(
        zoo, "rag_search", "web_search", "reasoning", "ask_user",
        on_intervention_required=lambda kind, data: asked.append((kind, data)) or "yes",
    )  # fmt: skip

    assert [step.status for step in result.step_results] == ["success"] * 4
    assert OTTERS.url in result.step_results[0].sources
    assert QUERY in str([data for kind, data in asked if kind == "ask_user"])


async def test_a_search_that_fails_fails_the_step(zoo, upstream, model):
    """With the reason; what depends on it is not run."""
    from kensaku.testing import faults

    upstream.fails("tavily", faults.status(401))

    result = await execute(zoo, "web_search", "reasoning", enable_replan=False)

    (step,) = result.step_results
    assert (step.status, step.confidence, step.sources) == ("failed", 0.0, [])
    assert step.error == "nobody could search"
