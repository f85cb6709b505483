"""The slash commands: their exact words, what is completed, and what a wrong number does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.channels.terminal.commands import TABLE, completions, make_completer
from kensaku.assistant.channels.terminal.words import ENGLISH
from kensaku.database import people
from kensaku.database.conversations import Sender
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


# --- commands by themselves


class World:
    """A chat, its screen and its assistant in one: it writes down what is asked of it."""

    words, columns, database = ENGLISH, None, "the database"
    sender = Sender("terminal", "ann", "t1", "acme")

    def __init__(self, home: Path) -> None:
        self.screen, self.home, self.history = self, home, home / "chat-history"
        self.said: list[tuple[str, ...]] = []
        self.calls: list[tuple[Any, ...]] = []
        self.options: Any = {}
        self.kept: dict[str, Any] = {}
        self.listed: list[Any] = []
        self.agrees, self.is_over = True, False

    def say(self, *lines: str) -> None:
        self.said.append(lines)

    async def assistant(self) -> Any:
        return SimpleNamespace(database=self.database, choose=self._choose, options=self._options)

    async def _choose(self, *given: Any) -> None:
        self.calls.append(("choose", *given))

    async def _options(self, sender: Sender) -> dict[str, Any]:
        assert sender == self.sender
        return self.kept

    async def conversations(self, limit: int) -> list[Any]:
        self.calls.append(("conversations", limit))
        return self.listed

    async def open_conversation(self, conversation: Any) -> None:
        self.calls.append(("open", conversation))

    async def confirm(self, text: str) -> bool:
        self.calls.append(("confirm", text))
        return self.agrees

    def start_thread(self) -> None:
        self.calls.append(("start",))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A chat in a folder of its own."""
    return World(tmp_path)


async def command(world: World, line: str) -> list[tuple[str, ...]]:
    """What a command says."""
    name, _, said = line.partition(" ")
    await TABLE[name].run(world, said)  # type: ignore[arg-type]
    return world.said


@pytest.mark.parametrize(
    ("line", "chosen", "left"),
    [
        ("provider tavily brave", ("route", "tavily,brave"), {"model": "m"}),
        ("provider -", ("route", None), {"model": "m"}),
        ("model small", ("model", "small"), {"route": "exa"}),
        ("budget searches=3 money=0.5", ("budget", {"searches": 3, "money": 0.5}),
         {"route": "exa", "model": "m"}),
        ("budget -", ("budget", None), {"route": "exa", "model": "m"}),
        ("model", None, {"route": "exa", "model": "m"}),
        ("budget", None, {"route": "exa", "model": "m"}),
    ],
)  # fmt: skip
async def test_a_choice_counts_over_the_command_line(
    line: str, chosen: Any, left: dict[str, str], world: World
) -> None:
    """It is kept for the person; without a value nothing is."""
    world.options = {"route": "exa", "model": "m"}
    await command(world, line)

    assert world.calls == ([("choose", world.sender, *chosen)] if chosen else [])
    assert world.options == left


async def test_what_the_command_line_says_is_shown_over_what_is_kept(world: World) -> None:
    """Until something is chosen."""
    world.kept, world.options = {"route": "kept", "model": "kept"}, {"route": "given"}

    assert await command(world, "provider") == [("route: given",)]
    assert await command(world, "settings") == [
        ("route: given",), ("route: given",), ("collection: as in the settings",),
        ("model: kept",), ("budget: as in the settings",), ("approvals: as in the settings",),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "call", "answer"),
    [
        ("1", ("open", "first"), None),
        ("2", ("open", "second"), None),
        ("0", None, "There is no conversation 0; /history lists them."),
        ("3", None, "There is no conversation 3; /history lists them."),
        ("-1", None, "There is no conversation -1; /history lists them."),
        ("y" * 50, None, f"There is no conversation {'y' * 40}; /history lists them."),
    ],
)
async def test_a_conversation_is_opened_by_its_number(
    said: str, call: Any, answer: str | None, world: World
) -> None:
    """Of the twenty that are listed."""
    world.listed = ["first", "second"]
    await command(world, f"resume {said}")

    assert world.calls == [("conversations", 20), *([call] if call else [])]
    assert world.said == ([(answer,)] if answer else [])


async def test_an_empty_history(world: World) -> None:
    """Twenty conversations are asked for."""
    assert await command(world, "history") == [("There are no conversations yet.",)]
    assert world.calls == [("conversations", 20)]


@pytest.mark.parametrize("agrees", [True, False])
async def test_all_of_one_person_is_deleted(
    agrees: bool, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the history of the prompt; then another conversation begins."""

    async def delete_person(*whose: Any) -> int:
        world.calls.append(("delete", *whose))
        return 7

    monkeypatch.setattr(people, "delete_person", delete_person)
    world.agrees = agrees
    world.history.write_bytes(b"+secret")
    said = await command(world, "delete-me")

    assert world.calls[0] == ("confirm", ENGLISH.delete.format(person="ann"))
    done = [("delete", "the database", "acme", "terminal", "ann"), ("start",)]
    assert world.calls[1:] == (done if agrees else [])
    assert world.history.read_bytes() == (b"" if agrees else b"+secret")
    assert said == [(ENGLISH.deleted.format(n=7) if agrees else ENGLISH.not_deleted,)]


async def test_all_of_one_person_is_exported(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the screen, or into a new file for this user alone; `~` is the home."""

    async def export_person(*whose: Any) -> dict[str, Any]:
        world.calls.append(whose)
        return {"text": "検索"}

    monkeypatch.setattr(people, "export_person", export_person)
    monkeypatch.setenv("HOME", str(world.home))
    assert await command(world, "export") == [("{", '  "text": "検索"', "}")]
    assert world.calls == [("the database", "acme", "terminal", "ann")]

    await command(world, "export ~/me.json")
    await command(world, "export ~/me.json")
    await command(world, "export a\0b")
    file = world.home / "me.json"
    assert file.read_text() == '{\n  "text": "検索"\n}\n'
    assert file.stat().st_mode & 0o777 == 0o600
    assert world.said[1:] == [
        ("Saved in ~/me.json.",),
        ("~/me.json cannot be written: File exists.",),
        ("a\0b cannot be written: embedded null byte.",),
    ]


async def test_leaving_and_beginning_anew(world: World) -> None:
    """Two commands that take nothing."""
    assert await command(world, "new") == [("A new conversation.",)]
    assert world.calls == [("start",)]
    assert not world.is_over
    await command(world, "quit")
    assert world.is_over


async def test_collections_are_completed_in_their_order(world: World) -> None:
    """By the folders of the index; without an index there are none."""
    chat: Any = world
    assert [word for word, _ in completions(chat, "/collection ")] == []
    for name in ("notes", "docs"):
        (world.home / "index" / "collections" / name).mkdir(parents=True)

    assert list(completions(chat, "/collection ")) == [("docs", ""), ("notes", "")]
    assert list(completions(chat, "/collection n")) == [("notes", "")]
    assert list(completions(chat, "/help ")) == []
