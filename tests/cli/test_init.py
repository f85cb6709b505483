"""`kensaku init`: a key is asked for on a terminal, tried, and stored privately."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, CliResult

KEY = "tvly-dev-0123456789abcdef"


Typed = Callable[..., tuple[CliResult, list[str]]]


@pytest.fixture
def typed(terminal: Cli, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """`typed("--provider", "tavily", keys=[KEY], lines="y\\n")` → what came, what was asked."""

    def run(*words: str, keys: list[str], lines: str = "") -> tuple[CliResult, list[str]]:
        asked, left = list[str](), list(keys)

        def read(prompt: str) -> str:
            asked.append(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr(getpass, "getpass", read)
        done = terminal("init", *words, stdin=lines, TAVILY_API_KEY=None, NO_COLOR="1")
        assert not any(key in done.out + done.err for key in keys if key)
        return done, asked

    return run


def test_a_key_is_tried_with_one_search_and_named_as_set_afterwards(
    typed: Typed, up: FakeUpstream, machine: Path
) -> None:
    """Blanks around it are not part of it; Enter keeps it; the next search uses it."""
    file = machine / "config.toml"
    done, _ = typed("--provider", "tavily", keys=[f" {KEY} "])
    again, asked = typed("--provider", "tavily", keys=[""])
    (sent,) = up.asked("tavily")

    assert (done.status, again.status, done.out) == (0, 0, "")
    assert "it works" in done.err
    assert file.stat().st_mode & 0o777 == 0o600
    assert str(file) in done.err
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json["max_results"] == 1
    assert str(file) in asked[0]
    assert KEY in file.read_text()


@pytest.mark.parametrize(
    ("line", "stored"),
    [("y\n", True), (" YES\n", True), ("はい\n", True), ("n\n", False), ("", False)],
)
def test_a_refused_key_needs_a_yes(
    line: str, stored: bool, typed: Typed, up: FakeUpstream, machine: Path
) -> None:
    """What the provider said is told, without the key that it repeats."""
    up.fails("tavily", faults.status(401, {"detail": {"error": f"bad key {KEY}"}}))
    done, _ = typed("--provider", "tavily", keys=[KEY], lines=line)

    assert done.status == 0
    assert "it does not take this key" in done.err
    assert (machine / "config.toml").exists() is stored


def test_it_speaks_the_language_of_the_locale(
    typed: Typed, up: FakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked, and what became of the key."""
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    up.fails("tavily", faults.status(401))
    done, asked = typed("--provider", "tavily", keys=[KEY], lines="\n")

    assert asked[0].startswith("Tavily のキー")
    assert "保存しますか" in done.err
    assert "保存していません" in done.err


@pytest.mark.parametrize("keys", [[""] * 4, []])
def test_the_providers_that_most_people_have_are_asked_for(
    keys: list[str], typed: Typed, machine: Path
) -> None:
    """One after the other; Enter and the end of the input skip: it works without a key."""
    done, asked = typed(keys=keys)

    assert done.status == 0
    assert [prompt.partition(" key (https://")[0] for prompt in asked] == [
        "Tavily", "Brave Search", "Exa", "Serper",
    ]  # fmt: skip
    assert not (machine / "config.toml").exists()


def test_keys_go_to_the_file_that_was_named(typed: Typed, machine: Path, tmp_path: Path) -> None:
    """It need not be there yet; what is in it stays."""
    file = tmp_path / "mine.toml"
    keys = [f"{name}-0123456789" for name in ("tavily", "brave")]
    for key in keys:
        done, _ = typed("--provider", key.partition("-")[0], "--config", str(file), keys=[key])
        assert done.status == 0

    assert all(key in file.read_text() for key in keys)
    assert not (machine / "config.toml").exists()


def test_without_a_terminal_it_says_what_to_do(cli: Cli) -> None:
    """A script sets values by another command."""
    done = cli("init", stdin="")
    assert done.status == 2
    assert "config set" in done.err
