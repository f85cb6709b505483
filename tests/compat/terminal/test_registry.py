"""The types, the registry and adding a provider (S4-01 …)."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from kensaku.compat import terminal
from kensaku.compat.terminal import (
    Deps,
    ProviderRegistry,
    SettingsService,
    WebSearchProvider,
    WebSearchResponse,
    WebSearchResult,
    create_web_search_tool_definition,
    get_configured_web_search_provider,
    get_web_search_provider,
    register_web_search_provider,
)
from kensaku.compat.terminal.registry import PROVIDERS
from kensaku.providers import provider_names

from .doubles import made_up


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


@pytest.mark.parametrize("plain", [False, True], ids=["Deps", "a host's own object"])
async def test_the_tool_gives_a_provider_the_settings_and_the_log(deps, plain):
    """Both services, those of whoever made the definition (S4-03, S4-04)."""
    seen = []

    async def search(query, given):
        seen.append((query, given.settings_service, given.logging_service))
        return WebSearchResponse(query)

    def is_configured(given):
        seen.append(given.settings_service)
        return True

    registry = ProviderRegistry()
    registry.register(WebSearchProvider("mine", "Mine", search, is_configured))
    settings, log = deps.settings_service, deps.logging_service
    given = {"settingsService": settings, "loggingService": log} if plain else deps

    await create_web_search_tool_definition(given, registry=registry).execute({"query": "otter"})

    assert seen == [settings, ("otter", settings, log)]


def test_every_provider_has_the_documents_members(make_deps):
    """Those that we register ourselves (S4-03)."""
    without_keys = make_deps(keys=False)
    for provider in terminal.get_all_web_search_providers():
        assert provider.id == provider.id.strip().lower()
        assert provider.label
        assert inspect.iscoroutinefunction(provider.search)
        secret = (f"webSearch.{provider.id}.apiKey",)
        assert provider.sensitive_setting_keys in ((), secret)
        if provider.sensitive_setting_keys:
            configured = make_deps({secret[0]: "a key"}, keys=False)
            assert provider.is_configured(configured) >= provider.is_configured(without_keys)


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


@pytest.mark.usefixtures("processes")
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


async def test_a_provider_of_ones_own_is_registered_with_one_call(deps):
    """Any coroutine will do (S4-05, S4-49)."""

    async def search(query, given):
        return WebSearchResponse(query, [WebSearchResult("Mine", "https://m.example/", query)])

    registry = ProviderRegistry()
    registry.register(made_up("mine", search), is_default=True)
    tool = create_web_search_tool_definition(deps, registry=registry)

    assert "### 1. Mine" in await tool.execute({"query": "otter"})
    assert PROVIDERS.get("mine") is None
