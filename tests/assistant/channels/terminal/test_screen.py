"""What a run looks like on a terminal, and as plain lines: every line of it."""

from __future__ import annotations

import io
import re
import sys
import time
from typing import Any

import pytest
from rich.console import Console

from kensaku.answers import events
from kensaku.answers.cited import Cited, CitedAnswer, Thresholds, assess
from kensaku.assistant.channels.terminal.screen import LiteScreen, Screen
from kensaku.errors import MissingExtra
from kensaku.locale import translator
from kensaku.models import Outcome

ENGLISH = translator("en")

SOURCES = [
    Cited(1, "https://a.example/p", "Otters", "They hold\nhands.", "web", None),
    Cited(2, "https://b.example/", "", "", "page", None),
]
FOUND = (("Otters", "https://a.example/p"), ("Seals", "https://b.example/"))


def call(**values: Any) -> events.ToolEnded:
    """A search that found two pages."""
    usual: dict[str, Any] = {
        "outcome": "found",
        "hits": 2,
        "providers": ("tavily",),
        "found": FOUND,
    }
    return events.ToolEnded(
        "1", "web_search", {"query": "otters"}, elapsed_ms=9.6, **{**usual, **values}
    )


def answer(doubt: str = "") -> CitedAnswer:
    """An answer with two sources."""
    assessment = assess((), Thresholds())
    return CitedAnswer("How?", "So.", tuple(SOURCES), Outcome.FOUND, assessment, doubt=doubt)


def answered(doubt: str) -> Any:
    """The last event, with its sources."""
    return events.Answered(answer(doubt))


RUN = [
    events.Planned(("How?",), "rule"),
    events.Planned(("How?", "Why\nso?"), "rule"),
    events.ToolStarted("1", "web_search", {"query": "otters"}),
    call(),
    call(outcome="empty", hits=0, providers=(), found=()),
    events.TextDelta("They **hold** hands. [1]\n\n- so"),
    events.TextDelta(" that\x1b[31m"),
    answered("One source only."),
    events.Failed("Nothing was found.", answer()),
]


def test_plain_lines() -> None:
    """The answer and its sources on stdout; the plan, the calls and the doubt on stderr."""
    out, err = io.StringIO(), io.StringIO()
    screen = LiteScreen(ENGLISH, out, err)
    screen.begin("working")
    for event in RUN:
        screen.show(event)
    screen.end()
    screen.say("one", "two\x1b[1m")
    screen.list_sources(SOURCES, [("Seals\n", "https://c.example/")])

    assert screen.columns is None
    assert err.getvalue().splitlines() == [
        "Plan: How? | Why so?",
        'web_search: "otters" · tavily · 2 hits · 10 ms',
        'web_search: "otters" · nothing found · 10 ms',
        "One source only.",
        "Nothing was found.",
        "one",
        "two",
    ]
    assert out.getvalue() == (
        "They **hold** hands. [1]\n\n- so that\n\n"
        "[1] (web) Otters\n    https://a.example/p\n[2] (page) https://b.example/\n"
        "[1] (web) Otters\n    https://a.example/p\n    They hold\n    hands.\n"
        "[2] (page) https://b.example/\nSeals https://c.example/\n"
    )


def shown(*happened: Any, **options: Any) -> str:
    """What a console of 60 columns gets."""
    file = io.StringIO()
    screen = Screen(ENGLISH, Console(file=file, width=60, **options))
    for event in happened:
        screen.show(event)
    return file.getvalue()


def test_a_run_on_a_terminal() -> None:
    """Calls with their first results, the text as Markdown, the sources, the doubt."""
    assert [line.rstrip() for line in shown(*RUN).splitlines()] == [
        "Plan:",
        "  How?",
        "  Why so?",
        '✓ web_search: "otters" · tavily · 2 hits · 10 ms',
        "    Otters · a.example",
        "    Seals · b.example",
        '– web_search: "otters" · nothing found · 10 ms',
        "They hold hands. [1]",
        "",
        "",
        " • so that",
        "",
        "[1] (web) Otters",
        "    https://a.example/p",
        "[2] (page) https://b.example/",
        "One source only.",
        "Nothing was found.",
    ]


def test_a_block_is_printed_as_soon_as_it_is_whole() -> None:
    """The rest when the run ends; after a failure, too."""
    text = "One.\n\nTwo.\n\nThree"

    assert shown(events.TextDelta(text)).split() == ["One.", "Two."]
    assert shown(events.TextDelta(text), events.Failed("No.", answer())).split() == [
        "One.", "Two.", "Three", "No.",
    ]  # fmt: skip
    assert shown(
        events.TextDelta("One."), events.TextDelta("\n\n"), events.TextDelta("T")
    ).split() == ["One."]


def test_what_is_under_way_is_shown_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The status, the calls cut to the width, the text so far; at the end all of it is erased."""
    monkeypatch.setenv("TERM", "xterm")
    file = io.StringIO()
    screen = Screen(ENGLISH, Console(file=file, width=60, height=20, force_terminal=True))

    def until_drawn(words: str) -> None:
        """Wait for the thread that draws; a minute is enough for anything."""
        for _ in range(6_000):
            if words in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue()):
                return
            time.sleep(0.01)
        raise AssertionError(words)

    screen.begin("working")
    until_drawn("working")
    screen.show(events.ToolStarted("1", "web_search", {"query": "o" * 99}))
    until_drawn(f'web_search: "{"o" * 44}…')
    screen.show(events.TextDelta("They"))
    until_drawn("They")
    screen.end()
    screen.end()
    screen.say("next")
    assert file.getvalue().endswith("next\x1b[0m\n")


def test_text_of_others_is_no_markup_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither tags nor emoji codes."""
    Screen(ENGLISH).say("[bold]x[/bold] :smile: 12")

    assert capsys.readouterr().out == "[bold]x[/bold] :smile: 12\n"


def test_without_its_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is shown."""
    for name in [n for n in sys.modules if n == "rich" or n.startswith("rich.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(MissingExtra) as missing:
        assert Screen(ENGLISH).columns

    assert "kensaku-search[chat]" in str(missing.value)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("one\ntwo\n", ""),
        ("- a\n- b\n\ntext\n", " • a • b"),
        ("```\na\n\nb", ""),
        ("# Head\n\n```\na\n```\n\nb", "Head a"),
    ],
)
def test_what_follows_cannot_change_a_whole_block(text: str, printed: str) -> None:
    """A list, a code block or a paragraph that may go on is not whole."""
    assert re.sub(r"[\s┏━┓┃┗┛]+", " ", shown(events.TextDelta(text))).strip() == printed.strip()


def test_sources_and_what_else_was_found_are_links() -> None:
    """To their own addresses; a passage is none, nor what no browser opens."""
    file = io.StringIO()
    screen = Screen(ENGLISH, Console(file=file, width=60, force_terminal=True))
    screen.list_sources(SOURCES[:1], [("Seals\nand", "https://c.example/"), ("X", "file:x")])
    linked = re.findall(r"\x1b]8;[^;]*;([^\x1b]+)\x1b\\(.*?)\x1b]8;;\x1b", file.getvalue())
    shown = [(url, re.sub(r"\x1b\[[0-9;]*m", "", text).strip()) for url, text in linked]

    assert shown == [
        ("https://a.example/p", "[1] (web) Otters"),
        ("https://a.example/p", "https://a.example/p"),
        ("https://c.example/", "· Seals and"),
        ("https://c.example/", "https://c.example/"),
    ]
    assert "X" in file.getvalue()
