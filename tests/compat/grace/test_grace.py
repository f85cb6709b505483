"""The tools in the hands of the agent that the third specification comes from.

The file and the calls are those of nakashima2toshio/gemini_grace_agent: its `grace_config.yml`,
and the keywords that its executor passes to each tool.
"""

from __future__ import annotations

import asyncio
import logging
import warnings

import pytest

from kensaku.compat.grace import create_tool_registry, search_rag_knowledge_base_structured
from kensaku.compat.grace.registry import DEFAULT
from kensaku.errors import ConfigError
from kensaku.models import Hit
from kensaku.testing import faults
from kensaku.tools import AskUserTool, ToolRegistry, ToolResult
from kensaku.tools.base import shared_portal
from tests.adapters.model_server import ModelServer
from tests.tools.doubles import BREAD, KELP, OTTERS, answering, logged
from tests.tools.grace_host import decide, search_score, source_texts

from .host import TOOLS, GraceConfig, LLMConfig, configs, run_plan

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

    monkeypatch.setenv("GRACE_EMBEDDING_PROVIDER", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", " sk-1 ")
    monkeypatch.setenv("GRACE_QDRANT_COLLECTION_NAME", "livedoor")
    monkeypatch.setenv("GRACE_QDRANT_SCORE_THRESHOLD", "  ")  # blank: the file's counts

    tool = ToolRegistry(config).get("rag_search")

    assert (tool.limit, tool.min_score) == (3, 0.45)
    assert tool.collections == ("wikipedia_ja", "livedoor", "cc_news", "japanese_text")
    assert tool.client.settings.index_model == "openai:gemini-embedding-2"
    assert tool.client.settings.index_model_api_key.reveal() == "sk-1"
    assert tool.client.settings.index_url == "http://ours.example:6333"


def test_the_key_of_an_embedding_has_two_names(monkeypatch):
    """Gemini's own comes first; its provider need not be named (S3-27)."""
    config = {"enabled_tools": ["rag_search"], "embedding": {"model": "e"}}
    keys = []
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, f"of {name}")
        settings = ToolRegistry(config).get("rag_search").client.settings
        keys.append((settings.index_model, settings.index_model_api_key.reveal()))

    assert keys == [("gemini:e", "of GOOGLE_API_KEY"), ("gemini:e", "of GEMINI_API_KEY")]


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
        ("qdrant: {search_limit: 51}", "qdrant.search_limit is 51; expected a whole number from 1"),
        ("qdrant: {score_threshold: 45}", "qdrant.score_threshold is 45; expected a number from 0"),
        ("llm: {model: m, temperature: 2.1}", "llm.temperature is 2.1; expected a number from 0"),
        ("llm: {model: m, max_tokens: 0}", "llm.max_tokens is 0; expected a whole number from 1"),
        ("llm: {model: m, timeout: 601}", "llm.timeout is 601; expected a number from 0.1 to 600"),
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


def test_a_wrong_variable_is_named(config, monkeypatch):
    """It overrides the file, which is right (S3-27)."""
    monkeypatch.setenv("GRACE_LLM_TIMEOUT", "0")

    with pytest.raises(ConfigError, match=r"environment GRACE_LLM_TIMEOUT: llm\.timeout"):
        ToolRegistry(config)


def test_the_model_is_asked_as_the_file_says(config, monkeypatch):
    """Model, temperature and length (S3-18, S3-27)."""
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-key")
    with ModelServer() as model:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", model.gemini_url)
        create_tool_registry(config).get("reasoning").execute(query="ラッコとは？")
        (asked,) = model.requests

    assert "gemini-2.0-flash" in asked.path
    assert asked.body["generationConfig"] == {"temperature": 0.7, "maxOutputTokens": 4096}


async def test_our_search_function_fits_the_agents_tool(zoo):
    """Plain, rows with score and payload, messages with their markers (S3-08)."""
    found, nothing, failed = [
        await asyncio.to_thread(search_rag_knowledge_base_structured, *asked, client=zoo)
        for asked in (("sea otters", "livedoor"), ("xylophone",), ("otters", "void"))
    ]

    assert all(0 < row["score"] <= 1 and row["payload"]["content"] for row in found)
    assert nothing.startswith("[[NO_RAG_RESULT]]")
    assert failed.startswith("[[RAG_TOOL_ERROR]]")


@pytest.mark.parametrize("kind", ["pydantic", "dataclass", "attributes", "mapping"])
def test_the_agents_own_object_says_which_tools_there_are(kind, monkeypatch):
    """Its `GraceConfig`, whatever it is made of; order as in the document (S3-27, S3-28, S3-29)."""
    monkeypatch.setenv("GRACE_QDRANT_SEARCH_LIMIT", "3")  # the agent has applied it, or not
    config = configs(TOOLS, url="http://qdrant.example:6333", search_limit=7)[kind]

    registry = create_tool_registry(config=config)
    rag = ToolRegistry(config).get("rag_search")

    assert registry.list_tools() == ["rag_search", "reasoning", "ask_user", "web_search"]
    assert (rag.client.settings.index_url, rag.limit) == ("http://qdrant.example:6333", 7)
    less = configs(["ask_user"])[kind]
    assert create_tool_registry(config=less).list_tools() == ["ask_user"]


def test_without_a_configuration_the_tools_are_those_of_the_document():
    """Its three, and the one that it lacked (S3-05, S3-28, S3-32)."""
    assert create_tool_registry().list_tools() == [
        "rag_search", "reasoning", "ask_user", "web_search"
    ]  # fmt: skip
    assert create_tool_registry({"version": "1.0"}).list_tools() == list(DEFAULT)
    assert create_tool_registry(GraceConfig()).list_tools() == list(DEFAULT[:3])  # as it says


@pytest.mark.parametrize("unreadable", [42, object(), ["rag_search"], GraceConfig, LLMConfig()])
def test_an_object_that_cannot_be_read_is_refused(unreadable):
    """Other tools than those that were asked for would be worse than none (S3-27)."""
    with pytest.raises(ConfigError, match=type(unreadable).__name__) as caught:
        create_tool_registry(config=unreadable)

    assert "tools.enabled" in caught.value.remedy


def test_a_wrong_value_in_an_object_is_named():
    """(S3-27)"""
    config = configs(["rag_search"], search_limit=0)["pydantic"]

    with pytest.raises(ConfigError, match=r"the configuration: qdrant\.search_limit is 0"):
        create_tool_registry(config)


def test_a_tool_of_the_agents_own_is_skipped_with_a_warning(caplog):
    """`run_legacy_agent` is handled by the executor itself (S3-28, S3-31)."""
    config = configs(["run_legacy_agent", "ask_user", "code_execute"])["pydantic"]

    registry = create_tool_registry(config=config)

    assert registry.list_tools() == ["ask_user"]
    assert registry.get("code_execute") is None
    for name in ("run_legacy_agent", "code_execute"):
        (said,) = (m for m in logged(caplog, logging.WARNING) if name in m)
        assert said.startswith(f"there is no tool '{name}'")


class Clock:
    """A tool as the agent writes them: a name, and a plain `execute`."""

    name = "clock"

    def execute(self, **kwargs):
        return ToolResult(True, output=f"noon, {kwargs['query']}")


def test_register_adds_tools_of_both_kinds():
    """One of the agent's own stays what it is; one of ours runs without await (S3-30)."""
    registry = create_tool_registry({"enabled_tools": []})
    clock = Clock()
    registry.register(clock)
    registry.register(AskUserTool())

    assert registry.get("clock") is clock
    assert registry.execute("clock", query="when?").output == "noon, when?"
    assert registry.execute("ask_user", question="Which?").output["awaiting_response"] is True
    with pytest.raises(ConfigError, match="an object of the type int cannot be registered"):
        registry.register(42)


async def test_the_executor_runs_all_four_tools(zoo, upstream):
    """Plainly, in a loop or outside, with keywords that not every tool knows (S3-02, S3-03)."""
    found = [Hit(f"https://{n}.example/", "Sea otters", "Sea otters eat.", 0.9) for n in "abc"]
    upstream.answers("tavily", found)
    model = answering("Urchins [1].")
    registry = create_tool_registry(configs(TOOLS)["pydantic"], client=zoo, model=model)

    steps = await asyncio.to_thread(run_plan, registry, "sea otters", TOOLS)

    assert all(step.result.success for step in steps.values()), steps
    assert steps["ask_user"].result.output["awaiting_response"] is True
    for action in ("rag_search", "web_search"):
        assert decide(steps[action].result, action, search_score) in ("notify", "silent")
    unknown = registry.execute("code_execute", query="x")
    assert (unknown.success, unknown.error) == (False, "Unknown tool: code_execute")
    few = await asyncio.to_thread(
        registry.get("web_search").execute, query="sea otters", num_results=2, language="ja"
    )
    assert len(few.output) == 2


async def test_results_of_the_web_are_sources_of_the_answer(zoo, upstream):
    """The executor shows them, compares them, and hands them to the model (S3-13, S3-32)."""
    pages = [
        Hit("https://a.example/", "Sea otters", 'Sea otters eat "urchins".\nDaily.', 12.5),
        Hit("https://b.example/", "Kelp", "Sea otters sleep in kelp's arms.", 0.2),
    ]
    upstream.answers("tavily", pages)
    model = answering("Urchins [1].")
    registry = create_tool_registry(configs(TOOLS)["pydantic"], client=zoo, model=model)

    steps = await asyncio.to_thread(run_plan, registry, "sea otters", ["web_search", "reasoning"])

    web = steps["web_search"]
    assert web.sources == [page.url for page in pages]
    assert source_texts(web.result.output) == [page.content for page in pages]
    assert all(0 <= row["score"] <= 1 for row in web.result.output)
    assert web.result.confidence_factors["max_score"] == max(r["score"] for r in web.result.output)
    (prompt,) = model.prompts
    assert "[1] Sea otters https://a.example/" in prompt
    assert "（情報源はありません）" not in prompt
    assert steps["reasoning"].result.confidence_factors["source_count"] == 2


@pytest.mark.parametrize("fault", [None, faults.status(401)], ids=["nothing found", "refused"])
async def test_a_web_search_without_results_has_no_sources(zoo, upstream, fault):
    """A list in any case; only the second is a failure (S3-10, S3-32)."""
    upstream.answers("tavily", [])
    if fault:
        upstream.fails("tavily", fault)
    registry = create_tool_registry(configs(TOOLS)["pydantic"], client=zoo)

    result = await asyncio.to_thread(registry.get("web_search").execute, query="otters")
    refused = await asyncio.to_thread(registry.get("web_search").execute, query="")

    assert (result.success, result.output) == (fault is None, [])
    assert (refused.success, refused.output, refused.error_kind) == (False, [], "arguments")


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        (["rag_search"], "<<<local "),
        (["web_search"], "<<<web "),
        (["rag_search", "web_search"], "<<<both "),
    ],
)
async def test_the_model_is_told_where_the_sources_are_from(zoo, upstream, actions, told):
    """One's own documents are not "from the web" (S3-17)."""
    upstream.answers("tavily", [Hit("https://a.example/", "Sea otters", "They eat.", 0.9)])
    model = answering("Urchins [1].")
    registry = create_tool_registry(configs(TOOLS)["pydantic"], client=zoo, model=model)

    await asyncio.to_thread(run_plan, registry, "sea otters", [*actions, "reasoning"])

    assert told in model.prompts[0]


async def test_the_input_is_logged_with_the_query_and_the_question(zoo, upstream, caplog):
    """At INFO, as the document asks; on one line, and without keys (S3-09, S3-23)."""
    caplog.set_level(logging.INFO, "kensaku.compat.grace")
    upstream.answers("tavily", [])
    registry = create_tool_registry(configs(TOOLS)["pydantic"], client=zoo)
    forged = "otters\nERROR the disk is full\x1b[31m tvly-0123456789abcdef0123456789abcdef"

    await asyncio.to_thread(run_plan, registry, forged, ["rag_search", "web_search", "ask_user"])

    lines = logged(caplog, logging.INFO)
    assert [line.partition(":")[0] for line in lines] == ["rag_search", "web_search", "ask_user"]
    for line, name in zip(lines, ["query", "query", "question"], strict=True):
        assert f"{name}='otters\\nERROR the disk is full\\x1b[31m" in line
        assert line.isprintable()
        assert "0123456789abcdef" not in line
    assert "urgency='blocking'" in lines[2]
