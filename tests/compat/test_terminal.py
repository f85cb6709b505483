"""Seed 004: a terminal assistant with a registry of providers, for the OpenAI Agents SDK."""

from __future__ import annotations

import inspect
import json
import logging
import re
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    ToolCallItem,
    ToolCallOutputItem,
    WebSearchTool,
)
from openai import AsyncOpenAI

from kensaku.adapters.openai_agents import wrap
from kensaku.compat import terminal
from kensaku.compat.terminal import (
    DEFAULT_SETTINGS,
    SETTING_KEYS,
    Deps,
    ProviderRegistry,
    SettingsService,
    WebSearchProvider,
    WebSearchResponse,
    WebSearchResult,
    create_web_search_tool_definition,
    format_web_search_command_message,
    get_all_web_search_providers,
    get_configured_web_search_provider,
    get_default_web_search_provider,
    get_web_search_provider,
    register_web_search_provider,
)
from kensaku.compat.terminal.openai_agents import tools_for_mode
from kensaku.compat.terminal.providers import core_provider
from kensaku.compat.terminal.registry import PROVIDERS
from kensaku.compat.terminal.settings import is_sensitive
from kensaku.compat.terminal.tool import markdown
from kensaku.config.settings import Settings
from kensaku.errors import ConfigError
from kensaku.models import Hit
from kensaku.providers import BUILT_IN, provider_names
from kensaku.providers.base import Provider
from kensaku.providers.tavily import Tavily
from kensaku.testing import faults
from tests import ROOT
from tests.adapters.model_server import ModelServer

OTTER = Hit("https://otters.example/", "Sea otters", "They hold hands.", 0.9, "2026-01-02")
KELP = Hit("https://kelp.example/", "Kelp", "It grows fast.")
DESCRIPTION = (
    "Search the web for current information. Use this when you need up-to-date information that "
    "may not be in your training data, such as recent news, current events, documentation "
    "updates, or any time-sensitive information."
)
NO_KEY = (
    "Tavily API key is not configured. Set TAVILY_API_KEY environment variable or configure "
    "webSearch.tavily.apiKey."
)


class Log:
    """A host's own logging service: it keeps what it is given."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, dict]] = []

    def debug(self, message, meta, /):
        self.lines.append(("debug", message, dict(meta)))

    def warning(self, message, meta, /):
        self.lines.append(("warning", message, dict(meta)))

    def error(self, message, meta, /):
        self.lines.append(("error", message, dict(meta)))

    def of(self, level: str) -> list[tuple[str, dict]]:
        return [(message, meta) for kind, message, meta in self.lines if kind == level]


@pytest.fixture
async def make_deps(upstream, machine):
    """`make_deps(WEB_SEARCH_PROVIDER="brave")`: every provider is at the fake upstream."""
    made: list[Deps] = []

    def make(*arguments, keys: bool = True, without: str = "", **env: str) -> Deps:
        environ = {**upstream.environment(keys=keys, rate="9999/s"), "KENSAKU_HOME": str(machine)}
        environ |= {"KENSAKU_STATE_URL": "memory:", "KENSAKU_CACHE_URL": "memory:"}
        environ = {n: v for n, v in {**environ, **env}.items() if n != without}
        made.append(Deps(SettingsService(*arguments, environ=environ), Log()))
        return made[-1]

    yield make
    for deps in made:
        await deps.close()


@pytest.fixture
def deps(make_deps) -> Deps:
    return make_deps()


def with_answer(upstream, hits, answer=None):
    body = upstream.samples["tavily"].with_hits(hits) if hits else {"results": []}
    upstream.answers("tavily", body={**body, "query": "otter", "answer": answer})


def made_up(name: str, search=None, configured: bool = True, **more) -> WebSearchProvider:
    async def nothing(query, deps):
        return WebSearchResponse(query)

    return WebSearchProvider(name, name.title(), search or nothing, lambda _: configured, **more)


# --- the types


def test_a_result_and_a_response_have_the_documents_members():
    """Under Python's names here, under the document's as data (S4-01, S4-02)."""
    whole = WebSearchResult("T", "https://a.example/", "C", 0.5, "2026-01-02")
    bare = WebSearchResult("T", "https://a.example/", "C")

    assert whole.to_dict() == {"title": "T", "url": "https://a.example/", "content": "C",
                               "score": 0.5, "publishedDate": "2026-01-02"}  # fmt: skip
    assert bare.to_dict() == {"title": "T", "url": "https://a.example/", "content": "C"}
    assert WebSearchResponse("q", [bare], "A").to_dict() == {
        "query": "q", "results": [bare.to_dict()], "answerBox": "A"
    }  # fmt: skip
    assert WebSearchResponse("q").to_dict() == {"query": "q", "results": []}


async def test_a_provider_is_given_the_settings_and_the_log(deps):
    """(S4-03, S4-04)"""
    seen = []

    async def search(query, given):
        seen.append((query, given.settings_service, given.logging_service))
        return WebSearchResponse(query)

    provider = made_up("mine", search)
    await provider.search("otter", deps)

    assert (provider.id, provider.label, provider.sensitive_setting_keys) == ("mine", "Mine", ())
    assert provider.is_configured(deps) is True
    assert seen == [("otter", deps.settings_service, deps.logging_service)]


# --- the registry


def test_a_provider_can_be_registered_and_found():
    """(S4-05, S4-08, S4-10, S4-51)"""
    registry = ProviderRegistry()
    registry.register(mine := made_up("mine"))

    assert registry.get("mine") is mine
    assert registry.get("unknown") is None
    assert registry.all() == [mine]


def test_an_id_can_be_taken_only_once():
    """(S4-06, S4-51)"""
    with pytest.raises(ValueError) as caught:
        register_web_search_provider(made_up("tavily"))

    assert str(caught.value) == "Web search provider 'tavily' is already registered"
    assert get_web_search_provider("tavily").label == "Tavily"


def test_the_default_is_the_marked_one_else_the_first():
    """(S4-05, S4-07, S4-09, S4-51)"""
    registry = ProviderRegistry()
    assert registry.default is None
    registry.register(made_up("first"))
    registry.register(made_up("second"))
    assert registry.default.id == "first"
    registry.register(made_up("third"), is_default=True)
    assert registry.default.id == "third"


@pytest.mark.parametrize(
    ("setting", "chosen", "warned"),
    [("brave", "brave", 0), (None, "tavily", 0), ("altavista", "tavily", 1)],
)
def test_the_setting_chooses_and_a_fall_back_is_seen(make_deps, setting, chosen, warned):
    """(S4-11, S4-51)"""
    deps = make_deps(WEB_SEARCH_PROVIDER=setting or "")

    assert get_configured_web_search_provider(deps).id == chosen
    warnings = deps.logging_service.of("warning")
    assert len(warnings) == warned
    if warned:
        said = "Web search provider 'altavista' is not known; 'tavily' is used"
        assert warnings == [(said, {"wanted": "altavista", "used": "tavily"})]


def test_a_fall_back_is_seen_in_the_programs_own_log(caplog, machine):
    """Also without a logging service of the host's (S4-11)."""
    settings = SettingsService(environ={"WEB_SEARCH_PROVIDER": "altavista"})

    assert get_configured_web_search_provider(Deps(settings)).id == "tavily"
    assert "'altavista' is not known" in caplog.text


def test_importing_registers_every_provider():
    """The core's, other people's, and the whole route; and the API is there (S4-12, S4-48)."""
    code = (
        "from kensaku.compat.terminal import *\n"
        "print(get_default_web_search_provider().id,"
        " *[p.id for p in get_all_web_search_providers()])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    default, *names = ran.stdout.split()

    assert default == "tavily"
    assert names == [*provider_names(), "auto"]
    assert all(hasattr(terminal, name) for name in terminal.__all__)


def test_serper_and_brave_are_there():
    """What the document put off (S4-50)."""
    for name, label in {"serper": "Serper", "brave": "Brave Search", "exa": "Exa"}.items():
        found = get_web_search_provider(name)
        assert found.label == label
        assert found.sensitive_setting_keys == (f"webSearch.{name}.apiKey",)


# --- Tavily


def test_tavily_is_the_default_with_a_secret():
    """(S4-21, S4-47)"""
    tavily = get_default_web_search_provider()

    assert (tavily.id, tavily.label) == ("tavily", "Tavily")
    assert tavily.sensitive_setting_keys == ("webSearch.tavily.apiKey",)


def test_it_is_configured_when_there_is_a_key(make_deps):
    """(S4-20, S4-52)"""
    tavily = get_web_search_provider("tavily")

    assert tavily.is_configured(make_deps()) is True
    assert tavily.is_configured(make_deps(keys=False)) is False
    assert tavily.is_configured(make_deps(TAVILY_API_KEY="")) is False


async def test_without_a_key_it_says_where_one_belongs(make_deps, upstream):
    """(S4-15, S4-52)"""
    with pytest.raises(Exception) as caught:
        await get_web_search_provider("tavily").search("otter", make_deps(keys=False))

    assert str(caught.value) == NO_KEY
    assert upstream.requests == []


async def test_the_request_is_the_documents_with_the_key_in_its_header(deps, upstream):
    """POST /search as JSON; the body has the question and asks for the answer box, and all else is
    the API's default (S4-13, S4-14, S4-52)."""
    await get_web_search_provider("tavily").search("otter", deps)

    (asked,) = upstream.requests
    assert (asked.method, asked.path) == ("POST", "/tavily/search")
    assert Tavily.url == "https://api.tavily.com"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == "Bearer tavily-test-key"
    assert "tavily-test-key" not in asked.body.decode()
    body = dict(asked.json)
    assert (body.pop("query"), body.pop("include_answer")) == ("otter", True)
    assert body in ({"max_results": 5}, {"max_results": 5, "include_published_date": True})


async def test_the_reply_is_mapped(deps, upstream):
    """`published_date` → `publishedDate`, `answer` → `answerBox` (S4-19, S4-52)."""
    with_answer(upstream, [OTTER, KELP], "They float.")

    found = await get_web_search_provider("tavily").search("otter", deps)

    assert found.to_dict() == {
        "query": "otter",
        "results": [
            {"title": "Sea otters", "url": OTTER.url, "content": "They hold hands.",
             "score": 0.9, "publishedDate": "2026-01-02"},
            {"title": "Kelp", "url": KELP.url, "content": "It grows fast."},
        ],
        "answerBox": "They float.",
    }  # fmt: skip


async def test_no_results_are_an_empty_list(deps, upstream):
    """(S4-19)"""
    with_answer(upstream, [])

    found = await get_web_search_provider("tavily").search("otter", deps)

    assert (list(found.results), found.answer_box) == ([], None)


async def test_the_answer_box_is_the_upstreams(deps, upstream):
    """Sentences that the core picks out of the results are not in its place (S4-19, S4-30)."""
    with_answer(upstream, [replace(OTTER, content="The otter is a swimming mammal of the sea.")])

    found = await get_web_search_provider("tavily").search("otter", deps)

    assert found.results
    assert found.answer_box is None


async def test_a_search_is_logged_before_and_after(deps, upstream):
    """(S4-16, S4-18)"""
    with_answer(upstream, [OTTER, KELP], "They float.")

    await get_web_search_provider("tavily").search("otter", deps)

    assert deps.logging_service.of("debug") == [
        ("Executing Tavily web search", {"query": "otter"}),
        ("Tavily search completed", {"resultCount": 2, "hasAnswer": True}),
    ]


async def test_an_error_of_the_api_has_its_status_and_its_words(deps, upstream):
    """(S4-17, S4-52)"""
    body = {"detail": {"error": "Unauthorized: missing or invalid API key."}}
    upstream.fails("tavily", faults.status(401, body))

    with pytest.raises(Exception) as caught:
        await get_web_search_provider("tavily").search("otter", deps)

    words = "Unauthorized: missing or invalid API key."
    assert str(caught.value) == f"Tavily API error (401): {words}"
    assert caught.value.status == 401
    assert deps.logging_service.of("error") == [
        ("Tavily API error", {"status": 401, "error": words})
    ]


# --- the tool


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


def test_without_an_answer_there_is_no_block_for_it():
    """(S4-30, S4-53)"""
    result = WebSearchResult("T", "https://a.example/", "C")

    assert markdown(WebSearchResponse("q", [result])).startswith("## Search Results\n")
    assert markdown(WebSearchResponse("q", [result], "A")).startswith("## Answer\n\nA\n")
    assert "No results found" in markdown(WebSearchResponse("q", (), "A"))


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


@pytest.mark.parametrize("query", [{}, {"query": ""}, {"query": 5}, {"query": "x" * 2001}])
async def test_a_query_out_of_bounds_is_told(deps, upstream, query):
    """Before anything is sent (S4-24)."""
    text = await create_web_search_tool_definition(deps).execute(query)

    assert text.startswith("Error: ")
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


# --- when it goes wrong


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (faults.status(401, {"detail": {"error": "bad key"}}), "Tavily API error (401): bad key"),
        (faults.status(432, {"detail": "plan limit"}), "Tavily API error (432): plan limit"),
        (faults.status(429, {"detail": "slow down"}, {"Retry-After": "90"}),
         "Tavily API error (429): slow down"),
        (faults.status(500, "oops"), "Tavily API error (500): it is out of order (HTTP 500)"),
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


# --- what the terminal shows


def item(raw=None, **members):
    return {"rawItem": raw or {}, **members}


@pytest.mark.parametrize(
    ("shown", "known"),
    [
        (item({"arguments": '{"query": "raw"}', "call_id": "1"}, arguments='{"query": "x"}'), {}),
        (item(arguments={"query": "raw"}), {"1": {"query": "x"}}),
        (item({"call_id": "1"}), {"1": '{"query": "raw"}'}),
        (item({"arguments": "{cut off", "callId": "1"}), {"1": {"query": "raw"}}),
    ],
    ids=["raw item", "item", "by id", "by id, when the item's are broken"],
)
def test_the_query_of_a_call_is_found(shown, known):
    """(S4-34, S4-35, S4-53)"""
    (message,) = format_web_search_command_message(shown, 0, known)

    assert message.command == 'web_search: "raw"'
    assert message.tool_args == {"query": "raw"}


def test_a_call_without_a_query_is_shown_all_the_same():
    """(S4-35)"""
    for odd in ({}, item(), None, item({"arguments": "[1]"})):
        (message,) = format_web_search_command_message(odd, 0, {})
        assert message.command == 'web_search: "unknown query"'


@pytest.mark.parametrize(
    ("output", "shown", "success"),
    [
        ("## Search Results", "## Search Results", True),
        ("", "No results", True),
        (None, "No results", True),
        ("Error: no", "Error: no", False),
        ({"type": "text", "text": "Error: no"}, "Error: no", False),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", True),
    ],
)
def test_a_message_has_command_output_and_success(output, shown, success):
    """(S4-33, S4-36, S4-37)"""
    messages = format_web_search_command_message(item(output=output), 3, {})

    assert len(messages) == 1
    assert (messages[0].output, messages[0].success) == (shown, success)
    assert messages[0].tool_name == "web_search"


# --- in an agent


@pytest.fixture(params=[OpenAIChatCompletionsModel, OpenAIResponsesModel], ids=["chat", "resp"])
async def model(request):
    """Two protocols stand for "any LLM": the search does not depend on OpenAI's servers."""
    with ModelServer("web_search", {"query": "otter"}) as server:
        async with AsyncOpenAI(base_url=server.openai_url, api_key="not-a-key") as client:
            made = request.param(model="scripted", openai_client=client)
            made.server = server
            yield made


async def run(model, tools):
    agent = Agent(name="terminal", model=model, tools=tools)
    return await Runner.run(agent, "otters?", run_config=RunConfig(tracing_disabled=True))


async def test_the_assistant_searches_and_shows_it(model, deps, upstream):
    """From the question to the screen (S4-33, S4-40, S4-54, S4-55)."""
    with_answer(upstream, [OTTER], "They float.")

    result = await run(model, tools_for_mode(deps=deps))

    assert result.final_output.startswith("FINAL ## Answer\n\nThey float.")
    assert model.server.offered["web_search"].description == DESCRIPTION
    (call,) = [i for i in result.new_items if isinstance(i, ToolCallItem)]
    (output,) = [i for i in result.new_items if isinstance(i, ToolCallOutputItem)]
    known = {call.raw_item.call_id: call.raw_item.arguments}
    (message,) = format_web_search_command_message(output, 0, known)
    assert message.command == 'web_search: "otter"'
    assert message.success
    assert message.output.startswith("## Answer")
    assert output.custom_data["output"]["results"][0]["url"] == OTTER.url


async def test_a_failure_does_not_end_the_run(model, deps, upstream):
    """(S4-29, S4-54, S4-55)"""
    upstream.fails("tavily", faults.status(401, {"detail": {"error": "bad key"}}))

    result = await run(model, tools_for_mode(deps=deps))

    assert result.final_output == "FINAL Error: Tavily API error (401): bad key"


async def test_bad_arguments_do_not_end_the_run(model, deps, upstream):
    """(S4-24)"""
    model.server.mode = "badjson"

    result = await run(model, tools_for_mode(deps=deps))

    assert result.final_output == "FINAL Error: the arguments are not JSON; send one object"
    assert upstream.requests == []


class Preview(WebSearchTool):
    """As the SDK named it before."""

    name = "web_search_preview"


def test_the_hosted_search_is_left_out_where_ours_is_in(deps):
    """Two search tools confuse the model (S4-39, S4-59)."""
    hosted, clock = (
        WebSearchTool(),
        wrap(create_web_search_tool_definition(deps).tool),
    )
    clock.name = "clock"

    tools = tools_for_mode([hosted, Preview(), clock], deps=deps)

    assert [t.name for t in tools] == ["clock", "web_search"]
    assert not any(isinstance(t, WebSearchTool) for t in tools)
    assert [t.name for t in tools_for_mode(tools, deps=deps)] == ["clock", "web_search"]


def test_in_lite_mode_ours_is_left_out(deps):
    """(S4-38)"""
    hosted = WebSearchTool()

    assert tools_for_mode(deps=deps, lite=True) == []
    assert tools_for_mode([hosted], deps=deps, lite=True) == [hosted]
    assert [t.name for t in tools_for_mode(deps=deps)] == ["web_search"]


# --- the settings


def settings_file(machine, text) -> Path:
    machine.mkdir(exist_ok=True)
    file = machine / "settings.json"
    file.write_text(text if isinstance(text, str) else json.dumps(text))
    return file


def test_the_defaults_are_the_documents():
    """(S4-41, S4-42, S4-43)"""
    settings = SettingsService(environ={})

    assert DEFAULT_SETTINGS == {"webSearch": {"provider": "tavily", "tavily": {}}}
    assert settings.get("webSearch.provider") == "tavily"
    assert settings.origin("webSearch.provider") == "default"
    assert settings.get("webSearch.tavily.apiKey") is None
    assert SETTING_KEYS["WEB_SEARCH_PROVIDER"] == "webSearch.provider"
    assert SETTING_KEYS["WEB_SEARCH_TAVILY_API_KEY"] == "webSearch.tavily.apiKey"


@pytest.mark.parametrize(
    ("key", "variable"),
    [
        ("webSearch.tavily.apiKey", "TAVILY_API_KEY"),
        ("webSearch.brave.apiKey", "BRAVE_API_KEY"),
        ("webSearch.google.cx", "GOOGLE_CX"),
        ("webSearch.provider", "WEB_SEARCH_PROVIDER"),
    ],
)
def test_arguments_win_over_environment_over_file_over_default(machine, key, variable):
    """(S4-41, S4-44, S4-45, S4-46)"""
    nested: dict = {}
    inner = nested
    *sections, last = key.split(".")
    for section in sections:
        inner = inner.setdefault(section, {})
    inner[last] = "of-file"
    file = settings_file(machine, nested)
    home, env = {"KENSAKU_HOME": str(machine)}, {variable: "of-environment"}

    argued = SettingsService({key: "of-argument"}, environ=home | env)
    set_in_env = SettingsService(environ=home | env)
    filed = SettingsService(environ=home)

    assert (argued.get(key), argued.origin(key)) == ("of-argument", "argument")
    assert set_in_env.get(key) == "of-environment"
    assert set_in_env.origin(key) == f"environment {variable}"
    assert (filed.get(key), filed.origin(key)) == ("of-file", str(file))


def test_the_core_s_own_file_counts_as_well(machine):
    """Below `settings.json`: who has configured Kensaku need not do it twice."""
    machine.mkdir()
    (machine / "config.toml").write_text('[providers.tavily]\napi_key = "tvly-of-toml"\n')
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})

    assert settings.get("webSearch.tavily.apiKey") == "tvly-of-toml"
    settings_file(machine, {"webSearch": {"tavily": {"apiKey": "tvly-of-json"}}})
    again = SettingsService(environ={"KENSAKU_HOME": str(machine)})
    assert again.get("webSearch.tavily.apiKey") == "tvly-of-json"


def test_the_file_is_ours_and_takes_the_place_of_the_documents(monkeypatch, tmp_path):
    """`~/.config/kensaku/settings.json` with the same section; term2's is not read (S4-46)."""
    monkeypatch.setenv("HOME", str(tmp_path))
    example = {"webSearch": {"provider": "brave", "tavily": {"apiKey": "tvly-xxxxx"}}}
    for name, section in {"kensaku": example, "term2": {"webSearch": {"provider": "exa"}}}.items():
        (tmp_path / ".config" / name).mkdir(parents=True)
        (tmp_path / ".config" / name / "settings.json").write_text(json.dumps(section))

    settings = SettingsService(environ={})

    assert settings.path == tmp_path / ".config/kensaku/settings.json"
    assert settings.get("webSearch.provider") == "brave"
    assert settings.get("webSearch.tavily.apiKey") == "tvly-xxxxx"
    others = SettingsService(path=tmp_path / ".config/term2/settings.json", environ={})
    assert others.get("webSearch.provider") == "exa"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{cut off", "line 1: expected JSON"),
        ("[]", "expected settings by name"),
        ('{"webSearch": 5}', "webSearch must be a section"),
        ('{"webSearch": {"provider": 5}}', "webSearch.provider must be a text"),
        ('{"webSearch": {"tavily": {"apiKey": ["a"]}}}', "webSearch.tavily.apiKey must be a text"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(machine, text, said):
    """(S4-41)"""
    file = settings_file(machine, text)

    with pytest.raises(ConfigError) as caught:
        SettingsService(environ={"KENSAKU_HOME": str(machine)})

    assert str(caught.value).startswith(str(file))
    assert said in str(caught.value)


def test_a_setting_is_written_for_its_owner_alone(machine):
    """The rest of the file stays; nothing half-written is left (S4-46)."""
    file = settings_file(machine, {"agent": {"model": "x"}, "webSearch": {"provider": "exa"}})
    file.chmod(0o644)
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})

    assert settings.set("webSearch.provider", "brave") is True

    assert json.loads(file.read_text()) == {
        "agent": {"model": "x"}, "webSearch": {"provider": "brave"}
    }  # fmt: skip
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [p.name for p in machine.iterdir()] == ["settings.json"]
    assert settings.get("webSearch.provider") == "brave"


def test_a_secret_is_not_written_unless_it_is_asked_for(machine):
    """(S4-46, S4-47)"""
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})

    assert settings.set("webSearch.tavily.apiKey", "tvly-secret") is False
    assert settings.get("webSearch.tavily.apiKey") == "tvly-secret"
    assert not settings.path.exists()

    settings.set("webSearch.provider", "tavily")
    assert "tvly-secret" not in settings.path.read_text()

    assert settings.set("webSearch.tavily.apiKey", "tvly-secret", in_clear=True) is True
    assert "tvly-secret" in settings.path.read_text()
    assert stat.S_IMODE(settings.path.stat().st_mode) == 0o600

    assert settings.set("webSearch.tavily.apiKey", None) is True
    assert "tvly-secret" not in settings.path.read_text()


def test_a_failed_write_leaves_the_old_file(machine, monkeypatch):
    """All or nothing (S4-46)."""
    file = settings_file(machine, {"webSearch": {"provider": "exa"}})
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        settings.set("webSearch.provider", "brave")

    assert json.loads(file.read_text()) == {"webSearch": {"provider": "exa"}}
    assert settings.get("webSearch.provider") == "exa"
    assert [p.name for p in machine.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(("key", "value"), [("agent.model", "x"), ("webSearch.provider", 5)])
def test_only_our_own_section_can_be_set(machine, key, value):
    """(S4-41)"""
    with pytest.raises(ConfigError):
        SettingsService(environ={"KENSAKU_HOME": str(machine)}).set(key, value)


def test_every_provider_declares_its_secrets():
    """By itself, from the name of its key (S4-47)."""
    for provider in get_all_web_search_providers():
        if provider.id != "auto" and provider.id in BUILT_IN:
            assert all(is_sensitive(key) for key in provider.sensitive_setting_keys)
            assert all(key.startswith("webSearch.") for key in provider.sensitive_setting_keys)
    assert not is_sensitive("webSearch.provider")


def test_secrets_are_shown_masked(make_deps):
    """In a list of the settings, and in no repr (S4-47)."""
    deps = make_deps(TAVILY_API_KEY="tvly-0123456789abcdef")
    settings = deps.settings_service

    rows = {key: (value, origin) for key, value, origin in settings.describe()}

    assert rows["webSearch.tavily.apiKey"] == ("…cdef", "environment TAVILY_API_KEY")
    assert rows["webSearch.provider"] == ("tavily", "default")
    assert "0123456789" not in f"{rows}{settings!r}{vars(deps.client.settings)!r}"


async def test_a_settings_service_of_ones_own_will_do(upstream, monkeypatch, machine):
    """All it needs is `get` (S4-04)."""
    monkeypatch.setenv("TAVILY_BASE_URL", upstream.base_url("tavily"))
    with_answer(upstream, [OTTER])
    own = {"webSearch.provider": "tavily", "webSearch.tavily.apiKey": "tvly-own"}

    async with Deps(own, logging.getLogger("host")) as deps:
        text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert "Sea otters" in text
    assert upstream.requests[0].headers["authorization"] == "Bearer tvly-own"


# --- adding a provider


class Acme(Provider):
    name, label, url = "acme", "Acme", "https://api.acme.example"
    key_variable = "ACME_API_KEY"


def test_a_new_provider_needs_a_file_and_a_line(monkeypatch, machine):
    """Settings, variable and secret come by themselves; the guide says the rest (S4-49)."""
    guide = (ROOT / "docs" / "adding-a-provider.md").read_text()
    assert all(w in guide for w in ("## 1. The file", "## 2. The line", "key_variable"))
    monkeypatch.setattr("kensaku.compat.terminal.providers.provider_class", lambda _: Acme)
    monkeypatch.setattr("kensaku.config.settings.provider_names", lambda: ["acme"])
    monkeypatch.setattr("kensaku.config.settings.provider_class", lambda _: Acme)

    provider = core_provider("acme")
    settings = SettingsService(environ={"ACME_API_KEY": "acme-1", "KENSAKU_HOME": str(machine)})

    assert (provider.id, provider.label) == ("acme", "Acme")
    assert provider.sensitive_setting_keys == ("webSearch.acme.apiKey",)
    assert settings.get("webSearch.acme.apiKey") == "acme-1"
    assert provider.is_configured(Deps(settings)) is True


async def test_a_provider_of_ones_own_is_registered_with_one_call(deps):
    """Any coroutine will do (S4-05, S4-49)."""

    async def search(query, given):
        return WebSearchResponse(query, [WebSearchResult("Mine", "https://m.example/", query)])

    registry = ProviderRegistry()
    registry.register(made_up("mine", search), is_default=True)
    tool = create_web_search_tool_definition(deps, registry=registry)

    assert "### 1. Mine" in await tool.execute({"query": "otter"})
    assert PROVIDERS.get("mine") is None


def test_the_default_settings_are_the_cores(machine):
    """What is not said here stays what the core says."""
    from kensaku.compat.terminal.settings import core_settings

    env = {"KENSAKU_HOME": str(machine), "BRAVE_API_KEY": "b"}

    assert core_settings(SettingsService(environ=env)) == Settings.load(environ=env)
