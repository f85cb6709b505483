"""The three Tavily tools over MCP: the words and the behaviour of the Claude adapter."""

from __future__ import annotations

import asyncio
import json
import subprocess

import pytest

from kensaku import Settings
from kensaku.compat.tavily_tools.client import close_clients
from kensaku.compat.tavily_tools.tools import TAVILY_TOOLS, TavilySearchDeps
from kensaku.errors import UnknownName
from kensaku.models import Hit
from kensaku.testing import faults

from .servers import COMMAND, connect, environment, eras, make_server, served, started, text_of

NAMES = ["tavily_search", "tavily_extract", "tavily_context"]
OTTER = Hit("https://otter.example/", "Otters", "Sea otters hold hands.", 0.91)
OVER_THE_BOUND = ("tavily_search", {"query": "otter", "max_results": 21})
CALLS = [
    ("tavily_search", {"query": "otter"}),
    OVER_THE_BOUND,
    ("tavily_search", {"query": "あ" * 1_000}),
    ("tavily_extract", {"urls": [OTTER.url, "otter.example"]}),
    ("tavily_extract", {"urls": []}),
    ("tavily_context", {"query": "otter", "max_tokens": 500}),
]


@pytest.fixture(autouse=True)
async def tavily(upstream):
    body = {"results": [{"url": OTTER.url, "raw_content": "# Otters\n\nThey hold hands."}]}
    upstream.serves("/tavily/extract", json.dumps(body), "application/json")
    upstream.answers("tavily", [OTTER])
    yield upstream
    await close_clients()


async def in_claude(settings):
    """What the Claude Agent SDK's own server gives for the same calls."""
    sdk = pytest.importorskip("claude_agent_sdk")
    from mcp.client import Client as SdkClient

    from kensaku.adapters.claude import wrap

    tools = [wrap(kind(TavilySearchDeps(settings=settings))) for kind in TAVILY_TOOLS]
    config = sdk.create_sdk_mcp_server("pydantic_tools", tools=tools)
    async with SdkClient(config["instance"]) as client:
        listed = (await client.list_tools()).tools
        return listed, [text_of(await client.call_tool(*call)) for call in CALLS]


def stdio(upstream, machine, *words, **more):
    return started(
        command=COMMAND[0], args=[*COMMAND[1:], *words], env=environment(upstream, machine, **more)
    )


@eras
@pytest.mark.usefixtures("processes")
async def test_the_command_serves_them_over_stdio(upstream, machine, mode):
    """As a desktop program starts it (S1-01, S1-41, S1-43)."""
    async with connect(stdio(upstream, machine, "--tools", ",".join(NAMES)), mode=mode) as c:
        listed = (await c.list_tools()).tools
        found, wrong, cut, pages, no_url, context = [await c.call_tool(*call) for call in CALLS]

    assert [t.name for t in listed] == NAMES
    assert listed[0].description == "Web検索を実行する"
    assert text_of(found) == (
        f"## 検索結果: otter\n\n### 1. Otters\nURL: {OTTER.url}\nスコア: 0.91\n{OTTER.content}\n"
    )
    assert text_of(wrong).endswith("（指定値: 21）\nエラータイプ: VALIDATION_ERROR")
    assert text_of(cut).endswith("注：検索クエリが長いため、先頭の 400 文字で検索しました")
    assert f"### URL: {OTTER.url}\n# Otters\n\nThey hold hands." in text_of(pages)
    assert "- otter.example: http:// または https:// で始まる" in text_of(pages)
    assert "エラータイプ: VALIDATION_ERROR" in text_of(no_url)
    assert text_of(context).startswith("## RAG用検索コンテキスト: otter\n\n")
    assert [r.is_error for r in (found, wrong, pages, no_url)] == [False, True, False, True]


@pytest.mark.usefixtures("processes")
async def test_the_command_serves_them_over_http(upstream, machine):
    """The words are those of the Claude adapter (S1-42, S1-44)."""
    env = environment(upstream, machine)
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--http", "--port", "0", "--tools", ",".join(NAMES),
        stderr=subprocess.PIPE, env=env,
    )  # fmt: skip
    try:
        url = (await process.stderr.readline()).decode().split()[-1]
        async with connect(url) as c:
            listed = (await c.list_tools()).tools
            texts = [text_of(await c.call_tool(*call)) for call in CALLS]
    finally:
        process.terminate()
        await process.wait()
    theirs, in_sdk = await in_claude(Settings.load(environ=env))

    # The SDK itself refuses what breaks the schema, in its own words.
    differ = {n for n, texts in enumerate(zip(texts, in_sdk, strict=True)) if texts[0] != texts[1]}
    assert differ == {CALLS.index(OVER_THE_BOUND)}
    assert "Input validation error" in in_sdk[CALLS.index(OVER_THE_BOUND)]
    for ours, sdk in zip(listed, theirs, strict=True):
        assert (ours.name, ours.description) == (sdk.name, sdk.description)
        assert ours.input_schema == sdk.input_schema


@pytest.mark.parametrize("status", [400, 401])
async def test_a_refusal_is_two_lines_and_an_error(upstream, make_client, status):
    """(S1-11, S1-13, S1-29, S1-30, S1-35)"""
    upstream.fails("tavily", faults.status(status))

    async with connect(make_server(NAMES, client=make_client("tavily"))) as c:
        results = [await c.call_tool(*call) for call in (CALLS[0], CALLS[3], CALLS[5])]

    kind = {400: "VALIDATION_ERROR", 401: "AUTH_ERROR"}[status]
    for result in results:
        assert result.is_error
        assert text_of(result).startswith("Tavily API エラー: ")
        assert text_of(result).endswith(f"\nエラータイプ: {kind}")


async def test_the_server_takes_key_and_address_from_its_clients_settings(make_client, upstream):
    """A program's settings may be no environment at all (S1-47)."""
    client = make_client("tavily", "brave", env={"TAVILY_API_KEY": "of-the-settings"})

    async with connect(make_server(["web_search", *NAMES], client=client)) as c:
        assert [t.name for t in (await c.list_tools()).tools] == ["web_search", *NAMES]
        await c.call_tool("tavily_search", {"query": "otter"})

    (asked,) = upstream.asked("tavily")
    assert asked.headers["authorization"] == "Bearer of-the-settings"


async def test_a_client_gets_the_text_alone_and_a_long_page_whole(make_client, upstream):
    """Nothing is added in another language, and no data stands in for the text (S1-24)."""
    page = "Otters hold hands. " * 5_000
    body = {"results": [{"url": OTTER.url, "raw_content": page}]}
    upstream.serves("/tavily/extract", json.dumps(body), "application/json")

    async with served(make_server(NAMES, client=make_client("tavily"))) as url, connect(url) as c:
        result = await c.call_tool("tavily_extract", {"urls": [OTTER.url]})

    assert result.structured_content is None
    (shown,) = result.content
    assert shown.text == f"## コンテンツ抽出結果\n\n### URL: {OTTER.url}\n{page.strip()}"


async def test_the_fence_is_an_option(make_client):
    """The document's bytes are the default (S1-08)."""
    server = make_server(["tavily_search"], client=make_client("tavily"), fence=True)

    async with connect(server) as c:
        assert "<<<web " in text_of(await c.call_tool("tavily_search", {"query": "otter"}))


def test_a_misspelt_name_is_answered_by_the_nearest(make_client):
    """Theirs and ours alike (S1-01)."""
    with pytest.raises(UnknownName, match="tavily_serch") as error:
        make_server(["tavily_serch"], client=make_client("tavily"))

    assert "tavily_search" in str(error.value)
