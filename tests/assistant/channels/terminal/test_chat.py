"""The channel without a terminal: what is typed, what is shown, what is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from kensaku.assistant.assistant import Assistant
from kensaku.assistant.channels.terminal.chat import CHANNEL, Chat
from kensaku.assistant.channels.terminal.commands import TABLE, completions
from kensaku.assistant.channels.terminal.input import HISTORY, Interrupted, Lines, prepare_history
from kensaku.assistant.channels.terminal.screen import LiteScreen
from kensaku.assistant.channels.terminal.words import ENGLISH
from kensaku.database import Database, runs
from kensaku.database.people import export_person
from kensaku.errors import DatabaseFault
from kensaku.index import Index
from kensaku.models import Document
from tests.assistant.conftest import client as client
from tests.assistant.conftest import web as web
from tests.research.conftest import Web

SLEEP = "How do sea otters sleep?"


class Typed:
    """A person who types lines, replies to questions, and presses Ctrl-C (None)."""

    def __init__(self, lines: list[str | None], replies: list[str | None] | None = None) -> None:
        self.lines, self.replies = lines, replies or []
        self.has_person = True

    async def line(self, on_ready: Callable[[], None]) -> str:
        on_ready()
        if not self.lines:
            raise EOFError
        if (line := self.lines.pop(0)) is None:
            raise Interrupted
        return line

    async def reply(self, until: Awaitable[object]) -> str | None:
        if not self.replies:
            await until
            return None
        asyncio.ensure_future(until).cancel()
        if (reply := self.replies.pop(0)) is None:
            raise Interrupted
        return reply

    async def aside(self, show: Callable[[], None]) -> None:
        show()


class Silent:
    """Says nothing besides the answer."""

    def before(self, options: dict[str, Any]) -> None:
        """Nothing."""

    def after(self, answer: Any) -> None:
        """Nothing."""


class Session:
    """A chat, and what it has shown."""

    def __init__(self, chat: Chat, screen: LiteScreen, out: StringIO, err: StringIO) -> None:
        self.chat, self.screen, self._out, self._err = chat, screen, out, err

    @property
    def out(self) -> str:
        return self._out.getvalue()

    @property
    def err(self) -> str:
        return self._err.getvalue()


@pytest.fixture
async def talk(client: Any, machine: Path) -> AsyncIterator[Callable[..., Awaitable[Session]]]:
    """`await talk(["a question", "/help"], replies=["y"])`: to the end."""
    closing: list[Callable[[], Awaitable[None]]] = []

    async def run(
        lines: list[str | None],
        replies: list[str | None] | None = None,
        *,
        reads: Any = None,
        resume: bool = False,
        options: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Session:
        k = client(**settings)
        out, err = StringIO(), StringIO()
        screen = LiteScreen(ENGLISH, out, err)

        async def open_assistant() -> Assistant:
            db = await Database.open(k.settings)
            assistant = Assistant(db, lambda _: k)
            closing.extend([db.close, assistant.close])
            return assistant

        chat = Chat(
            open_assistant, reads or Typed(lines, replies), screen, Silent(),
            person="ann", tenant="", home=machine, options=options,
        )  # fmt: skip
        session = Session(chat, screen, out, err)
        await chat.run(resume=resume)
        return session

    yield run
    for close in reversed(closing):
        await close()


Talk = Callable[..., Awaitable[Session]]


async def test_questions_of_one_conversation_know_each_other(talk: Talk, web: Web) -> None:
    """Until /new."""
    done = await talk([SLEEP, "And what do they eat?", "/new", "And what do they eat?", "  "])

    assert "Sea otters hold hands" in done.out
    assert 'web_search: "How do sea otters sleep?" · tavily · 1 hit' in done.err
    assert "otters" in web.queries[1]
    assert not any("otters" in query for query in web.queries[2:])


async def test_choices_are_shown_kept_and_taken_back(talk: Talk) -> None:
    """They count over the command line, and in the next session."""
    first = await talk(
        ["/provider tavily, brave", "/model small", "/budget searches=3 money=0.5", "/settings"],
        options={"route": "exa"},
        llm_url="http://127.0.0.1:9",
    )
    assert "route: tavily,brave\n" in first.err
    assert first.err.count("budget: searches=3 money=0.5\n") == 2
    assert "collection: as in the settings" in first.err

    second = await talk(["/provider", "/provider -", "/budget -", "/model"])
    assert second.err.splitlines() == [
        "route: tavily,brave", "route: as in the settings", "budget: as in the settings",
        "model: small",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/provider nobody", "there is no provider 'nobody'"),
        ("/budget searches", "searches is no bound"),
        ("/budget patience=3", "there is no bound 'patience'"),
        ("/budget searches=0", "must be above 0"),
        ("/save", "takes the name of a file"),
        ("/save x", "Nothing was said"),
        ("/resume 7", "There is no conversation 7"),
        ("/resume x", "There is no conversation x"),
        ("/resume", "Nothing is unfinished"),
        ("/history", "There are no conversations yet"),
        ("/sources", "There is no answer with sources yet"),
        ("/what\x1b[31m", "There is no command /what;"),
        ("x" * 5_000, "at most 4,000"),
    ],
)
async def test_a_wrong_line_is_one_sentence_and_the_next_is_read(
    line: str, said: str, talk: Talk
) -> None:
    """Nothing that is typed ends the session."""
    done = await talk([line, "/settings"])

    assert said in done.err.splitlines()[0]
    assert "model: as in the settings" in done.err


async def test_what_was_said_is_listed_reopened_and_saved(talk: Talk, tmp_path: Path) -> None:
    """In the next session, too; a file that exists is not replaced."""
    file = tmp_path / "otters.md"
    await talk([SLEEP])
    done = await talk(["/history", "/resume 1", f"/save {file}", f"/save {file}"])

    assert f"  {SLEEP}" in done.err
    assert f"Going on: {SLEEP}\n> {SLEEP}\nSea otters hold" in done.err
    assert f"Saved in {file}" in done.err
    assert "cannot be written: File exists" in done.err
    assert file.read_text().startswith(f"# {SLEEP}\n\n## {SLEEP}\n\nSea otters hold")
    assert file.stat().st_mode & 0o777 == 0o600


async def test_the_last_conversation_goes_on(talk: Talk, web: Web) -> None:
    """--resume, without anything unfinished."""
    await talk([SLEEP])
    done = await talk(["And what do they eat?"], resume=True)

    assert done.err.startswith(f"Going on: {SLEEP}")
    assert "otters" in web.queries[1]


async def test_sources_unfold_passages_and_what_else_was_found(talk: Talk) -> None:
    """Of the last answer."""
    done = await talk([SLEEP, "/sources"])
    shown = done.out.partition("/p/sleep")[2]

    assert "[1] (" in shown
    assert "    Sea otters hold hands while they sleep." in shown
    assert done.chat.found
    assert done.chat.found[0][0] == "How otters sleep"


async def test_all_that_is_kept_is_exported_and_deleted(
    talk: Talk, client: Any, machine: Path, tmp_path: Path
) -> None:
    """With the history of the prompt; after a clear yes alone."""
    prepare_history(machine / HISTORY)
    (machine / HISTORY).write_text("# now\n+secret\n")
    file = tmp_path / "me.json"
    await talk([SLEEP, f"/export {file}", "/delete-me"], ["no"])
    kept = json.loads(file.read_text())
    assert [m["role"] for m in kept["messages"]] == ["user", "assistant"]
    assert (machine / HISTORY).stat().st_size

    done = await talk(["/delete-me", "/export"], ["yes"])
    assert "Deleted: 2 messages" in done.err
    assert '"messages": []' in done.err
    assert (machine / HISTORY).stat().st_size == 0
    db = await Database.open(client().settings)
    assert (await export_person(db, "", CHANNEL, "ann"))["messages"] == []
    await db.close()


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ("y", [SLEEP]),
        ("はい", [SLEEP]),
        ("otters sleep", ["otters sleep"]),
        ("s", []),
        ("", []),
        ("c", []),
    ],
)
async def test_approval_by_letter_word_or_other_words(
    reply: str, queries: list[str], talk: Talk, web: Web
) -> None:
    """Enter is no consent."""
    done = await talk([SLEEP], [reply, "s", "s"], assistant_approvals=("web_search=ask",))

    assert "? May web_search run?" in done.err
    assert web.queries == queries
    assert bool(done.out) == bool(queries)


async def test_a_question_that_waited_too_long_is_given_up(talk: Talk, web: Web) -> None:
    """Nothing is done, and the prompt comes back."""
    done = await talk(
        [SLEEP, "/settings"], assistant_approvals=("web_search=ask",), assistant_wait=1
    )

    assert "No reply came in time" in done.err
    assert "not allowed" in done.err
    assert web.queries == []
    assert "model: as in the settings" in done.err


async def test_ctrl_c_at_a_question_stops_the_run(talk: Talk, web: Web) -> None:
    """It is not offered again."""
    done = await talk([SLEEP, "/resume"], [None], assistant_approvals=("web_search=ask",))

    assert "Stopped." in done.err
    assert "Nothing is unfinished" in done.err
    assert web.queries == []


async def test_a_second_ctrl_c_at_an_empty_prompt_leaves(talk: Talk) -> None:
    """One by mistake does not, and a line in between starts anew."""
    done = await talk([None, "/settings", None, None, "/help"])

    assert done.err.count("Ctrl-C again") == 2
    assert "/quit" not in done.err


async def test_quit_leaves(talk: Talk) -> None:
    """What follows is not read."""
    done = await talk(["/quit", "/help"])

    assert done.err == ""


async def test_an_unfinished_question_is_offered(
    talk: Talk, client: Any, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And answered by /resume, in its own conversation."""
    monkeypatch.setattr(runs, "LEASE_SECONDS", -1.0)
    k = client()
    db = await Database.open(k.settings)
    killed = Assistant(db, lambda _: k)
    from kensaku.database.conversations import Sender

    await killed.receive(Sender(CHANNEL, "ann", "t1"), SLEEP)
    await killed.close()
    await db.close()

    done = await talk(["/settings", "/resume", "/resume"])
    assert f"An earlier question was not answered: {SLEEP} /resume goes on" in done.err
    assert f"Going on: {SLEEP}" in done.err
    assert "Sea otters hold hands" in done.out
    assert "Nothing is unfinished" in done.err


async def test_in_a_pipe_nobody_is_asked(talk: Talk, web: Web) -> None:
    """No tool is allowed; a doubtful answer is given with its doubt, as `kensaku ask` does."""
    refused = await talk(
        [], reads=Lines(StringIO(f"{SLEEP}\n")), assistant_approvals=("web_search=ask",)
    )
    assert "not allowed" in refused.err
    assert refused.out == ""
    assert web.queries == []

    doubtful = await talk(
        [], reads=Lines(StringIO(SLEEP)), assistant_notify=1.0, assistant_silent=1.0
    )
    assert "Sea otters hold hands" in doubtful.out
    assert "uncertain" in doubtful.err


async def test_a_line_that_is_too_long_is_refused_once(talk: Talk) -> None:
    """Its end is no question of its own."""
    done = await talk([], reads=Lines(StringIO("x" * 200_000 + "\n/settings\n")))

    assert done.err.count("characters; at most") == 1
    assert "model: as in the settings" in done.err


async def test_a_database_that_does_not_open_ends_the_session(machine: Path) -> None:
    """With its own error, at the first line that needs it."""

    async def broken() -> Assistant:
        raise DatabaseFault("the database cannot be connected to")

    chat = Chat(
        broken, Typed([SLEEP, "/help"]), LiteScreen(ENGLISH, StringIO(), StringIO()), Silent(),
        person="ann", tenant="", home=machine,
    )  # fmt: skip
    with pytest.raises(DatabaseFault):
        await chat.run()


async def test_commands_and_their_arguments_are_completed(talk: Talk, machine: Path) -> None:
    """From the table; collections by their folders."""
    async with Index(machine / "index") as index:
        await index.add([Document(url="file:x", title="X", text="otters")], collection="papers")
    chat = (await talk([])).chat

    assert [word for word, _ in completions(chat, "/")] == [f"/{name}" for name in TABLE]
    assert [word for word, _ in completions(chat, "/co")] == ["/collection"]
    assert [word for word, _ in completions(chat, "/provider tavily,br")] == [
        "brave", "brave_context", "brave_web",
    ]  # fmt: skip
    assert [word for word, _ in completions(chat, "/collection ")] == ["papers"]
    assert list(completions(chat, "what is /etc")) == []
    assert list(completions(chat, "/help x")) == []


def test_the_history_is_private_and_bounded(tmp_path: Path) -> None:
    """Of a long one, the newest entries stay whole."""
    path = tmp_path / "home" / HISTORY
    prepare_history(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("".join(f"\n# {n}\n+line {n}\n" for n in range(100_000)))
    prepare_history(path)

    kept = path.read_text()
    assert len(kept) < 1 << 20
    assert kept.startswith("\n# ")
    assert kept.endswith("+line 99999\n")
