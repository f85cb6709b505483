"""The channel without a terminal: what is typed, what is shown, what is kept."""

from __future__ import annotations

import asyncio
import json
import signal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from kensaku.assistant import Assistant
from kensaku.assistant.channels.terminal.chat import CHANNEL
from kensaku.assistant.channels.terminal.input import HISTORY, Lines, prepare_history
from kensaku.database import Database
from kensaku.database.conversations import Sender
from kensaku.database.people import export_person
from kensaku.errors import ConfigError
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web
from tests.assistant.conftest import ASK, SLEEP, age, begin, until_asked
from tests.search.support import until

from .conftest import CTRL_D, Talk

ME = Sender(CHANNEL, "ann", "t1")
JAPANESE = "ラッコは何を食べますか？"
HANGS = ("web_search=ask",)


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


WRONG = [
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
]


async def test_a_wrong_line_is_one_sentence_and_the_next_is_read(talk: Talk) -> None:
    """Nothing that is typed ends the session."""
    done = await talk([*(line for line, _ in WRONG), "/settings"])

    told = done.err.splitlines()
    for (_, said), line in zip(WRONG, told, strict=False):
        assert said in line
    assert told[len(WRONG)] == "route: as in the settings"


async def test_what_was_said_is_listed_reopened_and_saved(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the next session, too, for this user alone; a file that exists is not replaced."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "otters.md"
    await talk([SLEEP])
    done = await talk(["/history", "/resume 1", *["/save ~/otters.md"] * 2, "/export a\0b"])

    assert f"  {SLEEP}" in done.err
    assert f"Going on: {SLEEP}\n> {SLEEP}\nSea otters hold" in done.err
    assert "Saved in ~/otters.md." in done.err
    assert "~/otters.md cannot be written: File exists." in done.err
    assert "cannot be written: embedded null byte." in done.err
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


async def test_all_that_is_kept_is_exported_and_deleted(
    talk: Talk, client: Any, machine: Path, tmp_path: Path
) -> None:
    """With the history of the prompt; after a clear yes alone."""
    prepare_history(machine / HISTORY)
    (machine / HISTORY).write_text("# now\n+secret\n")
    file = tmp_path / "me.json"
    await talk([JAPANESE, f"/export {file}", "/delete-me"], ["no"])
    assert f'"text": "{JAPANESE}"' in file.read_text()  # as it was typed
    kept = json.loads(file.read_text())
    assert [m["role"] for m in kept["messages"]] == ["user", "assistant"]
    assert file.stat().st_mode & 0o777 == 0o600
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


async def test_a_question_that_waited_too_long_is_given_up(
    talk: Talk, web: Web, clock: Any, client: Any
) -> None:
    """Nothing is done, and the prompt comes back."""
    session = asyncio.ensure_future(talk([SLEEP, "/settings"], assistant_approvals=HANGS))
    for number in (1, 2, 3):  # consent to two queries, and help
        await until(lambda: talk.sessions and talk.sessions[0].err.count("? ") >= number)  # type: ignore[attr-defined]  # noqa: B023
        clock.advance(client().settings.assistant_wait)
    done = await session

    assert "No reply came in time" in done.err
    assert "not allowed" in done.err
    assert web.queries == []
    assert "model: as in the settings" in done.err


@pytest.mark.parametrize(
    ("lines", "replies", "status"),
    [
        ([SLEEP, "/settings"], [], 0),
        (["Who painted the Mona Lisa?", SLEEP], ["s"], 1),
        (["x" * 5_000], [], 1),
        (["/save"], [], 1),
        ([SLEEP], [None], 0),
    ],
    ids=["answered", "one of two", "refused", "wrong usage", "stopped by the person"],
)
async def test_the_exit_status_says_whether_all_was_answered(
    lines: list[str], replies: list[str | None], status: int, talk: Talk
) -> None:
    """A script that pipes questions has nothing else to go by."""
    asks = HANGS if replies == [None] else ()
    done = await talk(list(lines), list(replies), assistant_approvals=asks)

    assert done.status == status


async def test_the_end_of_the_input_is_no_consent(talk: Talk, web: Web) -> None:
    """Ctrl-D at a question refuses."""
    done = await talk([SLEEP], [CTRL_D] * 3, assistant_approvals=HANGS)

    assert (web.queries, done.out) == ([], "")


async def test_a_question_in_japanese_gets_japanese_words(talk: Talk) -> None:
    """Also after one in English, and back."""
    done = await talk([JAPANESE, SLEEP])

    assert "1 件" in done.err
    assert "1 hit" in done.err


async def test_what_the_command_line_says_besides_knows_options_and_answer(talk: Talk) -> None:
    """What was given counts over what was chosen."""
    await talk(["/provider tavily", "/budget searches=3"])
    done = await talk([SLEEP], options={"route": "tavily,local"})
    options, text = done.notices.about

    assert options == {"route": "tavily,local", "budget": {"searches": 3}}
    assert text in done.out


async def test_ctrl_c_during_a_run_stops_it_and_keeps_the_prompt(
    talk: Talk, upstream: FakeUpstream
) -> None:
    """The signal does not end the program; its handler is as before."""
    before = signal.getsignal(signal.SIGINT)
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    session = asyncio.ensure_future(talk([SLEEP, "/resume"]))
    await until(lambda: upstream.asked("tavily"))
    signal.raise_signal(signal.SIGINT)
    done = await session

    assert "Stopped." in done.err
    assert "Nothing is unfinished" in done.err
    assert signal.getsignal(signal.SIGINT) is before


async def test_a_session_that_is_cancelled_reads_no_other_line(
    talk: Talk, upstream: FakeUpstream
) -> None:
    """By whoever runs it; only Ctrl-C keeps the prompt."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    session = asyncio.ensure_future(talk([SLEEP, "/help"]))
    await until(lambda: upstream.asked("tavily"))
    session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await session

    assert talk.sessions[0].err == ""  # type: ignore[attr-defined]


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


async def leave_behind(k: Any) -> None:
    """Let a process be killed while it answers."""
    db = await Database.open(k.settings)
    killed = Assistant(db, lambda _: k)
    await until_asked(await begin(killed, ME, SLEEP, approvals=ASK))
    await killed.close()
    await age(db, "lease")
    await db.close()


@pytest.mark.parametrize("by_option", [False, True])
async def test_an_unfinished_question_is_offered_and_gone_on_with(
    by_option: bool, talk: Talk, client: Any
) -> None:
    """In its own conversation, where it is not asked again; in a pipe nobody is told."""
    await leave_behind(client())
    piped = await talk([], reads=Lines(StringIO("/settings\n")))
    assert "not answered" not in piped.err

    follow_up = ["And what do they eat?", "/resume"]
    lines = follow_up if by_option else ["/settings", "/resume", *follow_up]
    done = await talk(lines, ["y"], resume=by_option)
    assert f"An earlier question was not answered: {SLEEP} /resume goes on" in done.err
    assert f"Going on: {SLEEP}" in done.err
    assert "Sea otters hold hands" in done.out
    assert "sea otters sleep: And what do they eat?" in done.err
    assert "Nothing is unfinished" in done.err


async def test_the_lease_of_a_killed_process_is_waited_for(
    talk: Talk, client: Any, web: Web, clock: Any
) -> None:
    """As long as it lasts; then the question goes on."""
    k = client()
    db = await Database.open(k.settings)
    alive = Assistant(db, lambda _: k)  # nobody knows whether it is
    await until_asked(await begin(alive, ME, SLEEP, approvals=ASK))
    session = asyncio.ensure_future(talk(["/resume"], ["y"]))
    await until(lambda: talk.sessions and "not answered" in talk.sessions[0].err)  # type: ignore[attr-defined]
    await age(db, "lease")
    clock.advance(1)
    done = await session

    assert "Sea otters hold hands" in done.out
    await alive.close()
    await db.close()


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
    for length in (65_536, 200_000):
        done = await talk([], reads=Lines(StringIO("x" * length + "\n/settings\n")))

        assert done.err.count("65,536 characters; at most") == 1  # no more of it is kept
        assert "model: as in the settings" in done.err


async def test_a_database_that_does_not_open_ends_the_session(talk: Talk) -> None:
    """With its own error, at the first line that needs it."""
    with pytest.raises(ConfigError):
        await talk(["/new", SLEEP, "/help"], database_url="nonsense")

    assert talk.sessions[0].err == "A new conversation.\n"  # type: ignore[attr-defined]


def test_the_history_is_private_and_bounded(tmp_path: Path) -> None:
    """Of a long one, the newest entries stay whole."""
    path = tmp_path / "home" / HISTORY
    prepare_history(path)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.write_text("".join(f"\n# {n}\n+line {n}\n" for n in range(100_000)))
    path.chmod(0o644)
    prepare_history(path)
    assert path.stat().st_mode & 0o777 == 0o600

    kept = path.read_text()
    assert len(kept) < 1 << 20
    assert kept.startswith("\n# ")
    assert kept.endswith("+line 99999\n")
    path.write_bytes(b"\n# 1\n+" + b"a" * (1 << 20))  # one entry that is longer than all may be
    prepare_history(path)
    assert path.read_bytes() == b"a" * (1 << 19)
