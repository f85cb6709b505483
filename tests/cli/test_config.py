"""`kensaku config`: settings, values and origins."""

from __future__ import annotations

import getpass
import json
import sys
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
    """Neither a wrong value nor a wrong name; the line is that where it would stand."""
    file = machine / "config.toml"
    for words, said in (
        (("timeout", "9999"), "number from"),
        (("timeot", "9"), "timeout"),
        (("providers.bravo.api_key", "x"), "brave"),
        (("a..b", "1"), "'a..b' is no name of a setting"),
        (("a.b.c.d", "1"), "'a.b.c.d' is no name of a setting"),
    ):
        done = cli("config", "set", *words)
        assert done.status == 2
        assert said in done.err
    assert not file.exists()

    cli("config", "set", "timeout", "9")
    soon = cli("config", "set", "cache.ttl", "soon").err
    below = cli("config", "set", "timeout.x", "1").err
    assert soon.startswith(f"kensaku: {file}, line 4: cache.ttl is 'soon'; expected")
    assert "'timeout.x'" in below
    assert file.read_text() == "timeout = 9\n"
    assert [p.name for p in machine.iterdir()] == ["config.toml"]


def test_only_what_is_set_can_be_unset(cli: Cli, machine: Path) -> None:
    """With the nearest that is; below a value there is nothing."""
    cli("config", "set", "cache.ttl", "5")
    for name in ("cache.tll", "timeout", "cache.ttl.x", "x.y.z"):
        done = cli("config", "unset", name)
        assert done.status == 2
        assert f"there is no setting in the file '{name}'" in done.err
        assert "cache.ttl" in done.err or name in ("timeout", "x.y.z")
    assert (machine / "config.toml").read_text() == "[cache]\nttl = 5\n"


def test_a_file_that_cannot_be_changed_is_named(cli: Cli, tmp_path: Path) -> None:
    """And stays as it was."""
    (tmp_path / "broken.toml").write_text("a = = 1")
    (tmp_path / "latin.toml").write_bytes(b"a = '\xff'")
    (tmp_path / "folder.toml").mkdir()
    for name, said in (
        ("c.yaml", "c.yaml is no TOML, and only TOML files are changed by this command"),
        ("broken.toml", "broken.toml is not valid TOML"),
        ("latin.toml", "latin.toml is not valid TOML"),
        ("folder.toml", "folder.toml cannot be read: Is a directory"),
        ("broken.toml/c.toml", "broken.toml/c.toml cannot be read: Not a directory"),
    ):
        done = cli("config", "set", "timeout", "9", "--config", tmp_path / name)
        assert (done.status, said in done.err) == (2, True), done.err


def test_without_its_library_the_extra_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install."""
    monkeypatch.setitem(sys.modules, "tomlkit", None)

    assert "kensaku-search[standard]" in cli("config", "set", "timeout", "9").err


def test_values_keep_their_kinds(cli: Cli, machine: Path) -> None:
    """Numbers and switches as TOML has them, the rest as it was typed; a path is printed."""
    for name, value in (
        ("timeout", "9.5"),
        ("max_results", "9"),
        ("cache.enabled", "FALSE"),
        ("keyless", "off"),
        ("route", "tavily,local"),
        ("cache.ttl", "1e1"),
        ("cache.ttl", "007"),
        ("providers.brave.rate", "1/s"),
    ):
        assert cli("config", "set", name, value).status == 0
    assert (machine / "config.toml").read_text() == (
        'timeout = 9.5\nmax_results = 9\nkeyless = "off"\nroute = "tavily,local"\n\n'
        '[cache]\nenabled = false\nttl = "007"\n\n[providers.brave]\nrate = "1/s"\n'
    )
    assert machine.stat().st_mode & 0o777 == 0o700
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
