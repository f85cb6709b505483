"""`kensaku chat` in a pipe: line by line, to the end."""

from __future__ import annotations

import pytest

from kensaku.cli._terminal import prefers_japanese, supports_movement
from kensaku.testing import FakeUpstream, faults

from .conftest import Run
from .examples import HITS

QUESTION = "do sea otters hold hands while they sleep"


@pytest.fixture(autouse=True)
def no_pages(env: dict[str, str]) -> None:
    """The hits are of hosts that do not exist: their snippets have to do."""
    env |= {"KENSAKU_ASSISTANT_FETCHES": "0", "WEB_SEARCH_PROVIDER": "tavily"}


def test_lines_of_a_pipe_are_answered_one_by_one(up: FakeUpstream, run: Run) -> None:
    """Answers on stdout, all else on stderr; no prompt and no escape sequence."""
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
    assert "> " not in done.stderr


def test_nobody_could_search_is_said_and_is_status_1(up: FakeUpstream, run: Run) -> None:
    """With the reason, and the next line is read."""
    up.fails("tavily", faults.status(401))
    done = run("chat", "--lite", stdin=f"{QUESTION}\n/quit\nnot read\n")

    assert done.returncode == 1
    assert done.stdout == ""
    assert "could not search" in done.stderr
    assert "tavily: " in done.stderr
    assert "not read" not in done.stderr


def test_a_database_that_cannot_be_opened_ends_it(run: Run) -> None:
    """With one sentence, as in every command."""
    done = run("chat", stdin=QUESTION, KENSAKU_DATABASE_URL="nonsense")

    assert done.returncode == 2
    assert done.stderr.startswith("kensaku: ")


def test_the_locale_decides_the_language_before_the_first_question() -> None:
    """By the variables that every terminal program reads, in their order."""
    assert prefers_japanese({"LANG": "ja_JP.UTF-8"})
    assert prefers_japanese({"LC_ALL": "", "LC_MESSAGES": "ja", "LANG": "en_GB"})
    assert prefers_japanese({"LANG": "Japanese_Japan.932"})
    assert not prefers_japanese({"LC_ALL": "C.UTF-8", "LANG": "ja_JP.UTF-8"})
    assert not prefers_japanese({})


class _Terminal:
    def isatty(self) -> bool:
        return True


def test_a_dumb_terminal_gets_plain_lines() -> None:
    """As a pipe does."""
    assert supports_movement(_Terminal(), {"TERM": "xterm"})  # type: ignore[arg-type]
    assert not supports_movement(_Terminal(), {"TERM": "dumb"})  # type: ignore[arg-type]
    assert not supports_movement(_Terminal(), {})  # type: ignore[arg-type]
