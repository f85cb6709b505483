"""The dependencies: whatever a host has put together."""

from __future__ import annotations

from itertools import product

import pytest

from kensaku.compat.terminal import Deps, SettingsService, create_web_search_tool_definition
from kensaku.compat.terminal.deps import as_deps

from .doubles import OTTER, Log, with_answer


class Host:
    """An application's own object."""

    def __init__(self, **services: object) -> None:
        vars(self).update(services)


@pytest.mark.parametrize("style", [dict, Host])
async def test_the_services_of_a_host_are_found_by_their_usual_names(
    style, upstream, machine, monkeypatch
):
    """In the spelling of Python or of JavaScript, in a mapping or on an object."""
    for name, value in upstream.environment(keys=False, rate="9999/s").items():
        monkeypatch.setenv(name, value)
    with_answer(upstream, [OTTER])
    names = product(
        ("settings_service", "settingsService", "settings"),
        ("logging_service", "loggingService", "logging"),
    )
    for n, (settings, logging) in enumerate(names):
        log, stored = Log(), {"webSearch.tavily.apiKey": f"key-{n}"}
        async with as_deps(style(**{settings: stored, logging: log})) as deps:
            tool = create_web_search_tool_definition(deps)
            assert "### 1. Sea otters" in await tool.execute({"query": f"otter {n}"})
        assert upstream.requests[-1].headers["authorization"] == f"Bearer key-{n}"
        assert log.lines


def test_a_log_with_both_spellings_is_written_once():
    """`warning` before `warn`; what cannot be called is no method."""
    lines = []
    log = {"warning": "not a method", "warn": lambda *said: lines.append(said)}

    Deps({}, log).log("warning", "careful", {})
    Deps({}, {**log, "warning": lambda *said: lines.append(("first", *said))}).log(
        "warning", "careful", {}
    )

    assert lines == [("careful", {}), ("first", "careful", {})]


async def test_a_search_goes_on_with_the_settings_that_it_began_with(machine):
    """The client is another one when a setting changes; closing twice is fine."""
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})
    deps = Deps(settings, Log())
    first = deps.client
    assert deps.client is first

    settings.set("webSearch.tavily.apiKey", "tvly-new")
    second = deps.client

    assert second is not first
    assert [k.reveal() for k in second.settings.provider("tavily").keys] == ["tvly-new"]
    for _ in "12":
        await deps.close()
    assert deps.client not in (first, second)
    await deps.close()
