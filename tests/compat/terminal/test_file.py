"""The terminal assistant's `settings.json` is a layer of the settings, below our own file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kensaku import Settings
from kensaku.compat.terminal.file import load_settings
from kensaku.errors import ConfigError

KEY = "tvly-0123456789abcdef"
EXAMPLE = {"webSearch": {"provider": "tavily", "tavily": {"apiKey": KEY}}}
PLACES = {
    "ours": "kensaku-home/settings.json",
    "the document's": ".config/term2/settings.json",
    "the application's": ".local/state/term2-nodejs/settings.json",
}


@pytest.fixture
def put(tmp_path: Path):
    """`put("ours", {…})` writes the file at its usual place."""

    def write(place: str, content: Any, mode: int = 0o600) -> Path:
        path = tmp_path / PLACES[place]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
        path.chmod(mode)
        return path

    return write


def load(tmp_path: Path, **env: str) -> Settings:
    home = {"HOME": str(tmp_path), "KENSAKU_HOME": str(tmp_path / "kensaku-home")}
    return load_settings(environ=home | env)


@pytest.mark.parametrize("place", PLACES)
def test_provider_and_key_are_read_with_their_origin(put, tmp_path, place):
    """Wherever the file may be; the key is shown to nobody (S4-41, S4-46)."""
    path = put(place, {"ui": {"theme": 3}, **EXAMPLE})

    settings = load(tmp_path)

    assert settings.route == ("tavily",)
    assert [k.reveal() for k in settings.provider("tavily").keys] == [KEY]
    assert settings.origins["route"] == f"{path}, line 6"
    assert settings.origins["providers.tavily.api_key"] == f"{path}, line 8"
    rows = {row[0]: row[1] for row in settings.described()}
    assert rows["providers.tavily.api_key"] == "…cdef"
    assert KEY not in repr(settings) + str(settings.described())


def test_addresses_and_options_are_read(put, tmp_path):
    """Every provider of ours, by the names that the assistant gives them (S4-41, S4-49)."""
    put("ours", {"webSearch": {
        "searxng": {"baseUrl": "http://127.0.0.1:8888/"},
        "google": {"apiKey": "g1, g2", "cx": "abc"},
    }})  # fmt: skip
    settings = load(tmp_path)

    assert settings.provider("searxng").base_url == "http://127.0.0.1:8888"
    assert len(settings.provider("google").keys) == 2
    assert settings.provider("google").options == {"cx": "abc"}


def test_our_own_file_and_the_environment_go_first(put, tmp_path):
    """default < settings.json < config.toml < environment < argument (S4-44, S4-45, S4-46)."""
    put("ours", {"webSearch": {"provider": "exa", "tavily": {"apiKey": "of-json"}}})
    assert load(tmp_path).route == ("exa",)

    toml = tmp_path / "kensaku-home" / "config.toml"
    toml.write_text("route = ['brave']\n[providers.tavily]\napi_key = 'of-toml'\n")
    assert load(tmp_path).route == ("brave",)
    assert load(tmp_path).provider("tavily").keys[0].reveal() == "of-toml"

    env = {"WEB_SEARCH_PROVIDER": "you", "TAVILY_API_KEY": "of-env"}
    assert load(tmp_path, **env).route == ("you",)
    assert load(tmp_path, **env).provider("tavily").keys[0].reveal() == "of-env"


def test_the_first_file_that_has_a_value_counts(put, tmp_path):
    """Ours, then the document's, then the application's."""
    put("ours", {"webSearch": {"provider": "exa"}})
    put("the document's", {"webSearch": {"provider": "you", "exa": {"apiKey": "of-document"}}})
    put("the application's", {"webSearch": {"exa": {"apiKey": "of-app"}, "brave": {"apiKey": "b"}}})
    settings = load(tmp_path)

    assert settings.route == ("exa",)
    assert settings.provider("exa").keys[0].reveal() == "of-document"
    assert settings.provider("brave").keys[0].reveal() == "b"


def test_a_provider_of_somebody_elses_is_left_out(put, tmp_path):
    """The assistant falls back to its default; so do we (S4-11)."""
    put("ours", {"webSearch": {"provider": "altavista", "altavista": {"apiKey": "x"}}})

    assert load(tmp_path).route == ("auto",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1,\n"b"}', ", line 2: expected JSON"),
        ("[" * 100_000, ": expected JSON"),
        ('"' + "x" * 2**20 + '"', " is larger than 1 MiB; expected a settings file"),
        ("[1]", ": expected settings by name"),
        ('{"webSearch": 5}', ": webSearch must be a section"),
        ('{"webSearch": {"exa": {"apiKey": 5}}}', ": webSearch.exa.apiKey must be a text, not int"),
    ],
)
def test_a_damaged_file_of_ours_is_told_and_one_of_another_program_is_left_out(
    put, tmp_path, text, told, caplog
):
    """The log says so; ours is told exactly."""
    path = put("the document's", text)
    assert load(tmp_path).route == ("auto",)
    assert str(path) in caplog.text

    ours = put("ours", text)
    with pytest.raises(ConfigError) as refused:
        load(tmp_path)
    assert refused.value.message == f"{ours}{told}"


def test_a_value_of_another_program_that_we_cannot_use_is_left_out(put, tmp_path):
    """An address without a scheme works there, and not here; `${VAR}` is no variable."""
    addresses = {"exa": {"baseUrl": "localhost:80"}, "brave": {"baseUrl": "https://b.example"}}
    put("the document's", {"webSearch": addresses | {"you": {"apiKey": "${SECRET}"}}})
    settings = load(tmp_path, SECRET="hidden")

    assert settings.provider("exa").base_url is None
    assert settings.provider("brave").base_url == "https://b.example"
    assert settings.provider("you").keys[0].reveal() == "${SECRET}"
    put("ours", {"webSearch": addresses})
    with pytest.raises(ConfigError, match="begins with http"):
        load(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="owners are POSIX's")
@pytest.mark.parametrize(("owner", "is_read"), [(12345, False), (0, True)])
def test_a_file_of_another_user_is_not_read(put, tmp_path, monkeypatch, owner, is_read):
    """Whoever it belongs to chooses where keys are sent; the administrator may do so anyway."""
    put("ours", EXAMPLE, 0o664)
    real = os.fstat

    def foreign(handle: int) -> os.stat_result:
        return os.stat_result([*real(handle)[:4], owner, *real(handle)[5:10]])

    monkeypatch.setattr("kensaku.compat.terminal.file.os.fstat", foreign)
    monkeypatch.setattr("kensaku.compat.terminal.file.os.geteuid", lambda: 54321)
    if is_read:
        assert load(tmp_path).route == ("tavily",)
    else:
        with pytest.raises(ConfigError, match="belongs to another user"):
            load(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_a_file_that_everybody_can_write_is_not_read(put, tmp_path, caplog):
    """It would say where keys are sent."""
    put("the document's", EXAMPLE, 0o666)
    assert load(tmp_path).route == ("auto",)
    assert "can be written by every user" in caplog.text

    put("ours", EXAMPLE, 0o602)
    with pytest.raises(ConfigError, match="can be written by every user") as caught:
        load(tmp_path)
    assert caught.value.remedy.startswith("chmod o-w ")


def test_the_working_directory_is_not_looked_at(put, tmp_path, monkeypatch):
    """A cloned repository must not choose where keys are sent, nor by a relative variable."""
    cloned = tmp_path / "cloned"
    for name in ("", ".config/term2", "term2-nodejs", ".config/kensaku"):
        (cloned / name).mkdir(parents=True, exist_ok=True)
        (cloned / name / "settings.json").write_text(json.dumps(EXAMPLE))
    monkeypatch.chdir(cloned)

    assert load(tmp_path).route == ("auto",)
    assert load(tmp_path, XDG_STATE_HOME=".").route == ("auto",)
    assert load(tmp_path, HOME=".").route == ("auto",)
    assert load(tmp_path, XDG_STATE_HOME=str(cloned)).route == ("tavily",)


def test_what_is_empty_or_left_open_is_no_mistake(put, tmp_path) -> None:
    """No text, null, blanks, a byte order mark, a file of the largest size."""
    put("the document's", "")
    filled = {"webSearch": {"provider": " brave, auto ", "exa": {"apiKey": None, "baseUrl": " "},
                            "you": {"apiKey": " k "}}}  # fmt: skip
    text = "\ufeff" + json.dumps(filled)
    path = put("ours", text + " " * (2**20 - len(text.encode())))
    settings = load(tmp_path)

    assert settings.route == ("brave", "auto")
    assert settings.provider("exa").keys == ()
    assert settings.provider("you").keys[0].reveal() == "k"
    assert settings.origins["route"] == f"{path}, line 1"


def test_an_origin_is_the_line_of_its_own_section(put, tmp_path) -> None:
    """Two providers have the same member; a name that is written otherwise has no line."""
    path = put(
        "ours",
        '{"webSearch": {\n"you": {\n"apiKey": "a"},\n"exa": {\n"apiKey": "b",\n'
        '"base\\u0055rl": "https://e.example"}}}',
    )
    origins = load(tmp_path).origins

    assert origins["providers.you.api_key"] == f"{path}, line 3"
    assert origins["providers.exa.api_key"] == f"{path}, line 5"
    assert origins["providers.exa.base_url"] == str(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path) -> None:
    """A folder in its place."""
    path = tmp_path / PLACES["ours"]
    path.mkdir(parents=True)
    with pytest.raises(ConfigError) as refused:
        load(tmp_path)

    assert refused.value.message == f"{path} cannot be read: Is a directory"
