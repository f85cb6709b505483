"""What is configured for a provider: its section, its variables, and which of them counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.config.providers import ProviderSettings
from kensaku.config.secret import Secret
from kensaku.config.settings import secrets_in

from .test_settings import load

FILE = """
[providers.google]
api_key = ["key-one-0123456789", "key-two"]
base_url = "https://user:pass%20word@g.example/"
rate = "5/s"
cx = "engine-id"
"""


def test_a_whole_section_is_read_and_described(tmp_path: Path) -> None:
    """Keys by their end, the address without its password, options not at all."""
    settings = load(tmp_path, FILE)
    file = tmp_path / "config.toml"

    assert settings.provider("google") == ProviderSettings(
        keys=(Secret("key-one-0123456789"), Secret("key-two")),
        base_url="https://user:pass%20word@g.example",
        rate="5/s",
        options={"cx": "engine-id"},
    )
    assert [row for row in settings.described() if row[0].startswith("providers.")] == [
        ("providers.google.api_key", "…6789, …", f"{file}, line 3", ""),
        ("providers.google.base_url", "https://…@g.example", f"{file}, line 4", ""),
        ("providers.google.rate", "5/s", f"{file}, line 5", ""),
        ("providers.google.cx", "…", f"{file}, line 6", ""),
    ]
    assert settings.provider("brave") == ProviderSettings()


def test_every_secret_of_the_settings_can_be_listed(tmp_path: Path) -> None:
    """What is taken out of a text: keys, passwords of addresses, options."""
    environ = {"KENSAKU_LLM_API_KEY": "sk-1", "KENSAKU_PROXY": "http://u:hunter2@p.example",
               "KENSAKU_CACHE_URL": "valkey://host"}  # fmt: skip
    settings = load(tmp_path, FILE, environ=environ)

    assert secrets_in(settings) == (
        "sk-1", "hunter2", "key-one-0123456789", "key-two", "engine-id", "pass word",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("environ", "keys"),
    [
        (
            {"BRAVE_API_KEY": " a , b", "BRAVE_API_KEY_2": "c", "BRAVE_API_KEY_3": "a"},
            ["a", "b", "c"],
        ),
        ({"BRAVE_API_KEY": "a", "BRAVE_SEARCH_API_KEY": "b"}, ["a"]),
        ({"BRAVE_API_KEY": "  ", "BRAVE_SEARCH_API_KEY": " b "}, ["b"]),
        ({"BRAVE_API_KEY_2": "c,d", "BRAVE_API_KEY_9": "e"}, ["c", "d", "e"]),
        ({"BRAVE_API_KEY_1": "no", "BRAVE_API_KEY_10": "no"}, []),
        ({"BRAVE_SEARCH_API_KEY_2": "f", "BRAVE_API_KEY": "a"}, ["a", "f"]),
        ({}, ["of-file"]),
        ({"BRAVE_API_KEY_3": "g"}, ["of-file", "g"]),
    ],
)
def test_keys_have_several_names(environ: dict[str, str], keys: list[str], tmp_path: Path) -> None:
    """The first variable that has any, then the numbered ones from 2 to 9; a key counts once."""
    text = "[providers.brave]\napi_key = 'of-file'" if "of-file" in keys else ""
    settings = load(tmp_path, text, environ=environ)

    assert [key.reveal() for key in settings.provider("brave").keys] == keys


@pytest.mark.parametrize(
    ("variable", "value", "attribute", "expected"),
    [
        ("GOOGLE_BASE_URL", " https://g.example// ", "base_url", "https://g.example"),
        ("GOOGLE_API_BASE_URL", "http://g.example", "base_url", "http://g.example"),
        ("GOOGLE_RATE", "7/m", "rate", "7/m"),
        ("GOOGLE_CX", " abc ", "options", {"cx": "abc"}),
        ("GOOGLE_ENABLED", "off", "enabled", False),
        ("GOOGLE_ENABLED", "on", "enabled", True),
        ("EXA_MCP_BASE_URL", "http://x", "base_url", "http://x"),
    ],
)
def test_a_variable_sets_what_its_name_says(
    variable: str, value: str, attribute: str, expected: object
) -> None:
    """The origin is the variable."""
    name = "exa_mcp" if variable.startswith("EXA") else "google"
    settings = Settings.load(environ={variable: value, "KENSAKU_HOME": "/nowhere"})

    assert getattr(settings.provider(name), attribute) == expected
    assert f"environment {variable}" in settings.origins.values()


def test_one_address_counts_over_the_other_and_over_the_file(tmp_path: Path) -> None:
    """Tavily's own name first, then ours, then the file, where blanks are nothing."""
    text = "[providers.tavily]\nbase_url = 'http://file'"
    environ = {"TAVILY_API_BASE_URL": "http://own", "TAVILY_BASE_URL": "http://ours"}

    assert load(tmp_path, text, environ=environ).provider("tavily").base_url == "http://own"
    environ["TAVILY_API_BASE_URL"] = " "
    assert load(tmp_path, text, environ=environ).provider("tavily").base_url == "http://ours"
    environ["TAVILY_BASE_URL"] = ""
    assert load(tmp_path, text, environ=environ).provider("tavily").base_url == "http://file"


def test_a_disabled_provider_has_nothing_else() -> None:
    """Its key is not even read."""
    environ = {"TAVILY_ENABLED": "0", "TAVILY_API_KEY": "k", "KENSAKU_HOME": "/nowhere"}

    assert Settings.load(environ=environ).provider("tavily") == ProviderSettings(enabled=False)


def test_an_address_and_an_option_of_a_provider_are_hidden() -> None:
    """Both may be secrets."""
    shown = repr(ProviderSettings(base_url="http://u:hunter2@h", options={"cx": "hidden"}))

    assert shown == "ProviderSettings(keys=(), rate=None, enabled=True)"


def test_an_option_that_is_empty_is_none(tmp_path: Path) -> None:
    """A number is taken as its text."""
    text = "[providers.google]\ncx = ''\n[providers.searxng]\nengines = 5"
    settings = load(tmp_path, text)

    assert settings.provider("google") == ProviderSettings()
    assert settings.provider("searxng").options == {"engines": "5"}
