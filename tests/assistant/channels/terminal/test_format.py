"""Events as lines: what they say, how wide they are, and that no text reaches the terminal raw."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from rich.console import Console

from kensaku.answers.cited import Assessment, Cited, CitedAnswer
from kensaku.answers.events import (
    Answered,
    Event,
    Failed,
    Planned,
    TextDelta,
    ToolEnded,
    ToolStarted,
)
from kensaku.answers.person import Question, Reply
from kensaku.assistant.channels.terminal.chat import translator_for
from kensaku.assistant.channels.terminal.format import (
    call_command,
    call_lines,
    call_result,
    folded_results,
    question_lines,
    read_letter,
)
from kensaku.assistant.channels.terminal.screen import LiteScreen, Screen
from kensaku.compat.terminal import format_web_search_command_message
from kensaku.locale import Translator, translator
from kensaku.models import Outcome
from kensaku.text.width import display_width

ENGLISH, JAPANESE = translator("en"), translator("ja")

CALL = ToolEnded("1", "web_search", {"query": "sea otters"}, "found", 5, ("tavily",), 312.4)
# Colours, a title, a link, the clipboard, a cursor, a bell, C1, a carriage return, bidi.
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\ "
    "\x1b]52;c;c3RlYWw=\x07 \x1b[2J\x1b[H \x9b31m \x9d0;c1\x9c \x07\x08 over\rwritten \u202egnp.exe"
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def answer(text: str | None, *citations: Cited, doubt: str = "", reason: str = "") -> CitedAnswer:
    """An answer with these citations."""
    assessment = Assessment(0.9, "high", "silent", {})
    return CitedAnswer("q", text, citations, Outcome.FOUND, assessment, doubt=doubt, reason=reason)


def test_a_call_has_the_command_message_of_the_specification() -> None:
    """S4-35: the query in quotes, or `unknown query`."""
    for arguments in ({"query": "sea otters"}, {}):
        (message,) = format_web_search_command_message({"arguments": arguments}, 0, {})
        assert call_command("web_search", arguments) == message.command


@pytest.mark.parametrize(
    ("event", "t", "result"),
    [
        (CALL, ENGLISH, "tavily · 5 hits · 312 ms"),
        (CALL, JAPANESE, "tavily · 5 件 · 312 ms"),
        (ToolEnded("1", "web_search", {"query": "x"}, "found", 1), ENGLISH, "1 hit · 0 ms"),
        (ToolEnded("1", "web_extract", {"urls": ["x"]}, "found", 2), ENGLISH, "2 pages · 0 ms"),
        (ToolEnded("1", "web_search", {"query": "x"}, "empty"), ENGLISH, "nothing found · 0 ms"),
        (ToolEnded("1", "web_search", {"query": "x"}, "unavailable"), JAPANESE, "検索できませんでした · 0 ms"),
        (ToolEnded("1", "web_extract", {"urls": ["x"]}, "unavailable"), ENGLISH,
         "could not be read · 0 ms"),
        (ToolEnded("1", "web_search", {"query": "x"}, "refused"), ENGLISH, "not allowed"),
        (ToolEnded("1", "web_search", {"query": "x"}, "found", 3, repeated=True), ENGLISH,
         "3 hits · used again"),
    ],
)  # fmt: skip
def test_the_result_of_a_call_says_what_came_of_it(
    event: ToolEnded, t: Translator, result: str
) -> None:
    """Nobody could search is not nothing found."""
    assert call_result(event, t) == result


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize(
    "query", ["sea otters", "ラッコは眠るときに手をつなぎますか" * 5, "x" * 300]
)
def test_lines_fit_the_terminal(columns: int, query: str) -> None:
    """A wide character takes two columns."""
    found = [
        (query, f"https://{'long.' * 10}example/"),
        ("", "file:x"),
        ("t", "nonsense"),
        *[("t", "")] * 4,
    ]
    event = ToolEnded("1", "web_search", {"query": query}, "found", 9, ("tavily",), 12)
    lines = call_lines(event, JAPANESE, columns) + folded_results(found, JAPANESE, columns)

    assert all(display_width(line) <= columns for line in lines)
    assert any("12 ms" in line for line in lines)
    assert lines[-1] == "… 他 4 件"


def test_a_question_names_its_choices_by_letter() -> None:
    """And what Enter does."""
    asked = Question(
        "approve", "May web_search run?", choices=("proceed", "modify", "skip", "cancel"),
        tool="web_search", arguments={"query": "otters"},
    )  # fmt: skip

    assert question_lines(asked, ENGLISH) == [
        "? May web_search run?",
        '  web_search: "otters"',
        "  [y] yes  [s] skip  [c] cancel the run  Enter: skip",
        "  or other words for the query",
    ]
    confirm = Question("confirm", "Shall it?", reason="Maybe.\n\nOr not.")
    assert question_lines(confirm, JAPANESE)[1:] == [
        "  Maybe.", "  Or not.", "  [y] はい  [c] 中止  Enter: いいえ",
    ]  # fmt: skip
    assert read_letter(asked, " S ") == Reply("skip")
    assert read_letter(asked, "r") is None  # not offered
    assert read_letter(asked, "sure") is None


def test_the_language_is_that_of_the_question_or_of_the_locale() -> None:
    """A Japanese question gets Japanese words in every locale."""
    assert translator_for("ラッコについて", "en").language == "ja"
    assert translator_for("otters", "ja_JP.UTF-8").language == "ja"
    assert translator_for("otters", "C").language == "en"
    assert translator_for("otters", "").language == "en"


def script(hostile: str) -> list[Event]:
    """A run in which everybody else's words are hostile."""
    cited = Cited(1, "https://a.example/" + hostile, f"Title {hostile}", hostile, "web")
    arguments = {"query": f"otters {hostile}"}
    return [
        Planned((f"one {hostile}", "two"), hostile),
        ToolStarted("1", f"web_search{hostile}", arguments),
        ToolEnded("1", "web_search", arguments, "found", 2, (f"tavily{hostile}",), 3, found=(
            (f"Title {hostile}", f"https://a.example/{hostile}"), (hostile, hostile),
        )),
        TextDelta(f"First {hostile}\n\n"), TextDelta("half \x1b"), TextDelta("]8;;http://evil\x07 of it"),
        TextDelta(f"\n\n[name](http://evil.example/) ![i](http://evil.example/p.png)\n\n```{hostile}\nx{hostile}"),
        Answered(answer("x", cited, doubt=f"doubt {hostile}")),
        Failed(f"failed {hostile}", answer(None, reason=hostile)),
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [40, 120])
def test_no_text_of_others_sends_an_escape_sequence(columns: int) -> None:
    """Colours and links on the screen are ours: nothing but SGR, and OSC 8 to the sources."""
    out = StringIO()
    console = Console(
        file=out, force_terminal=True, width=columns, height=40, markup=False, emoji=False,
        highlight=False, color_system="256",
    )  # fmt: skip
    screen = Screen(ENGLISH, console)
    screen.begin("working")
    for event in script(HOSTILE):
        screen.show(event)
    screen.end()
    screen.list_sources([Cited(1, "https://a.example/", "T" + HOSTILE, HOSTILE, "web")],
                        [(HOSTILE, "https://b.example/" + HOSTILE)])  # fmt: skip
    question = Question(
        "approve", HOSTILE, HOSTILE, tool="x" + HOSTILE, arguments={"query": HOSTILE}
    )
    screen.say(*question_lines(question, ENGLISH))

    shown = out.getvalue()
    links = set(re.findall("\x1b]8;[^;]*;([^\x1b]*)\x1b\\\\", shown))
    assert all(re.fullmatch(r"(https://[ab]\.example/[!-~]*)?", link) for link in links), links
    # What is ours: styles, the cursor of the live area, links to sources.
    rest = re.sub(
        "\x1b]8;[^\x1b]*\x1b\\\\|\x1b\\[[0-9;]*m|\x1b\\[\\?25[lh]|\x1b\\[[0-9]*[AK]|\r", "", shown
    )
    assert not CONTROL.search(rest), ascii(CONTROL.findall(rest))
    assert "name" in rest
    assert "(http://evil.example/)" in rest.replace("\n", "")  # written out, not hidden


def test_plain_lines_have_no_escape_sequence_at_all() -> None:
    """In a pipe or a log."""
    out, err = StringIO(), StringIO()
    screen = LiteScreen(ENGLISH, out, err)
    screen.begin("working")
    for event in script(HOSTILE):
        screen.show(event)
    screen.end()
    screen.list_sources([Cited(1, "u" + HOSTILE, "t" + HOSTILE, HOSTILE)], [(HOSTILE, HOSTILE)])
    screen.say(HOSTILE)

    assert not CONTROL.search(out.getvalue() + err.getvalue())
    assert "[1] (web) Title red" in out.getvalue()
