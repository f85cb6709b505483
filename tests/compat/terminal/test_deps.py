"""The dependencies: whatever a host has put together, and the log of ours."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from kensaku.compat.terminal import Deps, SettingsService
from kensaku.compat.terminal.deps import LoggingService, as_deps, borrowed

from .doubles import Log


@pytest.mark.parametrize("style", [dict, SimpleNamespace])
@pytest.mark.parametrize("settings", ["settings_service", "settingsService", "settings"])
@pytest.mark.parametrize("log", ["logging_service", "loggingService", "logging"])
def test_the_services_of_a_host_are_found_by_their_usual_names(style, settings, log):
    """In the spelling of Python or of JavaScript, in a mapping or on an object."""
    stored, kept = {"webSearch.provider": "exa"}, Log()

    deps = as_deps(style(**{settings: stored, log: kept}))

    assert deps.settings_service is stored
    assert deps.logging_service is kept


def test_what_a_host_has_not_is_ours(machine):
    """The settings of this machine, and the log of this program."""
    deps = as_deps({})

    assert isinstance(deps.settings_service, SettingsService)
    assert isinstance(deps.logging_service, LoggingService)
    assert as_deps(deps) is deps


def test_our_log_leaves_queries_out_above_debug(caplog):
    """What people search for is theirs."""
    caplog.set_level(logging.DEBUG, "kensaku.term")
    deps = Deps({}, LoggingService())

    for level in ("debug", "warning", "error"):
        deps.log(level, "searching", {"query": "otters", "n": 1})
    LoggingService().debug("plain")
    LoggingService().warning("plain")
    LoggingService().error("plain")

    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
        ("kensaku.term", "DEBUG", "searching {'query': 'otters', 'n': 1}"),
        ("kensaku.term", "WARNING", "searching {'n': 1}"),
        ("kensaku.term", "ERROR", "searching {'n': 1}"),
        ("kensaku.term", "DEBUG", "plain {}"),
        ("kensaku.term", "WARNING", "plain {}"),
        ("kensaku.term", "ERROR", "plain {}"),
    ]


def test_a_log_with_both_spellings_is_written_once():
    """`warning` before `warn`; what cannot be called is no method."""
    lines = []
    log = {"warning": "not a method", "warn": lambda *said: lines.append(said)}

    Deps({}, log).log("warning", "careful", {})
    Deps({}, {**log, "warning": lambda *said: lines.append(("first", *said))}).log(
        "warning", "careful", {}
    )

    assert lines == [("careful", {}), ("first", "careful", {})]


async def test_the_client_is_made_again_when_a_setting_changes(machine):
    """The former one is kept until the end: a search may be under way with it."""
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})
    deps = Deps(settings, Log())
    first = deps.client
    assert deps.client is first

    settings.set("webSearch.tavily.apiKey", "tvly-new")
    second = deps.client

    assert second is not first
    assert [k.reveal() for k in second.settings.provider("tavily").keys] == ["tvly-new"]
    closed = []
    for client in (first, second):
        client.close = _noting(closed, client)
    await deps.close()
    await deps.close()
    assert closed == [first, second]
    assert deps.client not in (first, second)
    await deps.close()


def _noting(closed, client):
    async def close():
        closed.append(client)

    return close


async def test_what_is_borrowed_from_a_host_is_closed_and_ours_is_not(machine):
    """Who made it closes it, also when the work fails."""
    own = Deps({}, Log())
    own._client = SimpleNamespace(close=None)
    async with borrowed(own) as deps:
        assert deps is own
    assert own._client is not None

    closed = []

    async def work() -> None:
        async with borrowed({"settings": {}, "logging": Log()}) as deps:
            deps._client = SimpleNamespace(close=_noting(closed, "theirs"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await work()
    assert closed == ["theirs"]
