"""`kensaku people`: what is kept about a person is printed, and deleted."""

from __future__ import annotations

import asyncio
import getpass
import io
import sys
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
    """Of the terminal, and only with the one who typed it: Slack may have the same name."""
    (machine / "chat-history").write_text("typed")
    cli("people", "delete", "terminal", "ann", "--yes")
    cli("people", "delete", "slack", getpass.getuser(), "--yes")
    assert (machine / "chat-history").exists()
    cli("people", "delete", "terminal", getpass.getuser(), "--yes")
    assert not (machine / "chat-history").exists()


def test_nothing_is_deleted_without_consent(cli: Cli, kept: None) -> None:
    """In a pipe nobody can be asked."""
    done = cli("people", "delete", "terminal", "ann")

    assert done.status == 2
    assert "--yes" in done.err
    assert cli("people", "list", "terminal").out == "ann\n"


def test_what_is_said_about_people(cli: Cli, kept: None) -> None:
    """Who talked, and that nobody did."""
    assert cli("people", "list", "terminal", "--json").json == ["ann"]
    nobody = cli("people", "list", "web")
    assert (nobody.status, nobody.out) == (0, "")
    assert nobody.err == "nobody has talked on web\n"
    assert cli("people", "list", "web", "--json").json == []
    gone = cli("people", "delete", "terminal", "ann", "--yes")
    assert (gone.status, gone.err) == (0, "")
    assert gone.out == "deleted 1 messages, the choices and the approvals\n"


def test_people_belong_to_a_tenant(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the settings, or the one that is named; no name is one, too."""

    async def fill() -> None:
        db = await Database.open(Settings.load())
        for tenant in ("acme", "other", ""):
            sender = Sender("slack", f"ann-{tenant}", "t1", tenant)
            await set_options(db, sender, {"route": "tavily"})
        await db.close()

    asyncio.run(fill())
    assert cli("people", "list", "slack").out == "ann-\n"
    monkeypatch.setenv("KENSAKU_TENANT", "acme")
    assert cli("people", "list", "slack").out == "ann-acme\n"
    assert cli("people", "list", "slack", "--tenant", "other").out == "ann-other\n"
    assert cli("people", "list", "slack", "--tenant", "").out == "ann-\n"
    told = cli("people", "export", "slack", "ann-other", "--tenant", "other").json
    assert told["options"] == {"route": "tavily"}


@pytest.mark.parametrize(
    ("typed", "deleted"), [(" YES \n", True), ("はい\n", True), ("n\n", False), ("", False)]
)
def test_a_person_at_the_terminal_is_asked(
    typed: str, deleted: bool, cli: Cli, kept: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a yes deletes."""
    stdin = io.StringIO(typed)
    monkeypatch.setattr(stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", stdin)
    done = cli("people", "delete", "terminal", "ann")

    question = "delete all that is kept about ann on terminal? [y/N]"
    assert done.status == int(not deleted)
    assert done.err.splitlines() == [question, *([] if deleted else ["nothing was deleted"])]
    assert cli("people", "list", "terminal").out == ("" if deleted else "ann\n")
