"""What a chat channel writes: the answer with its sources, calls in a line, and parts that fit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.answers.events import ToolEnded, ToolStarted
from kensaku.assistant.channels._text import BROKEN, compose, split_text, tool_line
from kensaku.locale import translator

ENGLISH = translator("en")


def cite(n: int, url: str, title: str | None) -> dict[str, Any]:
    """A citation as the database keeps it."""
    return {"n": n, "url": url, "title": title}


def test_an_answer_stands_with_its_doubt_and_its_sources() -> None:
    """Links of a text become their words; only web addresses are links of the marks."""
    stored = {
        "answer": " See [here](https://x.example). [1]\n",
        "doubt": "One source only.",
        "citations": [
            cite(1, "https://a.example/p", "Otters  [of](http://x) the\nsea"),
            cite(2, "file:///notes.md", "Notes"),
            cite(3, "https://b.example/", None),
            cite(4, "https://c.example/", "https://c.example/"),
            cite(5, "https://[", "Broken"),
            cite(6, "https://d.example/", "t" * 130),
        ],
    }
    text, links = compose(stored, ENGLISH)

    assert text.split("\n") == [
        "See here. [1]",
        "",
        "One source only.",
        "",
        "**Sources**",
        "[1] Otters of the sea (a.example)",
        "[2] Notes",
        "[3] b.example",
        "[4] https://c.example/",
        "[5] Broken",
        f"[6] {'t' * 119}… (d.example)",
    ]
    assert links == {
        1: "https://a.example/p",
        3: "https://b.example/",
        4: "https://c.example/",
        6: "https://d.example/",
    }


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ({"answer": "Yes."}, "Yes."),
        ({"answer": None, "reason": "Nothing was found."}, "Nothing was found."),
        ({"answer": "", "reason": ""}, BROKEN),
        ({}, BROKEN),
    ],
)
def test_without_an_answer_the_reason_is_said(stored: dict[str, Any], text: str) -> None:
    """Or that this went wrong."""
    assert compose(stored, ENGLISH) == (text, {})


def ended(**values: Any) -> ToolEnded:
    """A call of a search."""
    usual = {"arguments": {"query": "sea \n otters"}, "outcome": "found", "hits": 5}
    return ToolEnded("1", "web_search", **{**usual, "elapsed_ms": 311.6, **values})


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (ended(providers=("tavily", "exa")), 'web_search: "sea otters" · tavily, exa · 5 · 312 ms'),
        (ended(outcome="empty"), 'web_search: "sea otters" · empty · 312 ms'),
        (ended(arguments={"query": "x" * 151}), f'web_search: "{"x" * 149}…" · 5 · 312 ms'),
        (ended(arguments={"query": "x" * 150}), f'web_search: "{"x" * 150}" · 5 · 312 ms'),
        (
            ended(arguments={"urls": ["https://a.example/x", "https://b.example", "https://["]}),
            'web_search: "a.example, b.example," · 5 · 312 ms',
        ),
        (ToolStarted("1", "rag_search", {"query": "otters"}), 'rag_search: "otters" …'),
        (ToolStarted("1", "other", {}), 'other: "" …'),
    ],
)
def test_a_call_is_one_line(event: Any, line: str) -> None:
    """The tool, what about, who answered, how many or what came of it, how long."""
    assert tool_line(event) == line


@given(text=st.text("ab ä\n.,。、", max_size=80), limit=st.integers(1, 30))
@settings(deadline=None, max_examples=200)
def test_a_text_is_split_within_the_limit_and_without_a_loss(text: str, limit: int) -> None:
    """As the channel counts, where a letter may count twice; one letter at least."""

    def size(part: str) -> int:
        return len(part.encode())

    parts = split_text(text, limit, size)

    assert all(size(part) <= limit or len(part) == 1 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("", 5, [""]),
        ("one two\n\nthree", 10, ["one two", "three"]),
        ("one. two three", 10, ["one. two", "three"]),
        ("あいうえ。おかきくけ", 8, ["あいうえ。", "おかきくけ"]),
        ("a b\ncdefghijkl", 9, ["a b\ncdefg", "hijkl"]),  # a break in the first half is none
    ],
)
def test_a_text_is_split_where_it_reads_well(text: str, limit: int, parts: list[str]) -> None:
    """At a paragraph, a line, a sentence, a comma or a blank of the second half; else anywhere."""
    assert split_text(text, limit) == parts
