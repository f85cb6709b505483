"""Settings: who goes before whom, where each value came from, and what a mistake is told."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import asdict, fields, replace
from importlib.metadata import metadata
from pathlib import Path

import pytest

from kensaku import Kensaku, Settings, __version__
from kensaku.config.secret import Secret
from kensaku.config.settings import key_of, variable_of
from kensaku.errors import ConfigError, UnknownName, UsageError
from kensaku.providers import provider_class, provider_names
from tests import ROOT

DOCS = ROOT / "docs" / "configuration.md"


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


def test_the_file_in_home_is_found(tmp_path):
    """KENSAKU_HOME/config.toml, without being told; never the working directory."""
    (tmp_path / "config.toml").write_text("timeout = 7")

    assert Settings.load(environ={"KENSAKU_HOME": str(tmp_path)}).timeout == 7
    assert Settings.load(environ={"KENSAKU_HOME": str(tmp_path / "other")}).timeout == 20


def test_the_working_directory_is_not_looked_at(tmp_path, monkeypatch):
    """A cloned repository must not choose where keys are sent."""
    (tmp_path / "config.toml").write_text("timeout = 7")
    monkeypatch.chdir(tmp_path)

    assert Settings.load(environ={"HOME": str(tmp_path)}).timeout == 20


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.toml", "timeout = 4\n[providers.tavily]\napi_key = ['k1', 'k2']"),
        ("config.json", '{"timeout": 4, "providers": {"tavily": {"api_key": ["k1", "k2"]}}}'),
        ("config.yaml", "timeout: 4\nproviders:\n  tavily:\n    api_key: k1, k2"),
    ],
)
def test_toml_json_and_yaml_say_the_same(name, text, tmp_path):
    """By the suffix of the file."""
    settings = load(tmp_path, text, name)

    assert settings.timeout == 4
    assert settings.provider("tavily").keys == (Secret("k1"), Secret("k2"))


@pytest.mark.parametrize(
    ("name", "text", "line", "expected"),
    [
        ("c.toml", "timeout = 1\nroute = [", 2, "expected TOML"),
        ("c.toml", "a = 1\n\nb == 2\n", 3, "expected TOML"),
        ("c.json", '{\n"timeout": 1\n"mode": 2}', 3, "expected JSON"),
        ("c.yaml", "timeout: 1\nroute: [a\n", 3, "expected YAML"),
        ("c.json", "[1]", 1, "expected settings by name"),
        ("c.toml", "mode = 'all'\ntimeout = 'soon'", 2, "a number from 0.05 to 600"),
        ("c.toml", "max_results = 2.5", 1, "a whole number from 1 to 50"),
        ("c.toml", "keyless = 'perhaps'", 1, "true or false"),
        ("c.toml", "mode = 'some'", 1, "one of first, hedge, all"),
        ("c.toml", "[cache]\nurl = 1\nttl = 1", 2, "text"),
        ("c.toml", "[providers.tavily]\nrate = 'fast'", 2, "write 1/s"),
        ("c.toml", "[providers.tavily]\nbase_url = 'tavily'", 2, "http://"),
        ("c.toml", "[providers.tavily]\nenabled = 'perhaps'", 2, "true or false"),
        ("c.toml", "[providers.tavily]\napi_key = 5", 2, "names, separated by commas"),
        ("c.toml", "[providers.a]\nx=1\n[providers.tavily]\nrate = 1", 1, "there is no provider"),
        ("c.toml", "providers = 5", 1, "expected sections"),
        ("c.toml", "[cache]\nttl = 5\n[rank]\nttl = 6", 4, "there is no setting 'rank.ttl'"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_file_line_and_what_was_expected(
    name, text, line, expected, tmp_path
):
    """One sentence that somebody can act on."""
    with pytest.raises(UsageError) as refused:
        load(tmp_path, text, name)

    told = str(refused.value)
    assert expected in told
    assert "\n" not in told
    if "provider" not in expected:
        assert f"{tmp_path / name}, line {line}" in told


def test_a_mistake_in_toml_is_told_in_the_words_of_its_reader(tmp_path):
    """With the line of ours, and without its own."""
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, "timeout = 1\nroute = ")

    assert re.search(r"line 2: expected TOML: \w+[\w ]+$", refused.value.message)


def test_the_line_is_that_of_the_section(tmp_path):
    """Two sections have the same key: the second one's mistake is on its own line."""
    text = "[providers.brave]\nrate = '1/s'\n[providers.tavily]\nrate = 'fast'"

    with pytest.raises(ConfigError, match="line 4"):
        load(tmp_path, text)


@pytest.mark.parametrize("break_it", ["missing", "directory", "binary", "large"])
def test_a_file_that_cannot_be_read_is_named(break_it, tmp_path):
    """A file that was asked for is not silently skipped."""
    path = tmp_path / "my.toml"
    if break_it == "directory":
        path.mkdir()
    elif break_it == "binary":
        path.write_bytes(b"\xff\xfe\x00")
    elif break_it == "large":
        path.write_bytes(b"#" * (2**20 + 1))

    with pytest.raises(ConfigError) as refused:
        Settings.load(path, environ={})

    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("timeuot = 5", "timeout"),
        ("[cache]\nttll = 5", "cache.ttl"),
        ("[providers.tavly]\napi_key = 'k'", "tavily"),
        ("[providers.tavily]\napi_kye = 'k'", "api_key"),
    ],
)
def test_an_unknown_key_names_the_nearest(text, nearest, tmp_path):
    """It is nearly always misspelt."""
    with pytest.raises(UsageError) as refused:
        load(tmp_path, text)

    assert nearest in refused.value.remedy


def test_an_unknown_argument_names_the_nearest():
    """`Kensaku(timout=3)`."""
    with pytest.raises(UnknownName) as refused:
        Kensaku(timout=3)

    assert "timeout" in refused.value.remedy


def test_settings_and_single_settings_together_are_refused():
    """Or one of them would be ignored in silence."""
    with pytest.raises(ConfigError):
        Kensaku(Settings(), timeout=3)


# --- ${VAR}


def test_a_variable_is_filled_in(tmp_path):
    """From the environment, with a default where one is written."""
    text = (
        "route = ['${FIRST}', '${SECOND:-local}']\n"
        "[providers.tavily]\napi_key = '${KEY}'\nbase_url = '${URL:-http://127.0.0.1}'"
    )

    settings = load(tmp_path, text, environ={"FIRST": "tavily", "KEY": "k1,k2"})

    assert settings.route == ("tavily", "local")
    assert len(settings.provider("tavily").keys) == 2
    assert settings.provider("tavily").base_url == "http://127.0.0.1"


@pytest.mark.parametrize("off", ["enabled = false", "enabled = 'no'"])
def test_an_unset_variable_in_a_disabled_section_is_fine(off, tmp_path):
    """Nobody reads it."""
    settings = load(tmp_path, f"[providers.tavily]\n{off}\napi_key = '${{NOT_SET}}'")

    assert not settings.provider("tavily").enabled


def test_a_section_can_be_disabled_by_the_environment(tmp_path):
    """Then its variables may be unset, too."""
    text = "[providers.tavily]\napi_key = '${NOT_SET}'"

    settings = load(tmp_path, text, environ={"TAVILY_ENABLED": "false"})

    assert not settings.provider("tavily").enabled


def test_an_unset_variable_in_an_enabled_section_is_named(tmp_path):
    """With the file, the line, and what to do."""
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, "[providers.tavily]\napi_key = '${MY_TAVILY}'")

    assert "MY_TAVILY" in str(refused.value)
    assert "line 2" in str(refused.value)
    assert "${MY_TAVILY:-default}" in refused.value.remedy


# --- providers


def test_keys_come_by_comma_and_by_number():
    """TAVILY_API_KEY=a,b and TAVILY_API_KEY_2=c; the same key counts once."""
    environ = {"TAVILY_API_KEY": " a , b", "TAVILY_API_KEY_2": "c", "TAVILY_API_KEY_3": "a"}

    keys = Settings.load(environ=environ).provider("tavily").keys

    assert [k.reveal() for k in keys] == ["a", "b", "c"]


@pytest.mark.parametrize("name", [n for n in provider_names() if n != "local"])
def test_every_provider_has_a_base_url_variable(name):
    """`<PROVIDER>_BASE_URL` for each of them; Tavily's own name works, too."""
    variable = f"{name.upper()}_BASE_URL"

    settings = Settings.load(environ={variable: "http://127.0.0.1:1/"})

    assert settings.provider(name).base_url == "http://127.0.0.1:1"
    assert settings.origins[f"providers.{name}.base_url"] == f"environment {variable}"


def test_tavilys_own_variable_for_its_address_works():
    """TAVILY_API_BASE_URL is what its clients read."""
    environ = {"TAVILY_API_BASE_URL": "http://127.0.0.1:1"}

    assert Settings.load(environ=environ).provider("tavily").base_url == "http://127.0.0.1:1"


@pytest.mark.parametrize("variable", ["TAVILY_ENABLED", "TAVILY_RATE", "TAVILY_BASE_URL"])
def test_a_wrong_value_of_a_variable_names_the_variable(variable):
    """The origin stands in front."""
    with pytest.raises(ConfigError, match=f"environment {variable}"):
        Settings.load(environ={variable: "nonsense"})


# --- secrets


def test_a_secret_shows_itself_to_nobody():
    """Not by repr, str, format, vars, JSON or a pickle; a long one by its last four characters."""
    secret = Secret("tvly-0123456789abcdef")

    shown = [repr(secret), str(secret), f"{secret}", repr([secret]), repr({secret: secret})]
    assert not any("0123" in text for text in shown)
    assert secret.masked == "…cdef"
    assert Secret("short").masked == "…"
    with pytest.raises(TypeError):
        vars(secret)
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        pickle.dumps(secret)


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


# --- the documentation


def documented() -> str:
    if not DOCS.exists():
        pytest.skip("docs/configuration.md is not written yet")
    return DOCS.read_text(encoding="utf-8")


def test_every_setting_and_its_variable_is_documented():
    """A rule we care about becomes a test."""
    text = documented()
    names = [f.name for f in fields(Settings) if f.metadata]

    missing = [v for v in map(variable_of, names) if f"`{v}`" not in text]
    missing += [k for k in map(key_of, names) if f"`{k}`" not in text]
    assert not missing


def test_every_variable_of_a_provider_is_documented():
    """Keys, addresses and options."""
    text = documented()
    classes = [provider_class(n) for n in provider_names()]

    names = {v for c in classes for v in (c.key_variable, *c.options.values()) if v}
    assert not [n for n in sorted(names) if n not in text]


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


def test_one_rule_names_a_setting_in_all_three_places():
    """`cache_ttl`, `cache.ttl`, `KENSAKU_CACHE_TTL`."""
    for f in fields(Settings):
        if f.metadata:
            assert key_of(f.name).replace(".", "_") == f.name
            assert variable_of(f.name) == "KENSAKU_" + f.name.upper()


def test_the_other_names_of_two_variables_work():
    """What the environment of agents already has."""
    home = {"KENSAKU_HOME": "/nowhere"}

    assert Settings.load(environ={"WEB_SEARCH_PROVIDER": "brave", **home}).route == ("brave",)
    assert not Settings.load(environ={"KENSAKU_CACHE": "off", **home}).cache_enabled


def test_the_default_user_agent_says_where_to_reach_us():
    """Wikimedia asks every client for a contact, and this is the project's own address."""
    urls = dict(line.split(", ") for line in metadata("kensaku").get_all("Project-URL"))

    assert Settings().user_agent == (
        f"Kensaku/{'.'.join(__version__.split('.')[:2])} (+{urls['Source']})"
    )


def test_what_is_set_for_a_provider_is_described(tmp_path):
    """The rate and the address as they are; keys and options are not shown."""
    settings = load(
        tmp_path,
        '[providers.brave]\napi_key = "secret-key-1234"\nrate = "5/s"\nbase_url = "http://b.example"',
    )
    rows = {row[0]: row[1] for row in settings.described()}

    assert rows["providers.brave.rate"] == "5/s"
    assert rows["providers.brave.base_url"] == "http://b.example"
    assert "secret" not in rows["providers.brave.api_key"]
