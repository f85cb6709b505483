"""Settings: who goes before whom, where each value came from, and what a mistake is told."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import asdict, fields, replace
from importlib.metadata import metadata
from math import inf, nextafter
from pathlib import Path

import pytest

from kensaku import Kensaku, Settings, __version__
from kensaku.config.secret import Secret
from kensaku.config.settings import environment, key_of, settings_file
from kensaku.errors import ConfigError, UnknownName
from kensaku.providers import provider_names


def load(tmp_path, text="", name="config.toml", environ=None, **arguments):
    """Settings from a file with this text."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return Settings.load(
        path, environ={"KENSAKU_HOME": str(tmp_path), **(environ or {})}, **arguments
    )


def test_the_nearest_source_goes_first(tmp_path):
    """Default < file < environment < argument, one by one."""
    file, environ = (
        "timeout = 1\nmax_results = 1\nmode = 'all'",
        {
            "KENSAKU_TIMEOUT": "2",
            "KENSAKU_MAX_RESULTS": "2",
        },
    )

    settings = load(tmp_path, file, environ=environ, timeout=3)

    assert (settings.timeout, settings.max_results, settings.mode) == (3, 2, "all")
    assert settings.rank_per_domain == 3
    assert settings.origins["timeout"] == "argument"
    assert settings.origins["max_results"] == "environment KENSAKU_MAX_RESULTS"
    assert settings.origins["mode"] == f"{tmp_path / 'config.toml'}, line 3"
    assert "rank.per_domain" not in settings.origins


def test_every_setting_is_described_with_its_origin(tmp_path):
    """What `kensaku config` prints."""
    rows = {row[0]: row for row in load(tmp_path, "[cache]\nttl = 5").described()}

    assert rows["cache.ttl"][1:3] == ("5.0", f"{tmp_path / 'config.toml'}, line 2")
    assert rows["timeout"][1:3] == ("20.0", "default")
    assert all(about for key, _, _, about in rows.values() if not key.startswith("providers."))


def test_the_working_directory_is_not_looked_at(tmp_path, monkeypatch):
    """A cloned repository must not choose where keys are sent."""
    (tmp_path / "config.toml").write_text("timeout = 7")
    monkeypatch.chdir(tmp_path)

    assert Settings.load(environ={"HOME": str(tmp_path)}).timeout == 20


def test_an_unknown_argument_names_the_nearest():
    """`Kensaku(timout=3)`."""
    with pytest.raises(UnknownName) as refused:
        Kensaku(timout=3)

    assert "timeout" in refused.value.remedy


def test_settings_and_single_settings_together_are_refused():
    """Or one of them would be ignored in silence."""
    with pytest.raises(ConfigError):
        Kensaku(Settings(), timeout=3)


# --- providers


@pytest.mark.parametrize("name", [n for n in provider_names() if n != "local"])
def test_every_provider_has_a_base_url_variable(name):
    """`<PROVIDER>_BASE_URL` for each of them; Tavily's own name works, too."""
    variable = f"{name.upper()}_BASE_URL"

    settings = Settings.load(environ={variable: "http://127.0.0.1:1/"})

    assert settings.provider(name).base_url == "http://127.0.0.1:1"
    assert settings.origins[f"providers.{name}.base_url"] == f"environment {variable}"


@pytest.mark.parametrize("variable", ["TAVILY_ENABLED", "TAVILY_RATE", "TAVILY_BASE_URL"])
def test_a_wrong_value_of_a_variable_names_the_variable(variable):
    """The origin stands in front."""
    with pytest.raises(ConfigError, match=f"environment {variable}"):
        Settings.load(environ={variable: "nonsense"})


# --- secrets


def test_keys_and_passwords_are_masked_wherever_settings_are_shown(tmp_path):
    """repr, and what `kensaku config` prints."""
    settings = load(
        tmp_path,
        environ={
            "TAVILY_API_KEY": "tvly-0123456789abcdef",
            "BRAVE_BASE_URL": "https://user:hunter2@brave.example",
            "KENSAKU_STATE_URL": "valkey://:hunter2@host",
            "KENSAKU_CACHE_URL": "valkey://:hunter2@host",
            "KENSAKU_PROXY": "http://user:hunter2@proxy.example",
            "KENSAKU_LLM_API_KEY": "sk-0123456789abcdef",
        },
    )

    shown = repr(settings) + repr(settings.described()) + str(settings.providers)
    assert "hunter2" not in shown
    assert "0123" not in shown
    assert "…cdef" in shown


def test_a_key_of_the_wrong_kind_is_not_repeated(tmp_path):
    """A mistake in the file must not print the key."""
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, "[providers.tavily]\napi_key = { live = 'tvly-0123' }")

    assert "tvly" not in str(refused.value)


# --- the bounds of numbers


NUMBERS = {f.name: f.type for f in fields(Settings) if f.type in ("int", "float")}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_taken_up_to_the_bounds_that_its_refusal_names(name: str) -> None:
    """A limit that is off by one is found by the user at the limit; half a result is a mistake."""
    whole = NUMBERS[name] == "int"
    with pytest.raises(ConfigError) as refused:
        Settings(**{name: "many"})
    said = re.search(r"expected a (whole )?number from (\S+) to (\S+)$", refused.value.message)
    assert said
    assert bool(said[1]) is whole
    low, high = (float(bound.replace(",", "")) for bound in said.groups()[1:])
    below, above = (low - 1, high + 1) if whole else (low - 1e-9, nextafter(high, inf))

    assert getattr(Settings(**{name: int(low) if whole else low}), name) == low
    assert getattr(Settings(**{name: f"{high:.0f}"}), name) == high
    for beyond in (below, above, inf, -inf, "nan", True, *([high - 0.5] if whole else [])):
        with pytest.raises(ConfigError):
            Settings(**{name: beyond})


# --- values


@pytest.mark.parametrize(
    "wrong", [{"mode": "frist"}, {"timeout": -1}, {"max_results": "many"}, {"fetch_allow": 5}]
)
def test_settings_are_checked_however_they_are_made(wrong):
    """By the constructor, by `replace`, and by `load`."""
    for make in (Settings, lambda **v: replace(Settings(), **v), lambda **v: Settings.load(**v)):
        with pytest.raises(ConfigError, match="expected"):
            make(**wrong)


def test_settings_are_written_in_one_way():
    """Text from anywhere becomes the value that the attribute promises."""
    settings = Settings(timeout="3", route="tavily, local", home="~/x", index_api_key="k")

    assert settings.timeout == 3.0
    assert settings.route == ("tavily", "local")
    assert settings.home == Path.home() / "x"
    assert settings.index_api_key == Secret("k")


def test_settings_with_keys_can_be_copied_but_not_pickled():
    """A copy is in this process; a pickle goes somewhere else."""
    settings = Settings.load(environ={"TAVILY_API_KEY": "tvly-x", "KENSAKU_HOME": "/nowhere"})

    assert copy.deepcopy(settings) == settings
    assert asdict(settings)["providers"]["tavily"]["keys"] == (Secret("tvly-x"),)
    with pytest.raises(TypeError):
        pickle.dumps(settings)


def test_the_other_names_of_two_variables_work():
    """What the environment of agents already has."""
    home = {"KENSAKU_HOME": "/nowhere"}

    assert Settings.load(environ={"WEB_SEARCH_PROVIDER": "brave", **home}).route == ("brave",)
    assert not Settings.load(environ={"KENSAKU_CACHE": "off", **home}).cache_enabled


def test_the_default_user_agent_says_where_to_reach_us():
    """Wikimedia asks every client for a contact, and this is the project's own address."""
    urls = dict(line.split(", ") for line in metadata("kensaku-search").get_all("Project-URL"))

    assert Settings().user_agent == (
        f"Kensaku/{'.'.join(__version__.split('.')[:2])} (+{urls['Source']})"
    )


# --- where the file is


def test_the_file_is_found_by_argument_then_by_variable_then_at_home(tmp_path, monkeypatch):
    """`config.toml` before `config.yaml`; without KENSAKU_HOME in ~/.config/kensaku."""
    home, own = tmp_path / "home", tmp_path / ".config" / "kensaku"
    for folder in (home, own):
        folder.mkdir(parents=True)
    (own / "config.yaml").write_text("timeout: 1")
    (home / "config.yaml").write_text("timeout: 2")
    (tmp_path / "by-variable.toml").write_text("timeout = 3")
    (tmp_path / "by-argument.toml").write_text("timeout = 4")
    monkeypatch.setenv("HOME", str(tmp_path))

    def found(file=None, **env):
        return Settings.load(file, environ=env).timeout, settings_file(env)

    assert found() == (1, own / "config.yaml")
    assert found(KENSAKU_HOME=str(home)) == (2, home / "config.yaml")
    (home / "config.toml").write_text("timeout = 5")
    assert found(KENSAKU_HOME="~/home") == (5, home / "config.toml")
    chosen = {"KENSAKU_CONFIG": "~/by-variable.toml", "KENSAKU_HOME": str(home)}
    assert found(**chosen) == (3, tmp_path / "by-variable.toml")
    assert found("~/by-argument.toml", **chosen)[0] == 4


def test_where_no_file_is_one_can_be_created(tmp_path, monkeypatch):
    """In the home, or in ~/.config/kensaku."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert settings_file({}) == tmp_path / ".config" / "kensaku" / "config.toml"
    assert settings_file({"KENSAKU_HOME": "/x"}) == Path("/x/config.toml")


def test_a_blank_variable_is_none_and_the_second_name_counts(tmp_path):
    """An empty line of an .env file is no value."""
    environ = {"KENSAKU_TIMEOUT": " ", "KENSAKU_ROUTE": "", "WEB_SEARCH_PROVIDER": "brave"}
    settings = load(tmp_path, "timeout = 4", environ=environ)

    assert (settings.timeout, settings.route) == (4, ("brave",))
    assert settings.origins == {
        "home": "environment KENSAKU_HOME",
        "route": "environment WEB_SEARCH_PROVIDER",
        "timeout": f"{tmp_path / 'config.toml'}, line 1",
    }
    both = load(tmp_path, environ={"KENSAKU_ROUTE": "exa", "WEB_SEARCH_PROVIDER": "brave"})
    assert both.route == ("exa",)


def test_the_environment_of_the_process_is_read(monkeypatch):
    """Unless another one is given."""
    monkeypatch.setenv("KENSAKU_TIMEOUT", "7")

    assert Settings.load().timeout == 7
    assert Settings.load(environ={}).timeout == 20
    assert environment()["KENSAKU_TIMEOUT"] == "7"


def test_no_file_of_another_program_is_read(tmp_path):
    """Nor may one name an address that keys are sent to; `compat.terminal` reads it (S4-46)."""
    for place in (".", ".config/term2", ".local/state/term2-nodejs"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "settings.json").write_text('{"webSearch": {"provider": "brave"}}')
    environ = {"KENSAKU_HOME": str(tmp_path), "HOME": str(tmp_path)}

    assert Settings.load(environ=environ).route == ("auto",)


def test_a_layer_below_counts_where_nothing_of_ours_does():
    """It comes with its origins; the environment goes first."""
    below = {"route": ("exa", "theirs, line 1"), "providers.exa.api_key": ("k", "theirs, line 2")}

    settings = Settings.load(environ={}, below=below)
    ours = Settings.load(environ={"WEB_SEARCH_PROVIDER": "you"}, below=below)

    assert (settings.route, settings.origins["route"]) == (("exa",), "theirs, line 1")
    assert settings.provider("exa").keys[0].reveal() == "k"
    assert ours.route == ("you",)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("route", ("tavily", "local"), "tavily, local"),
        ("timeout", 3, "3.0"),
        ("llm_api_key", "sk-0123456789abcdef", "…cdef"),
        ("llm_api_key", None, "None"),
        ("state_url", "valkey://:hunter2@host", "valkey://…@host"),
        ("dialect", "a@b", "a@b"),
        ("cache_enabled", False, "False"),
    ],
)
def test_a_value_is_shown_for_people(name, value, shown):
    """Lists with commas, secrets by their end, addresses without a password."""
    rows = {row[0]: row[1] for row in Settings(**{name: value}).described()}

    assert rows[key_of(name)] == shown


@pytest.mark.parametrize(
    "variable",
    [
        *("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_API_BASE_URL"),
        *("TELEGRAM_BOT_TOKEN", "TELEGRAM_API_BASE_URL", "TELEGRAM_WEBHOOK_SECRET"),
    ],
)
def test_the_usual_variables_of_a_channel_work(variable):
    """What the environment of a bot already has."""
    value = getattr(Settings.load(environ={variable: "http://x"}), variable.lower())

    assert (value.reveal() if isinstance(value, Secret) else value) == "http://x"
