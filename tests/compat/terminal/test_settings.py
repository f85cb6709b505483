"""Settings: arguments, environment, file and defaults."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path

import pytest

from kensaku.compat.terminal import (
    DEFAULT_SETTINGS,
    SETTING_KEYS,
    Deps,
    SettingsService,
    create_web_search_tool_definition,
)
from kensaku.compat.terminal.settings import core_settings
from kensaku.errors import ConfigError

from .doubles import OTTER, with_answer


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
    """`~/.config/kensaku/settings.json` with the same section; the assistant's own is read only
    when it is named (S4-46)."""
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
    for name in ("apiKey", "accessToken", "clientSecret"):  # of a provider that nobody declared
        assert settings.set(f"webSearch.mine.{name}", "x") is False
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


def test_the_file_is_written_for_people(machine):
    """Four spaces, letters as they are, a line end; sections are made as they are needed."""
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine / "new")})

    settings.set("webSearch.searxng.baseUrl", "http://検索.example")

    assert settings.path.read_text() == (
        '{\n    "webSearch": {\n        "searxng": {\n'
        '            "baseUrl": "http://検索.example"\n        }\n    }\n}\n'
    )
    assert stat.S_IMODE(settings.path.parent.stat().st_mode) == 0o700
    assert settings.set("webSearch.exa.apiKey", None) is True  # it was not there


def test_a_value_is_no_section(machine):
    """Nothing is written then."""
    file = settings_file(machine, text := '{"webSearch": {"tavily": "x"}}')
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)})

    with pytest.raises(ConfigError, match="tavily is not a section"):
        settings.set("webSearch.tavily.baseUrl", "http://a.example")

    assert file.read_text() == text


def test_a_link_to_the_file_stays_a_link(machine, tmp_path):
    """People keep their settings under version control."""
    machine.mkdir()
    real = tmp_path / "real.json"
    real.write_text("{}")
    (machine / "settings.json").symlink_to(real)

    SettingsService(environ={"KENSAKU_HOME": str(machine)}).set("webSearch.provider", "exa")

    assert (machine / "settings.json").is_symlink()
    assert json.loads(real.read_text()) == {"webSearch": {"provider": "exa"}}


@pytest.mark.parametrize(
    ("route", "provider"),
    [({}, "tavily"), ({"WEB_SEARCH_PROVIDER": "exa"}, "exa"),
     ({"WEB_SEARCH_PROVIDER": "exa,brave"}, "auto")],
)  # fmt: skip
def test_several_providers_in_a_row_are_the_whole_route(machine, route, provider):
    """Which is a provider here, too."""
    settings = SettingsService(environ={"KENSAKU_HOME": str(machine)} | route)

    assert settings.get("webSearch.provider") == provider


def test_what_is_set_here_overrides_the_settings_of_the_client(machine):
    """Several keys, the address without its slash, and options; the rest stays."""
    environ = {
        "KENSAKU_HOME": str(machine),
        "GOOGLE_CX": "cx-of-environment",
        "GOOGLE_BASE_URL": "http://of-environment.example",
        "EXA_API_KEY": "exa-of-environment",
    }
    arguments = {
        "webSearch.google.apiKey": " one, ,two ",
        "webSearch.brave.baseUrl": "http://brave.example//",
    }

    core = core_settings(SettingsService(arguments, environ=environ))

    google = core.provider("google")
    assert [k.reveal() for k in google.keys] == ["one", "two"]
    assert google.options == {"cx": "cx-of-environment"}
    assert google.base_url == "http://of-environment.example"
    assert core.provider("brave").base_url == "http://brave.example"
    assert [k.reveal() for k in core.provider("exa").keys] == ["exa-of-environment"]
    assert core.provider("tavily").base_url is None
