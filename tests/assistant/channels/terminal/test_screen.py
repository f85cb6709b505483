"""What a run looks like on a terminal, and as plain lines: every line of it."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from kensaku.assistant import events
from kensaku.assistant.answer import Cited
from kensaku.assistant.channels.terminal.screen import LiteScreen, Screen, stable_part
from kensaku.assistant.channels.terminal.words import ENGLISH
from kensaku.errors import MissingExtra

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


def answered(doubt: str) -> Any:
    """The last event, with its sources."""
    return events.Answered(SimpleNamespace(citations=SOURCES, doubt=doubt))  # type: ignore[arg-type]


RUN = [
    events.Planned(("How?",), "rule"),
    events.Planned(("How?", "Why\nso?"), "rule"),
    events.ToolStarted("1", "web_search", {"query": "otters"}),
    call(),
    call(outcome="empty", hits=0, providers=(), found=()),
    events.TextDelta("They **hold** hands. [1]\n\n- so"),
    events.TextDelta(" that\x1b[31m"),
    answered("One source only."),
    events.Failed("Nothing was found.", None),  # type: ignore[arg-type]
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


def test_colours_and_links_on_a_terminal() -> None:
    """What was found is green, what was not is yellow; a source is a link to its address."""
    painted = shown(*RUN, force_terminal=True, color_system="standard")

    assert '\x1b[32m✓ web_search: "otters"' in painted
    assert '\x1b[33m– web_search: "otters"' in painted
    assert "\x1b[2m    Otters · a.example\x1b[0m" in painted
    assert "\x1b[1mPlan:\x1b[0m" in painted
    assert "\x1b[33mOne source only.\x1b[0m" in painted
    assert "\x1b[33mNothing was found.\x1b[0m" in painted
    assert painted.count(";https://a.example/p\x1b\\") == 2
    assert "\x1b[36m[1] (web) Otters" in painted


def test_a_block_is_printed_as_soon_as_it_is_whole() -> None:
    """The rest when the run ends; after a failure, too."""
    text = "One.\n\nTwo.\n\nThree"

    assert shown(events.TextDelta(text)).split() == ["One.", "Two."]
    assert shown(events.TextDelta(text), events.Failed("No.", None)).split() == [  # type: ignore[arg-type]
        "One.", "Two.", "Three", "No.",
    ]  # fmt: skip
    assert shown(
        events.TextDelta("One."), events.TextDelta("\n\n"), events.TextDelta("T")
    ).split() == ["One."]


def test_the_live_area_shows_what_is_under_way() -> None:
    """The text so far, then the status or each call, cut to the width; at the end nothing."""
    screen = Screen(ENGLISH, Console(file=io.StringIO(), width=60))

    def live() -> list[str]:
        assert screen._live is not None
        area = Console(file=io.StringIO(), width=60)
        area.print(screen._live.renderable)
        return [line.strip("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ") for line in area.file.getvalue().splitlines()]  # type: ignore[attr-defined]

    screen.begin("working")
    assert live() == ["working"]
    screen.begin("still working")
    assert live() == ["still working"]
    screen.show(events.ToolStarted("1", "web_search", {"query": "o" * 99}))
    assert live() == [f'web_search: "{"o" * 44}…']
    screen.show(events.TextDelta("They"))
    assert live() == ["They", f'web_search: "{"o" * 44}…']
    screen.show(call())
    assert live() == ["They", "still working"]
    screen.show(events.ToolStarted("2", "web_search", {"query": "seals"}))
    screen.end()
    assert screen._live is None
    screen.begin("again")
    assert live() == ["They", "again"]
    screen.end()


def test_sources_unfold_with_their_passages(capsys: pytest.CaptureFixture[str]) -> None:
    """And what else was found."""
    file = io.StringIO()
    screen = Screen(ENGLISH, Console(file=file, width=60))
    screen.list_sources(SOURCES, [("Seals", "https://c.example/")])
    screen.say("one", "two")

    assert file.getvalue().splitlines() == [
        "[1] (web) Otters",
        "    https://a.example/p",
        "    They hold",
        "    hands.",
        "[2] (page) https://b.example/",
        "· Seals",
        "  https://c.example/",
        "one",
        "two",
    ]
    assert screen.columns == 60


def test_text_of_others_is_no_markup_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither tags nor emoji codes, and no number is painted."""
    screen = Screen(ENGLISH)
    screen.say("[bold]x[/bold] :smile: 12")
    text = screen._console.render_str("[bold]x[/bold] :smile: 12 'y'")

    assert capsys.readouterr().out == "[bold]x[/bold] :smile: 12\n"
    assert (text.plain, text.spans) == ("[bold]x[/bold] :smile: 12 'y'", [])


def test_without_its_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is shown."""
    for name in [n for n in sys.modules if n == "rich" or n.startswith("rich.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(MissingExtra) as missing:
        assert Screen(ENGLISH).columns

    assert "kensaku-search[chat]" in str(missing.value)


@pytest.mark.parametrize(
    ("text", "stable"),
    [
        ("one", ""),
        ("\n\n", ""),
        ("one\n\ntwo", "one\n\n"),
        ("one\ntwo\n", ""),
        ("- a\n- b\n\ntext\n", "- a\n- b\n\n"),
        ("```\na\n\nb", ""),
    ],
)
def test_what_follows_cannot_change_a_whole_block(text: str, stable: str) -> None:
    """A list, a code block or a paragraph that may go on is not whole."""
    assert stable_part(text) == stable


class Live:
    """A live area that writes down what is done with it."""

    made: list[Live]

    def __init__(self, **options: Any) -> None:
        self.options, self.calls = options, list[Any]()
        self.made.append(self)

    def start(self) -> None:
        self.calls.append("start")

    def update(self, shown: Any) -> None:
        self.calls.append("" if shown == "" else "update")

    def stop(self) -> None:
        self.calls.append("stop")


def test_the_live_area_is_opened_once_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn eight times a second; what others print is not caught."""
    Live.made = []
    monkeypatch.setattr("rich.live.Live", Live)
    console = Console(file=io.StringIO(), width=60)
    screen = Screen(ENGLISH, console)
    screen.end()
    screen.begin("working")
    screen.begin("still working")
    screen.show(events.ToolStarted("1", "web_search", {"query": "otters"}))
    assert list(screen._running) == ["1"]
    screen.end()
    assert screen._running == {}
    screen.end()

    [live] = Live.made
    assert live.options == {
        "console": console, "refresh_per_second": 8, "transient": True,
        "redirect_stdout": False, "redirect_stderr": False,
    }  # fmt: skip
    assert live.calls == ["start", "update", "update", "update", "", "stop"]
    screen.begin("again")
    assert len(Live.made) == 2


def test_sources_and_what_else_was_found_are_links() -> None:
    """To their own addresses; a passage is none, nor what no browser opens."""
    file = io.StringIO()
    console = Console(file=file, width=60, force_terminal=True, color_system="standard")
    screen = Screen(ENGLISH, console)
    screen.list_sources(SOURCES[:1], [("Seals\nand", "https://c.example/"), ("X", "file:x")])
    screen.say("faint")

    def link(url: str, text: str) -> str:
        return f"\x1b]8;{url}\x1b\\{text}\x1b]8;;\x1b\\"

    def dim(text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m"

    cited, other = "https://a.example/p", "https://c.example/"
    assert re.sub(r"\x1b]8;id=\d+;", "\x1b]8;", file.getvalue()).splitlines() == [
        link(cited, "\x1b[36m[1] (web) Otters\x1b[0m"),
        link(cited, dim(f"    {cited}")),
        dim("    They hold"),
        dim("    hands."),
        link(other, "· Seals and"),
        link(other, dim(f"  {other}")),
        "· X",
        dim("  file:x"),
        dim("faint"),
    ]
