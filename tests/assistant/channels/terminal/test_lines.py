"""Lines of the terminal to the character: calls, results, sources, questions, and the prompt."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import UTC, datetime
from io import StringIO

import pytest

from kensaku.answers.events import ToolEnded
from kensaku.answers.person import Question
from kensaku.assistant.channels.terminal.format import (
    call_lines,
    folded_results,
    question_lines,
    write_conversation,
)
from kensaku.assistant.channels.terminal.input import (
    Interrupted,
    Lines,
)
from kensaku.database.conversations import Message
from kensaku.locale import translator

ENGLISH = translator("en")

CALL = ToolEnded("1", "web_search", {"query": "sea otters"}, "found", 5, ("tavily",), 312.4)
FOUND = [(f"Title {n}", f"https://{n}.example/x") for n in range(1, 5)]


def nothing() -> None:
    """Nothing is to be done."""


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (51, ['web_search: "sea otters" · tavily · 5 hits · 312 ms']),
        (50, ['web_search: "sea otters"', "  tavily · 5 hits · 312 ms"]),
        (20, ['web_search: "sea ot…', "  tavily · 5 hits ·…"]),
    ],
)
def test_a_call_in_one_line_or_in_two(columns: int, lines: list[str]) -> None:
    """One where it fits, to the last column."""
    assert call_lines(CALL, ENGLISH, columns) == lines


@pytest.mark.parametrize(
    ("count", "columns", "lines"),
    [
        (0, 40, []),
        (3, 40, ["Title 1 · 1.example", "Title 2 · 2.example", "Title 3 · 3.example"]),
        (4, 19, ["Title 1 · 1.example", "Title 2 · 2.example", "Title 3 · 3.example", "… 1 more"]),
        (1, 18, ["Title 1 · 1.examp…"]),
    ],
)
def test_three_results_are_shown(count: int, columns: int, lines: list[str]) -> None:
    """With their hosts; the others are counted."""
    assert folded_results(FOUND[:count], ENGLISH, columns) == lines


def test_a_title_gets_the_room_that_its_host_leaves() -> None:
    """At least twelve columns; without a title the host stands alone, and the other way round."""
    found = [("x" * 40, "https://a.example/"), ("", "https://a.example/"), ("Title", "https://[")]

    assert folded_results(found, ENGLISH, 30) == [f"{'x' * 17}… · a.example", "a.example", "Title"]
    assert folded_results(found[:1], ENGLISH, 20) == [f"{'x' * 11}… · a.ex…"]


def test_a_question_with_options_and_a_long_reason() -> None:
    """Options by number; of the reason, 600 characters."""
    asked = Question(
        "help", "Which\notters?", reason=f" {'x' * 601}", choices=("proceed", "retry", "cancel"),
        options=("sea", "river"),
    )  # fmt: skip

    assert question_lines(asked, ENGLISH) == [
        "? Which otters?",
        f"  {'x' * 599}…",
        "  1. sea",
        "  2. river",
        "  [y] yes  [r] again  [c] cancel the run  Enter: no",
    ]


def test_a_conversation_of_several_messages() -> None:
    """Sources follow answers alone; each in a line."""
    now = datetime.now(UTC)
    one, two = ({"n": n, "title": f"T{n}\x1b[31m", "url": f"https://{n}.example/"} for n in (1, 2))
    said = [
        Message("1", "user", "Why?\nSo?", now, {"citations": [one]}),
        Message("2", "assistant", "So.\n\nYes.", now, {"citations": [one, two]}),
        Message("3", "assistant", "No.", now, {"citations": []}),
    ]

    assert write_conversation(" A\ntitle", said) == (
        "# A title\n\n## Why? So?\n\nSo.\n\nYes.\n\n"
        "[1] T1 <https://1.example/>\n[2] T2 <https://2.example/>\n\nNo.\n"
    )


async def test_plain_lines_are_read_one_by_one() -> None:
    """With a prompt where a person types them; the end is the end."""
    prompts, ready = StringIO(), list[str]()
    reads = Lines(StringIO("one\ntwo\n"), prompts)

    assert await reads.line(lambda: ready.append(prompts.getvalue())) == "one\n"
    assert ready == ["> "]
    assert await reads.reply(asyncio.Event().wait()) == "two\n"
    assert prompts.getvalue() == "> ? "
    with pytest.raises(EOFError):
        await reads.line(nothing)
    assert reads.has_person
    assert not Lines(StringIO("")).has_person
    shown: list[str] = []
    await reads.aside(lambda: shown.append("aside"))
    assert shown == ["aside"]


async def test_a_reply_that_comes_too_late_is_the_next_line() -> None:
    """Nobody waits for it any more, but it was typed."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w") as typed:
        reads = Lines(stream)
        assert await reads.reply(asyncio.sleep(0)) is None
        typed.write("late\n")
        typed.flush()
        assert await reads.line(nothing) == "late\n"


async def test_ctrl_c_interrupts_a_line_that_is_still_read_afterwards() -> None:
    """The thread that reads cannot be stopped: its line is the next one."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w") as typed:
        reads = Lines(stream)
        before = signal.getsignal(signal.SIGINT)
        line = asyncio.ensure_future(reads.line(nothing))
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            await line
        assert signal.getsignal(signal.SIGINT) is before
        typed.write("next\n")
        typed.flush()
        assert await reads.line(nothing) == "next\n"
