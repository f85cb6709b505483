"""What a host gives: plain objects, logs that can do little; and providers that need no key."""

from __future__ import annotations

import gc
import warnings
from types import SimpleNamespace

import pytest

from kensaku.compat.terminal import (
    SettingsService,
    create_web_search_tool_definition,
    get_configured_web_search_provider,
    get_web_search_provider,
)
from kensaku.models import Document
from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing import faults

from .doubles import KELP, OTTER, with_answer

KEYLESS = [  # they take a key, and do without
    n for n in BUILT_IN
    if provider_class(n).keyless and provider_class(n).key_variable and n != "tavily"
]  # fmt: skip
WITHOUT_KEYS = [n for n in BUILT_IN if provider_class(n).key_variable is None]


class Lines(list):
    """What was logged, by whatever method there is."""

    def method(self, level: str):
        return lambda message, meta: self.append((level, message, dict(meta)))


@pytest.fixture
def host(upstream, machine, monkeypatch):
    """`host("debug", "error", **{"webSearch.provider": "x"})`: an application's own object."""
    for name, value in upstream.environment(keys=False).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KENSAKU_STATE_URL", "memory:")

    def make(*methods: str, style=dict, **settings: str):
        lines = Lines()
        stored = {"webSearch.tavily.apiKey": "tvly-of-the-host"} | settings
        log = SimpleNamespace(**{m: lines.method(m) for m in methods})
        get = SimpleNamespace(get=lambda key: stored.get(key))
        return style(settingsService=get, loggingService=log), lines

    return make


@pytest.mark.parametrize("style", [dict, SimpleNamespace])
@pytest.mark.parametrize(
    ("methods", "levels"),
    [
        (("debug", "error"), set()),
        ((), set()),
        (("info", "warn", "error", "debug", "security"), {"warn"}),
        (("warning",), {"warning"}),
    ],
)
async def test_an_unknown_provider_falls_back_whatever_the_log_can_do(
    host, upstream, methods, levels, style
):
    """A warning if the log has one; the default is used (S4-11, S4-04)."""
    with_answer(upstream, [OTTER])
    deps, lines = host(*methods, style=style, **{"webSearch.provider": "altavista"})

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert "### 1. Sea otters" in text
    assert get_configured_web_search_provider(deps).id == "tavily"
    assert {level for level, message, _ in lines if "altavista" in message} == levels
    assert upstream.requests[0].headers["authorization"] == "Bearer tvly-of-the-host"


async def test_a_hosts_own_object_leaves_no_connection_open(host, upstream):
    """It has nobody who would close one: not after five definitions, nor after an error (S4-04)."""
    with_answer(upstream, [OTTER])
    upstream.fails("tavily", faults.status(401), times=1)
    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always", ResourceWarning)
        for n in range(5):
            deps, _ = host("debug", "error")
            definition = create_web_search_tool_definition(deps)
            text = await definition.execute({"query": f"otter {n}"})
            assert text.startswith("## Search Results" if n else "Error: Tavily API error (401)")
        del definition, deps
        gc.collect()

    assert len(upstream.requests) == 5
    assert [str(w.message) for w in unclosed if w.category is ResourceWarning] == []


async def test_a_provider_takes_the_hosts_own_object(host, upstream):
    """As the author's tests call it (S4-03, S4-04, S4-20)."""
    with_answer(upstream, [OTTER])
    deps, lines = host("debug", "error")
    tavily = get_web_search_provider("tavily")

    assert tavily.is_configured({"settingsService": deps["settingsService"]}) is True
    assert tavily.is_configured({"settingsService": {"webSearch.tavily.apiKey": ""}}) is False
    found = await tavily.search("otter", deps)

    assert [r.title for r in found.results] == ["Sea otters"]
    assert [message for _, message, _ in lines] == [
        "Executing Tavily web search",
        "Tavily search completed",
    ]


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (500, "upstream database is down", "upstream database is down"),
        (503, "<html><body><h1>503</h1> Try   later</body></html>", "503 Try later"),
        (500, "line one\nline two\x1b[31m", "line one line two"),
        (500, {"detail": {"error": "boom"}}, "boom"),
        (500, {"odd": ["shape"]}, '{"odd": ["shape"]}'),
        (500, "refused: Bearer tvly-of-the-host", "refused: Bearer …"),
        (500, "", "it is out of order (HTTP 500)"),
    ],
)
async def test_an_http_error_has_its_status_and_its_text(host, upstream, status, body, told):
    """As the document writes it, on one line, without the key (S4-17, S4-29, S4-54)."""
    upstream.fails("tavily", faults.status(status, body))
    deps, lines = host("debug", "error")

    text = await create_web_search_tool_definition(deps).execute({"query": "otter"})

    assert text == f"Error: Tavily API error ({status}): {told}"
    assert ("error", "Tavily API error", {"status": status, "error": told}) in lines
    assert "tvly-of-the-host" not in str(lines)


async def test_the_text_of_an_error_is_bounded(host, upstream):
    """A gateway may send a page of megabytes (S4-17)."""
    upstream.fails("tavily", faults.status(500, "x " * 1_000_000))
    deps, _ = host("error")

    assert len(await create_web_search_tool_definition(deps).execute({"query": "otter"})) < 400


# --- providers that need no key


@pytest.mark.parametrize("name", [n for n in (*KEYLESS, *WITHOUT_KEYS) if n != "local"])
async def test_a_keyless_provider_searches_without_a_key(make_deps, upstream, name):
    """It is configured as it is, sends no key, and declares a secret only where one may be given
    (S4-20, S4-40, S4-47)."""
    upstream.answers(name, [KELP])
    deps = make_deps(keys=False, WEB_SEARCH_PROVIDER=name)
    provider = get_configured_web_search_provider(deps)

    text = await create_web_search_tool_definition(deps).execute({"query": "kelp"})

    assert provider.id == name
    assert provider.is_configured(deps) is True
    has_key = provider_class(name).key_variable is not None
    assert provider.sensitive_setting_keys == ((f"webSearch.{name}.apiKey",) if has_key else ())
    assert "### 1. Kelp" in text
    sent = upstream.asked(name)
    assert sent
    assert not any("test-key" in str(r.headers) + r.target + r.body.decode() for r in sent)


@pytest.mark.parametrize("name", KEYLESS)
async def test_a_keyless_provider_uses_a_key_that_is_there(make_deps, upstream, name):
    """It raises the limits (S4-41, S4-47)."""
    upstream.answers(name, [KELP])
    deps = make_deps({f"webSearch.{name}.apiKey": "given-key-123"}, keys=False,
                     WEB_SEARCH_PROVIDER=name)  # fmt: skip

    await create_web_search_tool_definition(deps).execute({"query": "kelp"})

    assert any("given-key-123" in str(r.headers) + r.target for r in upstream.asked(name))


async def test_the_local_index_is_a_provider_without_key_or_address(make_deps, upstream):
    """(S4-20, S4-40)"""
    deps = make_deps(keys=False, WEB_SEARCH_PROVIDER="local")
    await deps.client.index.add([Document("https://k.example/", "Kelp", "Kelp grows fast.")])

    text = await create_web_search_tool_definition(deps).execute({"query": "kelp"})

    assert get_web_search_provider("local").is_configured(deps) is True
    assert "### 1. Kelp" in text
    assert upstream.requests == []


def test_a_provider_without_an_address_is_not_configured(machine):
    """SearXNG has no public instance of its own (S4-20, S4-27)."""
    searxng = get_web_search_provider("searxng")
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})

    assert searxng.is_configured({"settingsService": settings}) is False
    settings.set("webSearch.searxng.baseUrl", "http://127.0.0.1:8888")
    assert searxng.is_configured({"settingsService": settings}) is True
