"""The tool `web_search`: its definition, its Markdown and its errors."""

from __future__ import annotations

import inspect
import logging
import re
from dataclasses import replace

import pytest

from kensaku.compat.terminal import (
    Deps,
    ProviderRegistry,
    SettingsService,
    create_web_search_tool_definition,
    format_web_search_command_message,
)
from kensaku.models import Hit
from kensaku.providers import BUILT_IN
from kensaku.testing import faults

from .doubles import DESCRIPTION, KELP, OTTER, made_up, with_answer


def test_the_definition_is_the_documents(deps):
    """(S4-22, S4-23, S4-24, S4-53)"""
    tool = create_web_search_tool_definition(deps)

    assert (tool.name, tool.description) == ("web_search", DESCRIPTION)
    assert tool.parameters["properties"] == {
        "query": {
            "type": "string",
            "description": "The search query to look up on the web.",
            "minLength": 1,
        }
    }
    assert tool.parameters["required"] == ["query"]
    assert inspect.iscoroutinefunction(tool.execute)
    assert tool.format_command_message is format_web_search_command_message


def test_nobody_has_to_approve_a_search(deps):
    """(S4-25, S4-53)"""
    tool = create_web_search_tool_definition(deps)

    assert tool.needs_approval() is False
    assert tool.needs_approval({"query": "otter"}) is False


async def test_success_is_markdown(deps, upstream):
    """Answer, results, dates and rules, byte for byte (S4-28, S4-30, S4-31, S4-53)."""
    with_answer(upstream, [OTTER, KELP], "They float.")

    assert await create_web_search_tool_definition(deps).execute({"query": "otter"}) == (
        "## Answer\n\n"
        "They float.\n"
        "\n\n"
        "## Search Results\n\n"
        "### 1. Sea otters\n\n"
        "**URL:** https://otters.example/\n\n"
        "**Published:** 2026-01-02\n\n"
        "\nThey hold hands.\n\n"
        "\n---\n\n"
        "### 2. Kelp\n\n"
        "**URL:** https://kelp.example/\n\n"
        "\nIt grows fast.\n\n"
        "\n---\n"
    )


async def test_nothing_found_is_said(deps, upstream):
    """(S4-32, S4-53)"""
    with_answer(upstream, [])

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert text == "No results found for this query.\n"


async def test_no_provider_at_all_is_said(deps):
    """(S4-26)"""
    tool = create_web_search_tool_definition(deps, registry=ProviderRegistry())

    assert await tool.execute({"query": "otter"}) == "Error: No web search provider is configured."


@pytest.mark.parametrize("name", ["tavily", "brave", "google", "searxng"])
async def test_a_provider_that_is_not_configured_is_named(make_deps, upstream, name):
    """(S4-27, S4-53, S4-55)"""
    removed = {f"{name.upper()}_BASE_URL": ""} if name == "searxng" else {}
    deps = make_deps(keys=False, WEB_SEARCH_PROVIDER=name, **removed)

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert text == (
        f"Error: Web search provider '{name}' is not properly configured."
        " Please set the required API key."
    )
    assert upstream.requests == []


async def test_an_exception_is_logged_and_told(deps):
    """(S4-29, S4-53)"""

    async def search(query, given):
        raise RuntimeError("the wire is cut")

    registry = ProviderRegistry()
    registry.register(made_up("mine", search))
    deps.settings_service.set("webSearch.provider", "mine")

    text = await create_web_search_tool_definition(deps, registry=registry).execute({"query": "o"})

    assert text == "Error: the wire is cut"
    assert deps.logging_service.of("error") == [
        ("Web search failed", {"query": "o", "error": "the wire is cut"})
    ]


async def test_a_crash_tells_nobody_the_key(deps):
    """Whoever wrote the provider (S4-29, S4-47)."""

    async def search(query, given):
        raise RuntimeError("refused: Bearer tavily-test-key")

    registry = ProviderRegistry()
    registry.register(made_up("tavily", search))

    tool = create_web_search_tool_definition(deps, registry=registry)

    assert await tool.execute({"query": "o"}) == "Error: refused: Bearer …"
    assert "tavily-test-key" not in str(deps.logging_service.lines)


async def test_the_programs_own_log_has_no_queries(upstream, machine, caplog):
    """A host's own service gets them, as the document says; ours keeps them for debugging."""
    upstream.fails("tavily", faults.status(401))
    env = {**upstream.environment("tavily"), "KENSAKU_HOME": str(machine)}
    caplog.set_level(logging.DEBUG, "kensaku.term")
    async with Deps(SettingsService(environ=env)) as deps:
        await create_web_search_tool_definition(deps).execute({"query": "private wish"})

    levels = {r.levelname for r in caplog.records if "private wish" in r.getMessage()}
    assert levels == {"DEBUG"}
    assert any("Web search failed" in r.getMessage() for r in caplog.records)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({}, "web_search needs query"),
        ({"query": ""}, "the length of query is 0; it must be at least 1"),
        ({"query": 5}, "query must be a text, not 5"),
        ({"query": "x" * 2001}, "the query has 2,001 characters"),
    ],
)
async def test_a_query_out_of_bounds_is_told(deps, upstream, query, told):
    """In one sentence, before anything is sent (S4-24)."""
    text = await create_web_search_tool_definition(deps).execute(query)

    assert text.startswith(f"Error: {told}")
    assert upstream.requests == []


async def test_a_long_result_is_cut(deps, upstream):
    """One page does not fill the model's context (S4-57)."""
    with_answer(upstream, [replace(OTTER, content="word " * 5_000)] * 1)

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert 3_000 < len(text) < 4_500


async def test_there_are_five_results_unless_set(make_deps, upstream):
    """(S4-57)"""
    with_answer(upstream, [Hit(f"https://a.example/{n}", f"T{n}", "C") for n in range(15)])

    usual = await create_web_search_tool_definition(make_deps()).execute({"query": "otter"})
    three = make_deps(KENSAKU_MAX_RESULTS="3")
    fewer = await create_web_search_tool_definition(three).execute({"query": "otter"})

    assert (usual.count("\n### "), fewer.count("\n### ")) == (5, 3)


async def test_what_the_web_says_can_be_fenced(deps, upstream):
    """The document's Markdown has no marks, so they are asked for."""
    with_answer(upstream, [OTTER])
    plain = await create_web_search_tool_definition(deps).execute({"query": "otter"})
    fenced = await create_web_search_tool_definition(deps, fence=True).execute({"query": "otter"})

    assert plain in fenced
    assert re.search(r"<<<web ([0-9a-f]{32})\n.*\nweb \1>>>$", fenced, re.DOTALL)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (faults.status(401, {"detail": {"error": "bad key"}}), "Tavily API error (401): bad key"),
        (faults.status(432, {"detail": "plan limit"}), "Tavily API error (432): plan limit"),
        (faults.status(429, {"detail": "slow down"}, {"Retry-After": "90"}),
         "Tavily API error (429): slow down"),
        (faults.status(500, "oops"), "Tavily API error (500): oops"),
        (faults.reset(), "Tavily: the connection broke off"),
    ],
    ids=["key", "quota", "rate", "outage", "network"],
)  # fmt: skip
async def test_a_failure_is_informative(deps, upstream, fault, said):
    """A wrong key, a rate, an outage and a broken wire are told apart
    (S4-54, S4-55, S4-56, S4-58)."""
    upstream.fails("tavily", fault)

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert text == f"Error: {said}"


async def test_a_passing_failure_is_tried_again(deps, upstream):
    """The document considers a retry; the core does it (S4-56)."""
    with_answer(upstream, [OTTER])
    upstream.fails("tavily", faults.status(503), times=1)

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert "Sea otters" in text
    assert len(upstream.requests) == 2


async def test_settings_switch_the_provider(make_deps, upstream):
    """While the program runs, too (S4-54)."""
    upstream.answers("brave", [KELP])
    with_answer(upstream, [OTTER])
    deps = make_deps()
    tool = create_web_search_tool_definition(deps)

    first = await tool.execute({"query": "otter"})
    deps.settings_service.set("webSearch.provider", "brave")
    second = await tool.execute({"query": "otter"})

    assert "Sea otters" in first
    assert "Kelp" in second
    assert {r.provider for r in upstream.requests} == {"tavily", "brave"}


async def test_a_key_that_is_set_while_it_runs_is_used(make_deps, upstream):
    """(S4-54, S4-55)"""
    deps = make_deps(keys=False)
    tool = create_web_search_tool_definition(deps)
    assert (await tool.execute({"query": "otter"})).startswith("Error: Web search provider")

    deps.settings_service.set("webSearch.tavily.apiKey", "tvly-one")
    await tool.execute({"query": "otter"})
    deps.settings_service.set("webSearch.tavily.apiKey", "tvly-two")
    await tool.execute({"query": "other otter"})

    keys = [r.headers["authorization"] for r in upstream.requests]
    assert keys == ["Bearer tvly-one", "Bearer tvly-two"]


@pytest.mark.parametrize("name", [n for n in BUILT_IN if n != "local"])
async def test_every_provider_searches_from_here(make_deps, upstream, name):
    """One registry for all of them (S4-12, S4-50)."""
    upstream.answers(name, [KELP])
    deps = make_deps(WEB_SEARCH_PROVIDER=name)

    text = await create_web_search_tool_definition(deps).execute({"query": "kelp"})

    assert "### 1. Kelp" in text
    assert len(upstream.asked(name)) >= 1


@pytest.mark.parametrize("route", ["auto", "tavily,brave"])
async def test_the_whole_route_is_a_provider_too(make_deps, upstream, route):
    """The next answers when one cannot."""
    upstream.fails("tavily", faults.status(401))
    upstream.answers("brave", [KELP])
    deps = make_deps(WEB_SEARCH_PROVIDER=route)

    text = await create_web_search_tool_definition(deps).execute({"query": "kelp"})

    assert "### 1. Kelp" in text
