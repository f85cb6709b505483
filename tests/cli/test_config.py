"""`kensaku config`: settings, values and origins."""

from __future__ import annotations

import getpass
import json
from pathlib import Path

import pytest

from .conftest import Cli


def test_settings_are_shown_with_their_origin(cli: Cli, tmp_path: Path) -> None:
    """Environment, file and default; keys masked."""
    file = tmp_path / "mine.toml"
    file.write_text('max_results = 7\n[providers.brave]\napi_key = "BSA0123456789abcdef"\n')
    done = cli("config", "--config", str(file), KENSAKU_TIMEOUT="9")
    found = {s["name"]: s for s in json.loads(
        cli("config", "--json", "--config", str(file), KENSAKU_TIMEOUT="9").out
    )}  # fmt: skip

    assert found["timeout"] == {
        "name": "timeout",
        "value": "9.0",
        "origin": "environment KENSAKU_TIMEOUT",
        "about": "timeout of a search, in seconds",
    }
    assert found["max_results"]["origin"].endswith("mine.toml, line 1")
    assert found["mode"]["origin"] == "default"
    assert found["providers.brave.api_key"]["value"] == "…cdef"
    assert "BSA0123456789abcdef" not in done.out + done.err
    assert cli("config", "cache").out.count("\ncache.") == len(
        [name for name in found if name.startswith("cache")]
    )


def test_a_broken_settings_file_is_wrong_use(cli: Cli, tmp_path: Path) -> None:
    """It says where, in one line."""
    file = tmp_path / "mine.toml"
    file.write_text("max_results = 7\nmax_result = 8\n")
    done = cli("config", "--config", str(file))

    assert done.status == 2
    assert "line 2" in done.err
    assert "max_results" in done.err


def test_a_key_is_set_privately_and_taken_back(cli: Cli, machine: Path) -> None:
    """From standard input, so that it is in no history; comments stay."""
    file = machine / "config.toml"
    machine.mkdir(exist_ok=True)
    file.write_text("# mine\nmax_results = 7  # few\n")
    key = "BSA0123456789abcdef"
    done = cli("config", "set", "providers.brave.api_key", "-", stdin=f"{key}\n")

    assert done.status == 0
    assert key not in done.out + done.err
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().startswith("# mine\nmax_results = 7  # few\n")
    shown = json.loads(cli("config", "--json", "providers.brave").out)
    assert shown[0]["value"] == "…cdef"

    assert cli("config", "unset", "providers.brave.api_key").status == 0
    assert key not in file.read_text()
    assert cli("config", "unset", "providers.brave.api_key").status == 2


def test_a_value_that_is_refused_changes_nothing(cli: Cli, machine: Path) -> None:
    """Neither a wrong value nor a wrong name."""
    for words, said in (
        (("timeout", "9999"), "number from"),
        (("timeot", "9"), "timeout"),
        (("providers.bravo.api_key", "x"), "brave"),
        (("cache.ttl.x", "1"), "cache"),
    ):
        done = cli("config", "set", *words)
        assert done.status == 2
        assert said in done.err
    assert not (machine / "config.toml").exists()


def test_values_keep_their_kinds(cli: Cli, machine: Path) -> None:
    """Numbers and switches as TOML has them; a path is printed."""
    for name, value in (("timeout", "9"), ("cache.enabled", "false"), ("route", "tavily,local")):
        assert cli("config", "set", name, value).status == 0
    assert (machine / "config.toml").read_text() == (
        'timeout = 9\nroute = "tavily,local"\n\n[cache]\nenabled = false\n'
    )
    assert cli("config", "path").out.strip() == str(machine / "config.toml")


def test_the_table_has_a_dash_for_what_is_not_set(cli: Cli, machine: Path) -> None:
    """Empty texts and missing keys alike; only the names that were asked for."""
    lines = cli("config", "llm", "proxy").out.splitlines()

    assert [line.split(maxsplit=2) for line in lines] == [
        ["setting", "value", "from"],
        ["llm.url", "–", "default"],
        ["llm.model", "–", "default"],
        ["llm.api_key", "–", "default"],
        ["proxy", "–", "default"],
    ]


def test_what_is_set_is_said(cli: Cli, machine: Path) -> None:
    """On standard error: where, and how to take it back."""
    file = machine / "config.toml"
    done = cli("config", "set", "timeout", "9")
    assert (done.status, done.out) == (0, "")
    assert done.err == f"kensaku config: timeout is set in {file}\n"
    empty = cli("config", "set", "timeout", "")
    assert empty.status == 2
    assert "timeout got no value" in empty.err
    assert "kensaku config unset timeout" in empty.err


def test_a_value_that_is_not_given_is_read_from_standard_input(cli: Cli, machine: Path) -> None:
    """One line of a pipe; all of it with a dash."""
    file = machine / "config.toml"
    done = cli("config", "set", "max_results", stdin=" 7 \n8\n")
    assert (done.status, done.out) == (0, "")
    assert done.err == f"kensaku config: max_results is set in {file}\n"
    assert file.read_text() == "max_results = 7\n"

    assert cli("config", "set", "max_results", "-", stdin="\n 9\n").status == 0
    assert file.read_text() == "max_results = 9\n"
    assert cli("config", "set", "max_results", stdin="\n").status == 2


def test_a_value_is_asked_for_on_a_terminal_without_being_shown(
    terminal: Cli, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody reads it over a shoulder."""
    prompts: list[str] = []
    monkeypatch.setattr(getpass, "getpass", lambda said: prompts.append(said) or " 6 ")

    assert terminal("config", "set", "max_results").status == 0
    assert prompts == ["max_results: "]
    assert (machine / "config.toml").read_text() == "max_results = 6\n"


def test_a_file_of_ones_own_is_written_and_named(cli: Cli, tmp_path: Path, machine: Path) -> None:
    """And not the usual one."""
    file = tmp_path / "mine.toml"
    own = ("--config", file)

    assert cli("config", "path", *own).out == f"{file}\n"
    assert cli("config", "set", "timeout", "9", *own).status == 0
    assert file.read_text() == "timeout = 9\n"
    done = cli("config", "unset", "timeout", *own)
    assert (done.out, done.err) == ("", f"kensaku config: timeout was taken out of {file}\n")
    assert "timeout" not in file.read_text()
    assert not (machine / "config.toml").exists()


def test_a_signature_key_is_made_set_and_never_shown(cli: Cli, tmp_path: Path) -> None:
    """The public half is printed; the private one stays in a file of its owner's."""
    settings, key = tmp_path / "mine.toml", tmp_path / "signing.pem"
    settings.touch()
    done = cli("config", "--config", str(settings), "signature-key", str(key))

    (public,) = json.loads(done.out)["keys"]
    assert (done.status, public["crv"], "d" in public) == (0, "Ed25519", False)
    assert key.stat().st_mode & 0o777 == 0o600
    assert str(key) in settings.read_text()
    assert "PRIVATE" not in done.out + done.err

    again = cli("config", "--config", str(settings), "signature-key", str(key))
    assert again.status == 2
    assert "not replaced" in again.err


def test_a_header_for_one_host_is_set_from_standard_input(cli: Cli, tmp_path: Path) -> None:
    """So that it stands in no history; it is shown masked, and taken out again."""
    file, name = tmp_path / "mine.toml", "headers.wiki.example.com.Cookie"
    file.touch()
    options = ("config", "--config", str(file))
    secret = "session=0123456789abcdef"
    done = cli(*options, "set", name, "-", stdin=secret + "\n")
    assert done.status == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert '[headers."wiki.example.com"]' in file.read_text()

    shown = cli(*options, "headers")
    assert name in shown.out
    assert secret not in done.out + done.err + shown.out + shown.err

    refused = cli(*options, "set", "headers.wiki.example.com.Host", "-", stdin="elsewhere")
    assert refused.status == 2
    assert "elsewhere" not in refused.err + file.read_text()
    assert cli(*options, "unset", name).status == 0
    assert "session" not in file.read_text()
