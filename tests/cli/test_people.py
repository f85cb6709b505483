"""`kensaku people`: what is kept about a person is printed, and deleted."""

from __future__ import annotations

import asyncio
import getpass
from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.conversations import Sender
from kensaku.database.people import set_options

from .conftest import Cli

ANN = Sender("terminal", "ann", "t1")


@pytest.fixture
def kept(cli: Cli) -> None:
    """Ann asked something and chose something; Ben chose something elsewhere."""

    async def fill() -> None:
        from kensaku.database import runs

        db = await Database.open(Settings.load())
        await runs.begin(db, "r1", ANN, "How do otters sleep?", {}, owner="x")
        await set_options(db, ANN, {"route": "tavily"})
        await set_options(db, Sender("slack", "ben", ""), {"route": "brave"})
        await db.close()

    asyncio.run(fill())


def test_a_person_is_listed_exported_and_deleted(cli: Cli, kept: None) -> None:
    """All of it, and nobody else's."""
    assert cli("people", "list", "terminal").out == "ann\n"
    told = cli("people", "export", "terminal", "ann").json
    assert [m["text"] for m in told["messages"]] == ["How do otters sleep?"]
    assert told["options"] == {"route": "tavily"}

    done = cli("people", "delete", "terminal", "ann", "--yes", "--json")
    assert done.json == {"channel": "terminal", "person": "ann", "messages": 1}
    assert cli("people", "list", "terminal").out == ""
    assert cli("people", "list", "slack").out == "ben\n"


def test_the_input_history_goes_with_the_person(cli: Cli, kept: None, machine: Path) -> None:
    """Of the terminal, and only with the one who typed it."""
    (machine / "chat-history").write_text("typed")
    cli("people", "delete", "terminal", "ann", "--yes")
    assert (machine / "chat-history").exists()
    cli("people", "delete", "terminal", getpass.getuser(), "--yes")
    assert not (machine / "chat-history").exists()


def test_nothing_is_deleted_without_consent(cli: Cli, kept: None) -> None:
    """In a pipe nobody can be asked."""
    done = cli("people", "delete", "terminal", "ann")

    assert done.status == 2
    assert "--yes" in done.err
    assert cli("people", "list", "terminal").out == "ann\n"


@pytest.mark.parametrize("words", [("list", "terminal", "ann"), ("export", "terminal")])
def test_wrong_words_are_refused(words: tuple[str, ...], cli: Cli) -> None:
    """Before the database is opened."""
    done = cli("people", *words)

    assert done.status == 2
    assert "takes" in done.err
