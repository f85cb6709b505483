"""What the wires of the assistant say alike."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kensaku.assistant.answer import Cited
from kensaku.assistant.approval import Question
from kensaku.assistant.events import TextDelta, ToolEnded, ToolStarted
from kensaku.server.wires._assistant import question_text, reply_text, sources_text, tool_text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (Question("confirm", "Shall it?", tool="web_search", arguments={"query": "x"}), "Shall it?"),
        (
            Question("approve", "May it run?", tool="web_search", arguments={"query": "a\nb", "days": 3, "sites": ["c", "d"]}),
            "May it run?\n\nweb_search: a b 3 c d",
        ),
        (Question("help", "Which?", options=("the\nfirst", "second")), "Which?\n\n1. the first\n2. second"),
    ],
)  # fmt: skip
def test_a_question_is_written_with_its_call_and_its_options(question, text):
    """A person agrees to a call with its arguments, and answers with a number."""
    assert question_text(question) == text


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (ToolStarted("t", "web_search", {"query": "otters"}), "web_search: otters\n"),
        (ToolEnded("t", "web_search", {}, "found", 3, ("brave", "exa"), 12.6), "web_search: found · 3 · brave, exa · 13 ms\n"),
        (ToolEnded("t", "web_search", {}, "refused"), "web_search: refused · 0 · 0 ms\n"),
        (TextDelta("x"), ""),
    ],
)  # fmt: skip
def test_a_tool_is_told_in_a_line(event, line):
    """Who answered, how many hits, how long it took."""
    assert tool_text(event) == line


CITED = (
    Cited(1, "https://a.example/a b?c=ö", 'A "quoted" \\ title', ""),
    Cited(2, "note:x", "", "", "collection"),
    Cited(3, "http://b.example/", "", ""),
    Cited(4, "note:y", "Y\nz", "", "collection"),
)
SOURCES = (
    '\n\n[1]: <https://a.example/a%20b?c=%C3%B6> "A \\"quoted\\" \\\\ title"\n'
    "[3]: <http://b.example/>\n\n[2] note:x\n[4] Y z"
)


def test_sources_are_definitions_and_those_without_an_address_follow():
    """A definition makes `[1]` a link; it must not stand behind a text."""
    assert sources_text(CITED) == SOURCES
    assert sources_text(CITED[1:2]) == "\n\n[2] note:x"
    assert sources_text(CITED[2:3]) == "\n\n[3]: <http://b.example/>"


@pytest.mark.parametrize(
    ("doubt", "notes", "citations", "parts"),
    [
        ("", (), (), []),
        ("Unsure.", (), (), ["\n\nUnsure."]),
        ("", ("the model\nfailed", "other"), (), ["\n\n(the model failed)"]),
        (
            "Unsure.",
            ("the model failed",),
            CITED,
            ["\n\nUnsure.", "\n\n(the model failed)", SOURCES],
        ),
    ],
)
def test_an_answer_is_followed_by_doubts_notes_of_models_and_sources(
    doubt, notes, citations, parts
):
    """Notes about providers are not for the person."""
    answer = SimpleNamespace(doubt=doubt, notes=notes, citations=citations)

    assert list(reply_text(answer)) == parts
