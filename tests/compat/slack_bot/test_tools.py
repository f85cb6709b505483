"""The tool `web_search` (TestWebSearch), alone and in an agent."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
import time

import pytest

from kensaku.models import Hit
from kensaku.testing import faults
from tests.adapters.model_server import ModelServer
from tests.blocking import blocking_calls

pytest.importorskip("strands")
from strands import Agent
from strands.models.openai import OpenAIModel

from kensaku.compat.slack_bot import (
    WebSearchToolsFactory,
    web_search,
)

from .doubles import (
    ANSWER,
    ASYNCIO,
    EXAMPLE,
    KEY,
    NEARBY,
    QUERY,
    REAL_PYTHON,
    REQUEST,
    WRITTEN,
    config,
    context,
    replies,
    search,
    written,
)


def test_the_tool_has_the_signature_and_the_words_of_the_document():
    """(S0-22, S0-23)"""
    signature = inspect.signature(web_search)
    assert list(signature.parameters) == ["query", "tool_context"]
    assert signature.return_annotation == "str"
    assert inspect.cleandoc(web_search.__doc__) == (
        "ウェブ検索を実行する。\n\nArgs:\n    query: 検索クエリ\n"
        "    tool_context: ツールコンテキスト\n\nReturns:\n"
        "    検索結果（タイトル、URL、要約を含む）またはエラーメッセージ"
    )
    schema = web_search.tool_spec["inputSchema"]["json"]
    assert schema["properties"] == {"query": {"type": "string", "description": "検索クエリ"}}
    assert web_search.tool_spec["description"].startswith("ウェブ検索を実行する。")


async def test_a_search_is_written_byte_for_byte():
    """(S0-29, S0-30, S0-31, S0-32, S0-38)"""
    assert await search() == WRITTEN


async def test_without_an_answer_there_is_no_block_for_one(tavily):
    """Nor is an answer made up from the results (S0-33, S0-38)."""
    replies(tavily, [ASYNCIO, REAL_PYTHON])

    assert await search() == WRITTEN.replace(f"### 回答\n{ANSWER}\n\n", "")


@pytest.mark.parametrize("query", ["", "   ", "\n"])
async def test_an_empty_query_is_asked_for(query, tavily, caplog):
    """It is no search, and so none is logged (S0-24, S0-38)."""
    caplog.set_level(logging.INFO, "kensaku")

    assert await search(query) == "検索クエリを入力してください"
    assert not tavily.requests
    assert not caplog.records


@pytest.mark.parametrize("depth", ["basic", "advanced"])
async def test_the_request_is_the_one_of_the_document(tavily, depth):
    """All four members, whatever the API takes when nothing is said (S0-27)."""
    replies(tavily, [NEARBY])

    await search(search_depth=depth, max_results=7)

    body = next(iter(tavily.asked("tavily"))).json
    assert body["query"] == QUERY
    assert body["search_depth"] == depth
    assert body["max_results"] == 7
    assert body["include_answer"] is True


async def test_raw_content_is_neither_asked_for_nor_shown(tavily):
    """(S0-28)"""
    replies(tavily, [ASYNCIO], ANSWER, raw_content="THE WHOLE PAGE")

    text = await search()

    assert "THE WHOLE PAGE" not in text
    assert not tavily.asked("tavily")[0].json.get("include_raw_content")


async def test_each_content_is_cut_at_the_limit(tavily):
    """(S0-07, S0-34, S0-38)"""
    long = Hit(url="https://a.example/", title="A", content="あ" * 600, score=0.5)
    other = Hit(url="https://b.example/", title="B", content="い" * 600, score=0.4)
    replies(tavily, [long, other])

    by_default, short = await search(), await search(max_content_length=20)

    for sign in "あい":
        assert 490 <= by_default.count(sign) <= 500
        assert 0 < short.count(sign) <= 20


@pytest.mark.parametrize(
    "fault",
    [faults.status(401), faults.status(432), faults.status(500), faults.reset(), faults.html()],
)
async def test_an_error_of_the_api_is_one_sentence(tavily, fault):
    """Nothing is raised, and nothing is said to be missing (S0-35, S0-38)."""
    tavily.fails("tavily", fault)

    assert await search() == "検索できませんでした"


async def test_a_call_without_a_key_says_so_too(tavily):
    """Tavily can be asked without a key; this tool is not to do that (S0-09, S0-35)."""
    assert await search(api_key=" ") == "検索できませんでした"
    assert not tavily.requests


async def test_a_setting_that_cannot_be_read_is_the_same_sentence(tavily, monkeypatch):
    """The bot's run does not end for it (S0-35)."""
    monkeypatch.setenv("KENSAKU_TIMEOUT", "soon")

    assert await search() == "検索できませんでした"
    assert not tavily.requests


async def test_nothing_found_is_another_sentence(tavily):
    """(S0-36, S0-38)"""
    replies(tavily, [])

    assert await search() == "検索結果が見つかりませんでした"


async def test_an_answer_without_results_is_shown(tavily):
    """The document would drop it; the answer is what was asked for (S0-31, S0-36)."""
    replies(tavily, [], ANSWER)

    assert await search() == f'## 検索結果: "{QUERY}"\n\n### 回答\n{ANSWER}'


async def test_the_log_names_the_query_and_how_it_went(tavily, caplog):
    """(S0-37, S0-41)"""
    caplog.set_level(logging.INFO, "kensaku")
    await search()
    tavily.fails("tavily", faults.status(401))
    await search("another query")

    said = [(r.levelname, r.message) for r in caplog.records if "slack_bot" in r.name]
    assert said == [
        ("INFO", f"web_search: {QUERY}"),
        ("INFO", "web_search: success"),
        ("INFO", "web_search: another query"),
        ("INFO", "web_search: failure (KeyRefused)"),
    ]
    assert KEY not in caplog.text


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\r", "\x0b", "\x85", "\u2028"])
async def test_a_query_writes_one_line_of_the_log(tavily, tmp_path, gap):
    """A line break must not forge another (S0-37)."""
    path = tmp_path / "bot.log"
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("kensaku.compat.slack_bot.tools")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        await search(f"otter{gap}INFO kensaku.compat.slack_bot.tools: web_search: forged")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
        handler.close()

    lines = path.read_text(encoding="utf-8").splitlines()  # at every sign that may break a line
    assert len(lines) == 2
    assert lines[0].startswith("INFO kensaku.compat.slack_bot.tools: web_search: otter")
    assert lines[1].endswith("web_search: success")


async def test_the_event_loop_is_free_while_the_api_is_slow(tavily):
    """Nothing that the tool does makes the loop's thread wait (S0-25)."""
    tavily.fails("tavily", faults.hang(), when=lambda seen: seen.json["query"] == "slow")

    with blocking_calls() as blocked:
        slow = asyncio.create_task(search("slow"))
        assert await search() == WRITTEN  # while the other one waits
    assert not slow.done()
    assert blocked == []
    with blocking_calls() as blocked:
        time.sleep(0)  # noqa: ASYNC251 - this is what would have been seen
    assert blocked
    slow.cancel()
    await asyncio.wait([slow])


async def test_calls_share_connections_and_nothing_else(tavily):
    """What a client per call was for: one call's trouble, key and settings are its own (S0-26)."""
    replies(tavily, [NEARBY])
    tavily.fails("tavily", faults.status(401), when=lambda s: "bad" in s.headers["authorization"])

    texts = await asyncio.gather(
        search("one", max_results=1),
        search("two", api_key="bad-key"),
        search("three", search_depth="advanced", max_results=3),
    )

    assert ["検索できませんでした" in t for t in texts] == [False, True, False]
    seen = {s.json["query"]: s for s in tavily.asked("tavily")}
    assert seen["one"].json["max_results"] == 1
    assert seen["one"].json["search_depth"] == "basic"
    assert seen["three"].json["max_results"] == 3
    assert seen["three"].json["search_depth"] == "advanced"
    assert seen["one"].headers["authorization"] == f"Bearer {KEY}"
    before = tavily.connections
    await search("four")
    assert tavily.connections == before


async def test_the_fence_is_an_option(tavily):
    """The document's bytes are the default; a marker around them is an option (S0-30)."""
    state = WebSearchToolsFactory(config(), fence=True).get_invocation_state()

    text = await web_search(query=QUERY, tool_context=context(state))

    assert WRITTEN in text
    assert "<<<web " in text


@pytest.fixture
def model():
    with ModelServer("web_search", {"query": QUERY}) as server:
        yield server


def agent_with(model, tools):
    client = {"base_url": model.openai_url, "api_key": "none"}
    scripted = OpenAIModel(client_args=client, model_id="scripted")
    return Agent(model=scripted, tools=tools, callback_handler=None)


async def test_an_agent_searches_and_answers_with_what_it_found(model):
    """(S0-14, S0-18, S0-22, S0-41)"""
    factory = WebSearchToolsFactory(config())
    agent = agent_with(model, factory.tools)

    answer = await agent.invoke_async(REQUEST, invocation_state=factory.get_invocation_state())

    assert str(answer).strip() == f"FINAL {WRITTEN}"


@pytest.mark.parametrize("fault", [faults.status(500), faults.html()])
async def test_the_model_reads_the_sentence_and_no_exception(model, tavily, fault):
    """(S0-35)"""
    tavily.fails("tavily", fault)
    factory = WebSearchToolsFactory(config())
    agent = agent_with(model, factory.tools)

    await agent.invoke_async(REQUEST, invocation_state=factory.get_invocation_state())

    assert model.shown == ["検索できませんでした"]


async def run_example(model, path, **env):
    environment = {
        **os.environ, "OPENAI_BASE_URL": model.openai_url, "OPENAI_API_KEY": "none",
        "OPENAI_MODEL": "scripted", **env,
    }  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLE), str(path), REQUEST,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode(), err.decode()


@pytest.mark.usefixtures("processes")
async def test_the_program_of_the_example_searches_while_it_responds(model, tmp_path):
    """The agent that judges is not given the tool, the one that responds is; both lines of the
    log are there (S0-20, S0-21, S0-37, S0-41)."""
    path = written(tmp_path, (EXAMPLE / "config.yaml.example").read_text(encoding="utf-8"))

    out, err = await run_example(model, path, TAVILY_API_KEY=KEY)

    assert WRITTEN in out
    judging, *responding = model.requests
    assert not judging.tools
    assert [[t.name for t in r.tools] for r in responding] == [["web_search"]] * 2
    assert f"INFO kensaku.compat.slack_bot.tools: web_search: {QUERY}" in err
    assert "web_search: success" in err


@pytest.mark.usefixtures("processes")
async def test_the_program_starts_without_a_key(model, tmp_path):
    """(S0-09, S0-21)"""
    path = written(tmp_path, (EXAMPLE / "config.yaml.example").read_text(encoding="utf-8"))

    _, err = await run_example(model, path)

    assert "WARNING kensaku.compat.slack_bot.tools" in err
    assert not model.offered
