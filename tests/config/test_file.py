"""A settings file: three formats, variables, and mistakes that are told with their line."""

from __future__ import annotations

import re
import sys

import pytest

from kensaku import Settings
from kensaku.config.secret import Secret
from kensaku.errors import ConfigError, MissingExtra, UsageError

from .test_settings import load


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.toml", "timeout = 4\n[providers.tavily]\napi_key = ['k1', 'k2']"),
        ("config.json", '{"timeout": 4, "providers": {"tavily": {"api_key": ["k1", "k2"]}}}'),
        ("config.yaml", "timeout: 4\nproviders:\n  tavily:\n    api_key: k1, k2"),
        ("config.yml", "timeout: 4\nproviders:\n  tavily:\n    api_key: k1, k2"),
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
        (
            "c.toml",
            "[providers.brave]\nrate = '1/s'\n[providers.tavily]\nrate = 'fast'",
            4,
            "write 1/s",
        ),
        ("c.toml", "[providers.a]\nx=1\n[providers.tavily]\nrate = 1", 0, "there is no provider"),
        ("c.toml", "providers = 5", 1, "expected sections"),
        ("c.toml", "[providers]\ntavily = 5", 1, "expected sections such as [providers.tavily]"),
        ("c.toml", "[cache]\nttl = 5\n[rank]\nttl = 6", 4, "there is no setting 'rank.ttl'"),
        ("c.toml", "mode = 'all'\n\ncache.tll = 5", 3, "there is no setting 'cache.tll'"),
        ("c.toml", '"time\\u006fut" = "x"', 0, "c.toml: timeout is 'x'; expected a number"),
        ("c.json", '{"cache":\n{"tll": 5}}', 2, "there is no setting 'cache.tll'"),
        ("c.yaml", "a: \x07", 1, "expected YAML: it does not parse"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_file_line_and_what_was_expected(
    name, text, line, expected, tmp_path
):
    """One sentence that somebody can act on; the file alone where the line is not found."""
    with pytest.raises(UsageError) as refused:
        load(tmp_path, text, name)

    told = str(refused.value)
    assert expected in told
    assert "\n" not in told
    if line:
        assert f"{tmp_path / name}, line {line}" in told


def test_a_mistake_in_toml_is_told_in_the_words_of_its_reader(tmp_path):
    """With the line of ours, and without its own."""
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, "timeout = 1\nroute = ")

    assert re.search(r"line 2: expected TOML: \w+[\w ]+$", refused.value.message)


@pytest.mark.parametrize("break_it", ["missing", "directory", "binary"])
def test_a_file_that_cannot_be_read_is_named(break_it, tmp_path):
    """A file that was asked for is not silently skipped."""
    path = tmp_path / "my.toml"
    if break_it == "directory":
        path.mkdir()
    elif break_it == "binary":
        path.write_bytes(b"\xff\xfe\x00")

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


# --- the edges


@pytest.mark.parametrize("name", ["c.toml", "c.json", "c.yaml", "c.yml"])
def test_an_empty_file_says_nothing(name, tmp_path):
    """It is no mistake."""
    assert load(tmp_path, "", name).timeout == 20


def test_the_largest_file_is_one_mebibyte(tmp_path):
    """To the byte."""
    text = "timeout = 4\n#" + "x" * (1_048_576 - 13)

    assert load(tmp_path, text).timeout == 4
    with pytest.raises(ConfigError, match="larger than 1 MiB"):
        load(tmp_path, text + "x")


def test_a_default_counts_where_a_variable_is_empty(tmp_path):
    """As in a shell; it may be empty itself. What is no text is left alone."""
    text = "dialect = '${A:-x}'\ntenant = '${B:-}'\nroute = ['a${A:-b}c${C}d']\ntimeout = 5"
    settings = load(tmp_path, text, environ={"A": "", "C": "-"})

    assert (settings.dialect, settings.tenant, settings.route) == ("x", "", ("abc-d",))
    assert settings.timeout == 5


def test_yaml_needs_its_extra(tmp_path, monkeypatch):
    """It is named."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra) as missing:
        load(tmp_path, "timeout: 4", "c.yaml")

    assert "kensaku-search[yaml]" in str(missing.value)
