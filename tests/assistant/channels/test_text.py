"""What a chat channel writes: the answer with its sources, calls in a line, and parts that fit."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.assistant.channels._text import compose, safe_url, simplify, split_text, tool_line
from kensaku.assistant.channels._words import words_for, words_in
from kensaku.assistant.events import ToolEnded, ToolStarted

ENGLISH = words_in("en")


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
        ({"answer": "", "reason": ""}, ENGLISH.broken),
        ({}, ENGLISH.broken),
    ],
)
def test_without_an_answer_the_reason_is_said(stored: dict[str, Any], text: str) -> None:
    """Or that this went wrong."""
    assert compose(stored, ENGLISH) == (text, {})


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://a.example/ü?q=1&b=[2]#c", "https://a.example/%C3%BC?q=1&b=[2]#c"),
        ('http://a.example/"><b>|', "http://a.example/%22%3E%3Cb%3E%7C"),
        ("javascript:alert(1)", ""),
        ("https:///x", ""),
        ("https://[", ""),
    ],
)
def test_an_address_cannot_end_its_markup(url: str, safe: str) -> None:
    """What is no web address is no link."""
    assert safe_url(url) == safe


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


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("", 5, [""]),
        (" abc ", 3, ["abc"]),
        ("abcd", 3, ["abc", "d"]),
        ("one two\n\nthree", 10, ["one two", "three"]),
        ("one two\nthree", 10, ["one two", "three"]),
        ("one. two three", 10, ["one. two", "three"]),
        ("abcde. fghijk", 9, ["abcde.", "fghijk"]),
        ("あいう。えおか、きく", 8, ["あいう。えおか、", "きく"]),
        ("あいうえ。おかきくけ", 8, ["あいうえ。", "おかきくけ"]),
        ("a, b c defghij", 9, ["a, b c", "defghij"]),
        ("a b\ncdefghijkl", 9, ["a b\ncdefg", "hijkl"]),  # a break in the first half is none
    ],
)
def test_a_text_is_split_where_it_reads_well(text: str, limit: int, parts: list[str]) -> None:
    """At a paragraph, a line, a sentence, a comma or a blank of the second half; else anywhere."""
    assert split_text(text, limit) == parts
    assert all(len(part) <= limit for part in parts)


def test_a_text_is_split_as_the_channel_counts() -> None:
    """A letter that counts twice."""
    assert split_text("ääää", 5, lambda part: len(part.encode())) == ["ää", "ää"]
    assert split_text("ä", 1, lambda part: len(part.encode())) == ["ä"]  # one letter at least


def test_headings_are_bold_and_bullets_are_points() -> None:
    """As chat applications have them."""
    assert simplify("# One #\n- a\n  * b\n####### no\n-c") == "**One**\n• a\n  • b\n####### no\n-c"


@pytest.mark.parametrize(
    ("text", "stop"),
    [("How do otters sleep?", "Stop"), ("ラッコは何を食べますか", "中止"), ("", "Stop")],
)
def test_the_words_are_of_the_language_of_the_question(text: str, stop: str) -> None:
    """By its letters, or by the code that a service gives."""
    assert words_for(text).stop == stop
    assert (words_in("JA").stop, words_in("ja-JP").stop, words_in("").stop) == (
        "中止",
        "中止",
        "Stop",
    )
