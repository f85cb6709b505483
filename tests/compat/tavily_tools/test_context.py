"""`tavily_context`, and what all three tools do."""

from __future__ import annotations

import asyncio
import logging
import re

import pytest

from kensaku.models import Hit
from kensaku.testing import faults

pytest.importorskip("pydantic_ai")

from kensaku.compat.tavily_tools import tools as tavily_tools
from kensaku.compat.tavily_tools.pydantic_ai import (
    log_verbose_tool_done,
    log_verbose_tool_start,
    tavily_context,
    tavily_extract,
    tavily_search,
)

from .doubles import ASYNCIO, QUERY, error


async def test_the_context_stands_below_its_header(ctx):
    """(S1-31, S1-34)"""
    said = await tavily_context(ctx, QUERY)

    head, _, body = said.partition("\n\n")
    assert head == f"## RAG用検索コンテキスト: {QUERY}"
    assert ASYNCIO.content in body
    assert ASYNCIO.url in body


async def test_a_context_of_nothing_says_so(ctx, tavily):
    """(S1-10, S1-34)"""
    tavily.answers("tavily", [])

    said = await tavily_context(ctx, QUERY)

    assert said == f"## RAG用検索コンテキスト: {QUERY}\n\n検索結果が見つかりませんでした。"


@pytest.mark.parametrize(("tokens", "good"), [(None, True), (1, True), (500, True), (0, False)])
async def test_the_tokens_are_one_or_more_or_the_default(ctx, tokens, good):
    """(S1-33)"""
    said = await tavily_context(ctx, QUERY, tokens)

    assert said.startswith("## RAG") if good else error(said) == "VALIDATION_ERROR"


async def test_fewer_tokens_give_a_shorter_context(ctx, tavily):
    """(S1-33)"""
    many = [
        Hit(url=f"https://{n}.example/", title=str(n), content=f"async {n} " * 60, score=0.5)
        for n in range(8)
    ]
    tavily.answers("tavily", many)

    few, more = [len(await tavily_context(ctx, QUERY, n)) for n in (200, 2_000)]

    assert few < more


async def test_start_and_end_are_logged_with_the_milliseconds(ctx, tavily, caplog):
    """The end says `success` or `failed` (S1-37, S1-38, S1-39, S1-40)."""
    caplog.set_level(logging.DEBUG, tavily_tools.log.name)
    await tavily_search(ctx, QUERY)
    tavily.fails("tavily", faults.status(401))
    await tavily_context(ctx, "other")
    await tavily_extract(ctx, [])

    said = [r.message for r in caplog.records if r.name == tavily_tools.log.name]
    assert [re.sub(r"\d+\.\d", "N", line) for line in said] == [
        f"tavily_search: start {{'query': '{QUERY}'}}",
        "tavily_search: success in N ms",
        "tavily_context: start {'query': 'other'}",
        "tavily_context: failed in N ms",
        "tavily_extract: start {'urls': []}",
        "tavily_extract: failed in N ms",
    ]


def test_the_log_functions_take_what_the_document_gives_them(caplog):
    """Queries stay below INFO (S1-37, S1-38, S1-39)."""
    caplog.set_level(logging.DEBUG)
    log_verbose_tool_start("tavily_search", {"query": QUERY})
    log_verbose_tool_done("tavily_search", "success", 12.5)
    log_verbose_tool_done("tavily_search", "failed", 3.0)

    assert [r.levelname for r in caplog.records] == ["DEBUG"] * 3
    assert "12.5 ms" in caplog.text


async def test_a_call_that_is_called_off_is_logged_as_failed(ctx, tavily, caplog):
    """(S1-39)"""
    caplog.set_level(logging.DEBUG, tavily_tools.log.name)
    asked = asyncio.Event()
    tavily.fails("tavily", faults.hang(), when=lambda seen: asked.set() or True)
    call = asyncio.create_task(tavily_search(ctx, QUERY))
    await asked.wait()

    call.cancel()
    await asyncio.wait([call])

    assert call.cancelled()
    assert "tavily_search: failed" in caplog.text
