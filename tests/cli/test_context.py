"""`kensaku context`: passages within a token budget."""

from __future__ import annotations

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import HITS, OTTERS, RAKKO


def test_a_context_is_printed_and_goes_on(up: FakeUpstream, cli: Cli) -> None:
    """Text alone on stdout; the cursor on stderr gives the rest under the same numbers."""
    up.answers("tavily", HITS)
    words = ["context", "how", "do", "otters", "sleep", "--route", "tavily"]
    first = cli(*words, "--max-tokens", "70")
    cursor = first.err.split("--cursor ")[1].split()[0]
    second = cli(*words, "--max-tokens", "90", "--cursor", cursor)

    assert first.status == second.status == 0
    assert first.out == f"[1] Sleep (https://a.example/1)\n{OTTERS}\n"
    assert second.out == f"[2] ラッコ (https://b.example/2)\n{RAKKO}\n"
    assert "--cursor" not in second.err


def test_a_context_as_json_says_everything(up: FakeUpstream, cli: Cli) -> None:
    """And holds no escapes: a model pays for each of them."""
    up.answers("tavily", HITS)
    done = cli("context", "ラッコ", "--route", "tavily", "--json")

    assert set(done.json) == {
        "text", "citations", "tokens", "outcome", "cursor", "attempts", "notes", "confidence",
    }  # fmt: skip
    assert "\\u" not in done.out
    assert RAKKO in done.out


@pytest.mark.parametrize("command", ["context", "answer"])
def test_nothing_found_and_nobody_to_ask_are_different(
    command: str, up: FakeUpstream, cli: Cli
) -> None:
    """Exit 0 and exit 1; both say so, and stdout stays empty."""
    up.answers("tavily", [])
    empty = cli(command, "otters", "--route", "tavily", "--no-cache")
    up.fails("tavily", faults.status(503))
    down = cli(command, "otters", "--route", "tavily", "--no-cache")

    assert (empty.status, empty.out) == (0, "")
    assert "Nothing was found." in empty.err
    assert (down.status, down.out) == (1, "")
    assert "Nobody could search." in down.err
    assert "tavily: " in down.err
