"""The author's own bot around our factory: its dataclass, its loader, its way to call an agent.

The shapes are facts of the public repository yuanying/myao2 (config/models.py, config/loader.py,
__main__.py, strands/response_generator.py), seen November 2026; the code here is ours.
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass, make_dataclass
from types import SimpleNamespace

import pytest
import yaml

from kensaku.errors import ConfigError
from kensaku.models import Hit
from tests.adapters.model_server import ModelServer

pytest.importorskip("strands")
from strands import Agent
from strands.models.openai import OpenAIModel

from kensaku.compat.slack_bot import (
    WEB_SEARCH_CONFIG_KEY,
    WEB_SEARCH_TOOLS,
    WebSearchToolsFactory,
    get_web_search_config,
    load_web_search_config,
    web_search,
)

from .doubles import ANSWER, KEY, QUERY, REQUEST, WRITTEN, context, replies, written

SECTION = """
slack:
  bot_token: ${SLACK_BOT_TOKEN}
tools:
  web_fetch:
    enabled: true
    api_endpoint: ${WEB_FETCH_API_ENDPOINT}
  web_search:
    enabled: true
    api_key: ${TAVILY_API_KEY}
    search_depth: basic        # 検索深度: basic, advanced, fast, ultra-fast（デフォルト: basic）
    max_results: 5             # 検索結果の最大件数（デフォルト: 5）
    max_content_length: 500    # 各結果のcontent最大文字数、0で無制限（デフォルト: 500）
"""


@dataclass
class WebSearchConfig:
    """The bot's own: mutable, unchecked, `api_key` first and required."""

    api_key: str
    enabled: bool = True
    search_depth: str = "basic"
    max_results: int = 5
    max_content_length: int = 500


def load(text):
    """As the bot's loader does: expand the variables, take the section's values or defaults."""
    expanded = re.sub(r"\$\{([^}]+)\}", lambda m: os.environ[m[1]], text)
    section = yaml.safe_load(expanded)["tools"]["web_search"]
    return WebSearchConfig(
        enabled=section.get("enabled", True),
        api_key=section.get("api_key", ""),
        search_depth=section.get("search_depth", "basic"),
        max_results=section.get("max_results", 5),
        max_content_length=section.get("max_content_length", 500),
    )


@pytest.fixture
def loaded(monkeypatch):
    """The bot's configuration, of its own example file."""
    for name in ("SLACK_BOT_TOKEN", "WEB_FETCH_API_ENDPOINT", "TAVILY_API_KEY"):
        monkeypatch.setenv(name, KEY)
    return load(SECTION)


@pytest.fixture
def model():
    with ModelServer("web_search", {"query": QUERY}) as server:
        yield server


async def generate(model, factory):
    """As the bot's response generator does: one agent a request, the state as keywords."""
    tools, state = [], {"memo_repository": object()}
    tools.extend(factory.tools)
    state.update(factory.get_invocation_state())
    client = {"base_url": model.openai_url, "api_key": "none"}
    scripted = OpenAIModel(client_args=client, model_id="scripted")
    agent = Agent(model=scripted, system_prompt="…", tools=tools, callback_handler=None)
    return str(await agent.invoke_async(REQUEST, **state))


async def run_tool(config, query=QUERY):
    state = WebSearchToolsFactory(config).get_invocation_state()
    return await web_search(query=query, tool_context=context(state))


# strands deprecates the state as keywords, which is how the bot gives it.
as_keywords = pytest.mark.filterwarnings("ignore:.*kwargs.*deprecating")


@as_keywords
async def test_the_bots_own_configuration_is_taken(loaded, model):
    """From its file to the answer (S0-01, S0-14, S0-16, S0-17, S0-18, S0-21)."""
    factory = WebSearchToolsFactory(loaded)

    assert factory.tools is WEB_SEARCH_TOOLS
    assert factory.get_invocation_state() == {WEB_SEARCH_CONFIG_KEY: loaded}
    assert get_web_search_config(context(factory.get_invocation_state())) is loaded
    assert (await generate(model, factory)).strip() == f"FINAL {WRITTEN}"


async def test_any_object_with_the_attributes_will_do(tavily):
    """Ours, theirs, or somebody's that has no `max_content_length` (S0-07, S0-14, S0-16)."""
    replies(tavily, [Hit(url="https://a.example/", title="A", content="あ" * 600, score=0.5)])
    four = [("api_key", str), ("enabled", bool), ("search_depth", str), ("max_results", int)]
    older = make_dataclass("WebSearchConfig", four)(KEY, True, "basic", 5)
    loose = SimpleNamespace(**vars(older), max_content_length=20, more="ignored")

    by_default, short = await run_tool(older), await run_tool(loose)

    assert 490 <= by_default.count("あ") <= 500
    assert 0 < short.count("あ") <= 20


async def test_the_values_are_those_at_the_time_of_the_call(tavily):
    """The bot's dataclass can be changed after the factory was made (S0-07, S0-14)."""
    replies(tavily, [Hit(url="https://a.example/", title="A", content="あ" * 600, score=0.5)])
    config = WebSearchConfig(api_key=KEY)
    state = WebSearchToolsFactory(config).get_invocation_state()

    config.max_content_length = 0

    text = await web_search(query=QUERY, tool_context=context(state))
    assert text.count("あ") == 600


@pytest.mark.parametrize("depth", ["basic", "advanced", "fast", "ultra-fast"])
async def test_every_depth_of_the_bot_reaches_tavily(tavily, depth):
    """(S0-05, S0-27)"""
    await run_tool(WebSearchConfig(api_key=KEY, search_depth=depth))

    assert tavily.asked("tavily")[0].json["search_depth"] == depth


@as_keywords
@pytest.mark.parametrize("off", [{"enabled": False}, {"api_key": ""}, {"api_key": None}])
async def test_the_bots_configuration_may_leave_the_tool_out(model, off, caplog):
    """(S0-09, S0-10)"""
    factory = WebSearchToolsFactory(WebSearchConfig(**{"api_key": KEY, **off}))

    await generate(model, factory)

    assert not model.offered
    assert [r.levelname for r in caplog.records if "slack_bot" in r.name] == (
        ["WARNING"] if "api_key" in off else []
    )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"max_results": 0}, "max_results is 0; it must be a whole number of at least 1"),
        ({"search_depth": "deep"}, "search_depth is 'deep'; it must be one of basic, advanced, "),
        ({"max_content_length": -1}, "max_content_length is -1; it must be a whole number of at "),
    ],
)
def test_a_value_of_the_bot_that_cannot_be_is_refused_at_start(wrong, told):
    """One sentence with the section, the value and what it must be (S0-05, S0-06, S0-07)."""
    with pytest.raises(ConfigError) as refused:
        WebSearchToolsFactory(WebSearchConfig(api_key=KEY, **wrong))

    assert str(refused.value).startswith(f"tools.web_search.{told}")


async def test_more_results_than_tavily_has_do_not_stop_the_bot(tavily, caplog):
    """The document sets no bound: as many as there are, and the log says so (S0-06, S0-27)."""
    asked = WebSearchConfig(api_key=KEY, max_results=30)

    assert WebSearchToolsFactory(asked).tools == WEB_SEARCH_TOOLS
    await run_tool(asked)

    said = "tools.web_search.max_results is 30; Tavily returns at most 20, so 20 are asked for"
    assert said in caplog.messages
    assert tavily.asked("tavily")[0].json["max_results"] == 20


def test_our_loader_reads_the_bots_file(tmp_path, loaded, monkeypatch):
    """Other sections are not ours, and their variables need not be set (S0-02, S0-04, S0-12)."""
    monkeypatch.delenv("SLACK_BOT_TOKEN")

    ours = load_web_search_config(written(tmp_path, SECTION))

    assert {name: getattr(ours, name) for name in vars(loaded)} == vars(loaded)


def test_a_section_without_enabled_is_off_and_the_log_says_what_turns_it_on(tmp_path, caplog):
    """`明示的な有効化が必要`: what is off by default must not be off in silence (S0-03, S0-08)."""
    path = written(tmp_path, "tools:\n  web_search:\n    api_key: k\n")

    factory = WebSearchToolsFactory(load_web_search_config(path, {}))

    assert factory.tools == []
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert f"{path}, line 2" in record.message
    assert "enabled: true" in record.message


@pytest.mark.parametrize("length", [401, 2_500])
async def test_a_long_query_is_cut_and_the_text_says_so(tavily, length):
    """Tavily takes 400 characters: what fits is searched for (S0-24, S0-27, S0-35)."""
    query = "非同期 " * (length // 4) + "x" * (length % 4)
    assert len(query) == length

    text = await run_tool(WebSearchConfig(api_key=KEY), query)

    (asked,) = tavily.asked("tavily")
    sent = asked.json["query"]
    assert 200 < len(sent) <= 400
    assert query.startswith(sent)
    assert ANSWER in text
    assert text.endswith(f"\n\n注：検索クエリが長いため、先頭の {len(sent)} 文字で検索しました")


async def test_a_long_query_that_finds_nothing_says_both(tavily):
    """The sentence of the document comes first (S0-36)."""
    replies(tavily, [])

    text = await run_tool(WebSearchConfig(api_key=KEY), "あ" * 2_500)

    first, _, note = text.partition("\n\n")
    assert first == "検索結果が見つかりませんでした"
    assert note == "注：検索クエリが長いため、先頭の 400 文字で検索しました"
