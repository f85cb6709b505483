"""The three tools without a framework: their schemas, and results for programs."""

from __future__ import annotations

import pytest

from kensaku.compat.tavily_tools.tools import (
    TAVILY_TOOLS,
    TavilyContext,
    TavilyExtract,
    TavilySearch,
    TavilySearchDeps,
)

from .doubles import ASYNCIO, KEY, QUERY, SEARCH_SCHEMA, WRITTEN


@pytest.fixture
def deps() -> TavilySearchDeps:
    """The dependencies of the tools."""
    return TavilySearchDeps(api_key=KEY)


def test_the_tools_are_described_as_the_specification_has_them():
    """Without the bounds of texts, which are told in words (S1-02, S1-14, S1-31)."""
    assert {tool.name: tool().parameters for tool in TAVILY_TOOLS} == {
        "tavily_search": SEARCH_SCHEMA,
        "tavily_extract": {
            "type": "object",
            "properties": {
                "urls": {
                    "type": "array",
                    "description": "抽出対象URL群（1〜20件、http:// または https:// が必須）",
                    "items": {"type": "string"},
                }
            },
            "required": ["urls"],
        },
        "tavily_context": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "検索クエリ"},
                "max_tokens": {
                    "type": "integer",
                    "description": "最大トークン数（省略時はAPI側デフォルト）",
                    "minimum": 1,
                },
            },
            "required": ["query"],
        },
    }


@pytest.mark.parametrize("fence", [False, True])
async def test_the_text_is_for_the_model_and_the_output_for_the_program(fence):
    """A fence is put around the text alone, and only when told (S1-05, S1-06)."""
    tool = TavilySearch(TavilySearchDeps(api_key=KEY, fence=fence))

    result = await tool.invoke({"query": QUERY})

    assert (result.success, result.error) == (True, None)
    assert result.output["hits"][0]["url"] == ASYNCIO.url
    assert WRITTEN.strip() in result.text
    assert ("<<<web " in result.text) is fence
    assert "<<<" not in str(result.output)


async def test_a_context_that_nothing_fits_into_says_so(deps):
    """One without a bound takes as much as it can (S1-33, S1-34)."""
    small, large = [
        await TavilyContext(deps).invoke({"query": QUERY, "max_tokens": tokens})
        for tokens in (1, 10**9)
    ]

    head = f"## RAG用検索コンテキスト: {QUERY}\n\n"
    assert small.text == f"{head}max_tokens が小さすぎるため、収まる文章がありません。"
    assert ASYNCIO.content in large.text
    assert large.output["citations"]


async def test_urls_that_are_all_wrong_are_told_in_the_output_too(deps, tavily):
    """Nobody is asked (S1-22)."""
    result = await TavilyExtract(deps).invoke({"urls": ["example.com"]})

    (failed,) = result.output["failed_results"]
    assert (failed["url"], bool(failed["error"])) == ("example.com", True)
    assert result.output["results"] == []
    assert tavily.requests == []


def test_dependencies_show_no_key():
    """They are printed in traces of frameworks."""
    assert "secret" not in repr(TavilySearchDeps(api_key="secret"))
