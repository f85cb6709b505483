"""Citations in four formats; numbers by first use; titles that cannot break the list."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kensaku.answers.evidence import Reference, renumber
from kensaku.answers.report.styles import apply_style
from kensaku.locale import translator

ENGLISH = translator("en")
SOURCES = [
    Reference(1, "https://a.example/x", "Sleep", "2024-03-02T10:00:00Z", "Ann Lee"),
    Reference(2, "https://b.example/", "Food", None),
    Reference(3, "https://a.example/y", "More sleep", "2024-07-01", "Ann Lee"),
]


@pytest.mark.parametrize(
    ("style", "text", "lines"),
    [
        ("numbered", "They sleep. [1][3] They eat. [2]",
         ["- [1] Sleep. https://a.example/x (2024-03-02T10:00:00Z)",
          "- [2] Food. https://b.example/",
          "- [3] More sleep. https://a.example/y (2024-07-01)"]),
        ("apa", "They sleep. (Ann Lee, 2024a; Ann Lee, 2024b) They eat. (b.example, n.d.)",
         ["- Ann Lee. (2024a, March 2). Sleep. https://a.example/x",
          "- Ann Lee. (2024b, July 1). More sleep. https://a.example/y",
          "- b.example. (n.d.). Food. https://b.example/"]),
        ("chicago", "They sleep. (Ann Lee 2024a; Ann Lee 2024b) They eat. (b.example n.d.)",
         ["- Ann Lee. 2024a. “Sleep.” March 2, 2024. https://a.example/x",
          "- Ann Lee. 2024b. “More sleep.” July 1, 2024. https://a.example/y",
          "- b.example. n.d.. “Food.” https://b.example/"]),
        ("mla", "They sleep. (Ann Lee, “Sleep”; Ann Lee, “More sleep”) They eat. "
         "(b.example, “Food”)",
         ["- Ann Lee. “More sleep.” a.example, 1 July 2024, https://a.example/y",
          "- Ann Lee. “Sleep.” a.example, 2 March 2024, https://a.example/x",
          "- b.example. “Food.” b.example, https://b.example/"]),
    ],
)  # fmt: skip
def test_each_format_marks_the_text_and_lists_the_sources(
    style: str, text: str, lines: list[str]
) -> None:
    """By number, or by the alphabet; two works of one author are told apart."""
    styled = apply_style("They sleep. [1][3] They eat. [2]", SOURCES, style, ENGLISH)

    assert styled == "\n".join([text, "", "## Sources", "", *lines])


def test_sources_are_numbered_by_first_use() -> None:
    """Those that are not cited are left out, and so is a mark without a source."""
    text, cited = renumber("A [3] B [1] C [3] D [7]", {s.n: s for s in SOURCES})

    assert text == "A [1] B [2] C [1] D "
    assert [(s.n, s.title) for s in cited] == [(1, "More sleep"), (2, "Sleep")]


@pytest.mark.parametrize("style", ["numbered", "mla", "apa", "chicago"])
def test_a_hostile_title_stays_on_its_line(style: str) -> None:
    """It makes no heading, no image and no second entry."""
    evil = Reference(
        1, "https://a.example/", "x\n## Sources\n- [2] y ![z](http://e/)", "?", "\n# A"
    )
    styled = apply_style("A [1]", [evil], style, ENGLISH)

    assert len(re.findall(r"^## ", styled, re.MULTILINE)) == 1
    assert len(re.findall(r"^- ", styled, re.MULTILINE)) == 1
    assert "![z](" not in styled


@pytest.mark.parametrize("style", ["mla", "apa", "chicago"])
async def test_a_report_is_written_in_the_format(style: Any, client: Any) -> None:
    """No number is left in it."""
    report = await client().research("How do sea otters sleep?", citation_format=style)

    assert "(127.0.0.1" in report.text
    assert not re.search(r"\[\d+\]", report.text)


def listed(style: str, *sources: Reference) -> list[str]:
    """The lines of the list of sources."""
    return (
        apply_style("x", list(sources), style, ENGLISH).partition("## Sources\n\n")[2].split("\n")
    )


def test_a_year_of_one_author_is_told_apart_by_letters() -> None:
    """After z comes aa; what has no year gets a hyphen."""
    many = [Reference(n, f"https://a.example/{n}", f"T{n:02}", "2024", "Ann") for n in range(1, 29)]
    lines = listed("chicago", *many)
    assert lines[0] == "- Ann. 2024a. “T01.” https://a.example/1"
    assert "- Ann. 2024ab. “T28.” https://a.example/28" in lines
    assert "- Ann. 2024aa. “T27.” https://a.example/27" in lines
    assert "- Ann. 2024z. “T26.” https://a.example/26" in lines
    undated = [Reference(n, f"https://a.example/{n}", f"T{n}", None, "Ann") for n in (1, 2)]
    assert listed("apa", *undated) == [
        "- Ann. (n.d.-a). T1. https://a.example/1",
        "- Ann. (n.d.-b). T2. https://a.example/2",
    ]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (Reference(1, "https://a.example/", "", "2024-12-31"),
         "- a.example. (2024, December 31). https://a.example/. https://a.example/"),
        (Reference(1, "https://a.example/", "T", "2024-13-01"), "- a.example. (2024). T. https://a.example/"),
        (Reference(1, "https://a.example/", "T", "2024-00-01"), "- a.example. (2024). T. https://a.example/"),
        (Reference(1, "https://a.example/", "T", "2024-01-01"),
         "- a.example. (2024, January 1). T. https://a.example/"),
        (Reference(1, "file:n.txt", "n.txt"), "- n.txt. (n.d.). n.txt. file:n.txt"),
        (Reference(1, "file:n.txt", ""), "- file:n.txt. (n.d.). file:n.txt. file:n.txt"),
        (Reference(1, "https://a.example/", "x" * 201), f"- a.example. (n.d.). {'x' * 199}…. https://a.example/"),
        (Reference(1, "https://a.example/", "x" * 200), f"- a.example. (n.d.). {'x' * 200}. https://a.example/"),
    ],
)  # fmt: skip
def test_what_a_source_does_not_say_is_left_out(source: Reference, line: str) -> None:
    """Its host stands for an author, its address for a title; a month that is none is not named."""
    assert listed("apa", source) == [line]


def test_marks_in_a_text() -> None:
    """Each source once in a row of marks; long titles are cut; without sources nothing changes."""
    long = Reference(1, "https://a.example/", "y" * 41, None, "Ann")
    styled = apply_style("A [1][1] B [1].", [long], "mla", ENGLISH)

    assert styled.startswith(f"A (Ann, “{'y' * 39}…”) B (Ann, “{'y' * 39}…”).\n\n")
    assert apply_style("A [1]", [], "mla", ENGLISH) == "A [1]"
