"""The slash commands: their exact words, what is completed, and what a wrong number does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from kensaku.assistant.channels.terminal.commands import completions, make_completer
from tests.assistant.conftest import client as client
from tests.assistant.conftest import web as web

from .test_chat import SLEEP, Talk
from .test_chat import talk as talk

JAPANESE = "ラッコは何を食べますか？"


async def test_help_lists_every_command_with_what_it_takes(talk: Talk) -> None:
    """In the order of the table."""
    lines = (await talk(["/help"])).err.splitlines()
    rows = [re.split(r"  +", line.strip(), maxsplit=1) for line in lines]

    assert [row[0] for row in rows] == [
        "/help", "/provider [NAMES|auto|-]", "/collection [NAME|-]", "/model [NAME|-]",
        "/budget [NAME=N …|-]", "/sources", "/save FILE", "/settings", "/new", "/history",
        "/resume [N]", "/export [FILE]", "/delete-me", "/quit",
    ]  # fmt: skip
    assert (rows[0][1], rows[-1][1]) == ("list the commands", "leave")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/provider  tavily ,, brave", "route: tavily,brave"),
        ("/collection my notes", "collection: my notes"),
        ("/budget searches=3,money=0.50", "budget: searches=3 money=0.5"),
        ("/budget seconds=1.", "budget: seconds=1"),
        ("/budget searches=3.5x", "searches=3.5x is no bound; write searches=3"),
        (f"/budget {'x' * 70}", f"{'x' * 60} is no bound; write searches=3"),
        ("/new", "A new conversation."),
        ("/settings", "route: as in the settings"),
    ],
)
async def test_what_a_command_says(line: str, said: str, talk: Talk) -> None:
    """One line."""
    assert (await talk([line])).err.splitlines()[0] == said


async def test_all_settings_are_shown_in_their_order(talk: Talk) -> None:
    """What the command line says counts for this session."""
    done = await talk(["/settings"], options={"collection": "papers", "budget": {"money": 0.25}})

    assert done.err.splitlines() == [
        "route: as in the settings", "collection: papers", "model: as in the settings",
        "budget: money=0.25", "approvals: as in the settings",
    ]  # fmt: skip


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


async def test_what_is_kept_is_printed_as_people_read_it(talk: Talk) -> None:
    """JSON in lines, with Japanese as it was typed."""
    done = await talk([JAPANESE, "/export"])
    text = done.err[done.err.index("{\n") :]

    assert json.loads(text)["messages"][0]["text"] == JAPANESE
    assert f'"text": "{JAPANESE}"' in text
    assert re.search(r'^  "messages": \[$', text, re.MULTILINE)


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        (["y"], "Deleted: 2 messages, the choices, the approvals and the input history."),
        ([" YES "], "Deleted: 2 messages, the choices, the approvals and the input history."),
        (["はい"], "Deleted: 2 messages, the choices, the approvals and the input history."),
        (["yes please"], "Nothing was deleted."),
        ([""], "Nothing was deleted."),
    ],
)
async def test_only_a_clear_yes_deletes(replies: list[str], said: str, talk: Talk) -> None:
    """What is asked names the person."""
    done = await talk([SLEEP, "/delete-me"], replies)

    assert done.err.splitlines()[-3:] == [
        "Delete all conversations, choices and approvals of ann, and the input history?",
        "  [y] yes",
        said,
    ]


async def test_sources_name_what_else_was_found_once(talk: Talk, web: Any) -> None:
    """A page that the answer cites is not among it."""
    done = await talk([SLEEP])
    cited = done.chat.last.citations[0].url  # type: ignore[union-attr]
    done.chat.found = [
        ("Cited", cited),
        ("Other", "https://o.example/"),
        ("Other", "https://o.example/"),
    ]
    from kensaku.assistant.channels.terminal.commands import TABLE

    before = len(done.out)
    await TABLE["sources"].run(done.chat, "")
    shown = done.out[before:]

    assert shown.count("Other https://o.example/\n") == 1
    assert "Cited" not in shown


async def test_what_is_completed(talk: Talk) -> None:
    """Commands with what they do, bounds, providers with auto first; nothing else."""
    chat = (await talk([])).chat

    assert list(completions(chat, "/qu")) == [("/quit", "leave")]
    assert [word for word, _ in completions(chat, "/budget ")] == [
        "searches=", "fetches=", "seconds=", "money=", "tokens=",
    ]  # fmt: skip
    assert next(completions(chat, "/provider ")) == ("auto", "")
    assert list(completions(chat, "/collection ")) == []
    assert list(completions(chat, "/unknown x")) == []


@pytest.mark.parametrize(
    ("typed", "word", "start", "meta"),
    [
        ("/qu", "/quit", -3, "leave"),
        ("/provider tavily,exa", "exa", -3, ""),
        ("/budget searches=3 mon", "money=", -3, ""),
    ],
)
async def test_a_completion_replaces_the_last_word(
    typed: str, word: str, start: int, meta: str, talk: Talk
) -> None:
    """As prompt_toolkit wants it."""
    from prompt_toolkit.document import Document

    completer = make_completer((await talk([])).chat)
    first = next(iter(completer.get_completions(Document(typed), None)))  # type: ignore[arg-type]

    assert (first.text, first.start_position, first.display_meta_text) == (word, start, meta)
