"""The slash commands: their exact words, what is completed, and what a wrong number does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kensaku import Hit
from kensaku.assistant.channels.terminal.commands import make_completer
from tests.answers.conftest import Web
from tests.assistant.conftest import SLEEP

from .conftest import Talk

JAPANESE = "ラッコは何を食べますか？"


SAID = [
    ("/provider  tavily ,, brave", "route: tavily,brave"),
    ("/collection my notes", "collection: my notes"),
    ("/budget searches=3,money=0.50", "budget: searches=3 money=0.5"),
    ("/budget seconds=1.", "budget: seconds=1"),
    ("/budget searches=3.5x", "searches=3.5x is no bound; write searches=3"),
    (f"/budget {'x' * 70}", f"{'x' * 60} is no bound; write searches=3"),
    ("/new", "A new conversation."),
]


async def test_what_a_command_says(talk: Talk) -> None:
    """One line."""
    done = await talk([line for line, _ in SAID])

    assert done.err.splitlines() == [said for _, said in SAID]


async def test_conversations_are_listed_by_number_the_newest_first(talk: Talk) -> None:
    """And opened by it; numbers beside the list are none."""
    await talk([SLEEP, "/new", JAPANESE])
    done = await talk(["/history", "/resume 0", "/resume 3", "/resume 2"])
    lines = done.err.splitlines()

    assert re.fullmatch(rf"1 +\d{{4}}-\d\d-\d\d \d\d:\d\d +{JAPANESE}", lines[0])
    assert re.fullmatch(rf"2 +\d{{4}}-\d\d-\d\d \d\d:\d\d +{re.escape(SLEEP)}", lines[1])
    assert lines[2:6] == [
        "There is no conversation 0; /history lists them.",
        "There is no conversation 3; /history lists them.",
        f"Going on: {SLEEP}",
        f"> {SLEEP}",
    ]


@pytest.mark.parametrize("reply", [" YES ", "はい", "yes please", ""])
async def test_only_a_clear_yes_deletes(reply: str, talk: Talk) -> None:
    """What is asked names the person."""
    done = await talk([SLEEP, "/delete-me"], [reply])

    clear = reply in (" YES ", "はい")
    assert done.err.splitlines()[-3:] == [
        "Delete all conversations, choices and approvals of ann, and the input history?",
        "  [y] yes",
        "Deleted: 2 messages, the choices, the approvals and the input history."
        if clear
        else "Nothing was deleted.",
    ]


async def test_sources_name_what_else_was_found_once(talk: Talk, web: Web) -> None:
    """A page that the answer cites is not among it."""
    web.upstream.heals("tavily")
    cited = Hit("https://a.example/", "Cited", "Sea otters hold hands while they sleep.")
    web.finds("sleep", cited, Hit("https://o.example/", "Other", "Cheese."))
    done = await talk([SLEEP, "/sources"], assistant_fetches=0)
    shown = done.out.rpartition("[1] (web)")[2]

    assert shown.count("Other https://o.example/\n") == 1
    assert shown.count("Cited") == 1


@pytest.mark.parametrize(
    ("typed", "words", "start"),
    [
        ("/", ["/help", "/provider", "/collection"], -1),
        ("/qu", ["/quit"], -3),
        ("/provider ", ["auto"], 0),
        ("/provider tavily,br", ["brave", "brave_context", "brave_web"], -2),
        ("/budget ", ["searches=", "fetches=", "seconds=", "money=", "tokens="], 0),
        ("/budget searches=3 mon", ["money="], -3),
        ("/collection ", ["notes", "papers"], 0),
        ("/collection p", ["papers"], -1),
        ("/help x", [], 0),
        ("/unknown x", [], 0),
        ("what is /etc", [], 0),
    ],
)
async def test_a_completion_replaces_the_last_word(
    typed: str, words: list[str], start: int, talk: Talk, machine: Path
) -> None:
    """Commands, providers, bounds, and collections by their folders; nothing else."""
    from prompt_toolkit.document import Document

    for name in ("papers", "notes"):
        (machine / "index" / "collections" / name).mkdir(parents=True)
    completer = make_completer((await talk([])).chat)
    found = list(completer.get_completions(Document(typed), None))  # type: ignore[arg-type]

    assert [c.text for c in found][: len(words) or None] == words
    assert {c.start_position for c in found} <= {start}
