"""The tools in the hands of the agent that the third specification comes from.

The file and the calls are those of nakashima2toshio/gemini_grace_agent: its `grace_config.yml`,
and the keywords that its executor passes to each tool.
"""

from __future__ import annotations

import asyncio
import warnings

import pytest

from kensaku.compat.grace import create_tool_registry, search_rag_knowledge_base_structured
from kensaku.errors import ConfigError
from kensaku.models import Hit
from kensaku.tools import ToolRegistry
from kensaku.tools.base import shared_portal
from tests.adapters.model_server import ModelServer
from tests.tools.doubles import BREAD, KELP, OTTERS, answering
from tests.tools.grace_host import decide, search_score

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # an escape in one of its descriptions
    import google.genai  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")

CONFIG = """
version: "1.0"
llm:
  provider: "gemini"
  model: "gemini-2.0-flash"
  temperature: 0.7
  max_tokens: 4096
  timeout: 30
embedding:
  provider: "gemini"
  model: "gemini-embedding-001"
  dimensions: 3072
tools:
  enabled:
    - rag_search
    - web_search
    - reasoning
    - ask_user
  disabled:
    - write_file
confidence:
  weights: {search_quality: 0.25, source_agreement: 0.20}
  thresholds: {silent: 0.9, notify: 0.7, confirm: 0.4}
intervention: {default_timeout: 300}
qdrant:
  url: "http://qdrant.example:6333"
  collection_name: "customer_support_faq"
  search_limit: 7
  score_threshold: 0.45
  search_priority: [wikipedia_ja, livedoor, cc_news, japanese_text]
"""


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "grace_config.yml"
    file.write_text(CONFIG)
    return file


@pytest.fixture
async def zoo(make_client):
    """A client with documents, used in the loop that serves plain callers."""
    client = make_client("tavily")

    async def in_portal(coroutine):
        return await asyncio.to_thread(shared_portal().run, coroutine)

    await in_portal(client.index.add([OTTERS, KELP, BREAD], collection="livedoor"))
    yield client
    await in_portal(client.close())


def test_the_sections_of_the_file_become_settings_and_options(config, monkeypatch):
    """Where to search, by which model, what in which order, how many, how good (S3-27)."""
    monkeypatch.setenv("GEMINI_API_KEY", "gemini-secret")

    tool = ToolRegistry(config).get("rag_search")

    settings = tool.client.settings
    assert settings.index_url == "http://qdrant.example:6333"
    assert settings.index_model == "gemini:gemini-embedding-001"
    assert settings.index_model_api_key.reveal() == "gemini-secret"
    assert (tool.limit, tool.min_score) == (7, 0.45)
    assert tool.collections == (
        "wikipedia_ja", "livedoor", "cc_news", "japanese_text", "customer_support_faq"
    )  # fmt: skip


def test_the_environment_overrides_the_file_and_our_own_settings_both(config, monkeypatch):
    """`GRACE_<SECTION>_<KEY>` as the file's first lines say; a variable of ours is ours (S3-27)."""
    monkeypatch.setenv("GRACE_QDRANT_SEARCH_LIMIT", "3")
    monkeypatch.setenv("GRACE_EMBEDDING_MODEL", "gemini-embedding-2")
    monkeypatch.setenv("KENSAKU_INDEX_URL", "http://ours.example:6333")

    tool = ToolRegistry(config).get("rag_search")

    assert tool.limit == 3
    assert tool.client.settings.index_model == "gemini:gemini-embedding-2"
    assert tool.client.settings.index_url == "http://ours.example:6333"


def test_what_the_caller_gives_stays(config, zoo):
    """A client and an option of one's own come before the file."""
    tool = ToolRegistry(config, client=zoo, limit=2).get("rag_search")

    assert (tool.client, tool.limit) == (zoo, 2)


def test_no_file_is_read_unless_it_is_named(config, monkeypatch):
    """A working directory may be a stranger's (S3-27)."""
    monkeypatch.chdir(config.parent)
    (config.parent / "config").mkdir()
    (config.parent / "config" / "grace_config.yml").write_text(CONFIG)

    tool = ToolRegistry(enabled=["rag_search"]).get("rag_search")

    assert (tool.collections, tool.limit) == ((), 5)
    assert [t.name for t in ToolRegistry()] == ["web_search", "web_extract", "web_context"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("llm: {provider: acme, model: m}", "llm.provider is 'acme'; expected one of gemini"),
        ("qdrant: {search_limit: many}", "qdrant.search_limit is 'many'; expected a whole number"),
        ("qdrant: {score_threshold: 45}", "qdrant.score_threshold is 45; expected a number from 0"),
        ("embedding: {provider: acme, model: m}", "embedding.provider is 'acme'"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(tmp_path, wrong, sentence):
    """(S3-27)"""
    file = tmp_path / "grace_config.yml"
    file.write_text(f"enabled_tools: [rag_search]\n{wrong}\n")

    with pytest.raises(ConfigError) as caught:
        ToolRegistry(file)

    assert caught.value.message.startswith(f"{file}, line 2: {sentence}")


def test_the_model_is_asked_as_the_file_says(config, monkeypatch):
    """Model, temperature and length (S3-18, S3-27)."""
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-key")
    with ModelServer() as model:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", model.gemini_url)
        create_tool_registry(config).get("reasoning").execute(query="ラッコとは？")
        (asked,) = model.requests

    assert "gemini-2.0-flash" in asked.path
    assert asked.body["generationConfig"] == {"temperature": 0.7, "maxOutputTokens": 4096}


def run_plan(registry, query: str) -> dict:
    """Run the steps of a plan with the keywords that the executor passes."""
    rag = registry.get("rag_search").execute(query=query, collection=None)
    web = registry.get("web_search").execute(query=query, num_results=2, language="ja")
    reasoned = registry.get("reasoning").execute(query=query, sources=rag.output)
    asked = registry.get("ask_user").execute(
        query=query, question=query, reason="ステップ 4", urgency="blocking"
    )
    return {"rag_search": rag, "web_search": web, "reasoning": reasoned, "ask_user": asked}


async def test_the_executor_runs_all_four_tools(zoo, upstream):
    """Plainly, in a loop or outside, with keywords that not every tool knows (S3-02, S3-03)."""
    found = [Hit(f"https://{n}.example/", "Sea otters", "Sea otters eat.", 0.9) for n in "abc"]
    upstream.answers("tavily", found)
    model = answering("Urchins [1].")
    enabled = {"tools": {"enabled": ["rag_search", "web_search", "reasoning", "ask_user"]}}
    registry = create_tool_registry(enabled, client=zoo, model=model)

    results = await asyncio.to_thread(run_plan, registry, "sea otters")

    assert registry.list_tools() == ["rag_search", "reasoning", "ask_user", "web_search"]
    assert all(r.success for r in results.values()), results
    assert len(results["web_search"].output["hits"]) == 2
    assert results["ask_user"].output["awaiting_response"] is True
    assert "[1] " in model.prompts[0]
    for action in ("rag_search", "web_search"):
        assert decide(results[action], action, search_score) in ("notify", "silent")
    unknown = registry.execute("code_execute", query="x")
    assert (unknown.success, unknown.error) == (False, "Unknown tool: code_execute")


async def test_our_search_function_fits_the_agents_tool(zoo):
    """Plain, rows with score and payload, messages with their markers (S3-08)."""
    found, nothing, failed = [
        await asyncio.to_thread(search_rag_knowledge_base_structured, *asked, client=zoo)
        for asked in (("sea otters", "livedoor"), ("xylophone",), ("otters", "void"))
    ]

    assert all(0 < row["score"] <= 1 and row["payload"]["content"] for row in found)
    assert nothing.startswith("[[NO_RAG_RESULT]]")
    assert failed.startswith("[[RAG_TOOL_ERROR]]")
