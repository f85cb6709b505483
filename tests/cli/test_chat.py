"""`kensaku chat`: lines of a pipe one by one, and what a person is greeted with."""

from __future__ import annotations

from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Run
from .examples import HITS

QUESTION = "do sea otters hold hands while they sleep"


@pytest.fixture(autouse=True)
def no_pages(env: dict[str, str]) -> None:
    """The hits are of hosts that do not exist: their snippets have to do."""
    env |= {"KENSAKU_ASSISTANT_FETCHES": "0", "WEB_SEARCH_PROVIDER": "tavily"}


def test_lines_of_a_pipe_are_answered_one_by_one(up: FakeUpstream, run: Run) -> None:
    """Answers on stdout, all else on stderr; no greeting, no prompt and no escape sequence."""
    up.answers("tavily", HITS)
    done = run("chat", stdin=f"{QUESTION}\n\n/settings\nラッコは眠るときに手をつなぎますか")

    assert done.returncode == 0
    assert done.stdout.startswith("Sea otters hold hands while they sleep, so that the current")
    assert "ラッコは眠るときに手をつなぎます。 [1]" in done.stdout
    assert "[1] (web) Sleep\n    https://a.example/1\n" in done.stdout
    assert f'web_search: "{QUESTION}" · tavily · 2 hits · ' in done.stderr
    assert " · 2 件 · " in done.stderr
    assert "collection: as in the settings" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "/help" not in done.stderr
    assert "> " not in done.stderr


def test_nobody_could_search_is_said_and_is_status_1(up: FakeUpstream, cli: Cli) -> None:
    """With the reason, and the next line is read."""
    up.fails("tavily", faults.status(401))
    done = cli("chat", "--lite", stdin=f"{QUESTION}\n/quit\nnot read\n")

    assert (done.status, done.out) == (1, "")
    assert "could not search" in done.err
    assert "tavily: " in done.err
    assert "not read" not in done.err


def test_a_database_that_cannot_be_opened_ends_it(cli: Cli) -> None:
    """With one sentence, as in every command."""
    done = cli("chat", stdin=QUESTION, KENSAKU_DATABASE_URL="nonsense")

    assert done.status == 2
    assert done.err.startswith("kensaku: ")


def test_what_was_given_is_used(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """A route and a collection; where queries go without a key is said before, and once."""
    local = cli("chat", "--route", "local", "--collection", "default", stdin="how do otters sleep")
    settings = cli("chat", "--collection", "default", "--model", "v:m", stdin="/settings\n")
    no_key = {"TAVILY_API_KEY": None, "WEB_SEARCH_PROVIDER": None}
    keyless = [cli("chat", stdin=QUESTION, **no_key) for _ in range(2)]

    assert "https://local.example/" in local.out
    assert up.asked("tavily") == []
    assert "collection: default" in settings.err
    assert "model: v:m" in settings.err
    assert ["KENSAKU_KEYLESS=0" in done.err for done in keyless] == [True, False]


def test_the_last_conversation_goes_on(up: FakeUpstream, cli: Cli) -> None:
    """It was stored by the command before, for the same person of this machine."""
    up.answers("tavily", HITS)
    cli("chat", stdin=QUESTION)
    again = cli("chat", "--resume", stdin="/history\n")

    assert f"Going on: {QUESTION}" in again.err


@pytest.mark.parametrize(
    ("variables", "japanese"),
    [
        ({"LANG": "ja_JP.UTF-8"}, True),
        ({"LC_ALL": "", "LC_MESSAGES": "ja", "LANG": "en_GB"}, True),
        ({"LANG": "Japanese_Japan.932"}, True),
        ({"LC_ALL": "C.UTF-8", "LANG": "ja_JP.UTF-8"}, False),
        ({}, False),
    ],
)
def test_a_person_is_greeted_in_the_language_of_the_locale(
    variables: dict[str, str], japanese: bool, terminal: Cli
) -> None:
    """By the variables that every terminal program reads, in their order."""
    unset = dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG"))
    done = terminal("chat", "--lite", stdin="/quit\n", **(unset | variables))

    assert "/help" in done.err
    assert any("ぁ" <= character <= "ヿ" for character in done.err) is japanese


@pytest.mark.parametrize("how", [{"TERM": "dumb"}, {"TERM": None}, {"lite": "--lite"}])
def test_plain_lines_are_shown_where_nothing_can_move(
    how: dict[str, str | None], up: FakeUpstream, terminal: Cli, machine: Path
) -> None:
    """Or where nothing shall: no escape sequence, no bar, and no history is kept."""
    up.answers("tavily", HITS)
    words = [word for name in ("lite",) if (word := how.get(name))]
    variables = {name: value for name, value in how.items() if name != "lite"}
    done = terminal("chat", *words, stdin=f"{QUESTION}\n", NO_COLOR="1", **variables)

    assert done.out.startswith("Sea otters hold hands")
    assert "\x1b" not in done.out + done.err
    assert not list(machine.glob("*history*"))
