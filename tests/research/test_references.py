"""Citations in four formats; numbers by first use; titles that cannot break the list."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kensaku.research.evidence import Reference
from kensaku.research.references import apply_style, renumber
from kensaku.research.words import words_for

ENGLISH = words_for("otters")
SOURCES = [
    Reference(1, "https://a.example/x", "Sleep", "2024-03-02T10:00:00Z", "Ann Lee"),
    Reference(2, "https://b.example/", "Food", None),
    Reference(3, "https://a.example/y", "More sleep", "2024-07-01", "Ann Lee"),
]


@pytest.mark.parametrize(
    ("style", "text", "entry"),
    [
        ("numbered", "They sleep. [1][3] They eat. [2]",
         "- [1] Sleep. https://a.example/x (2024-03-02T10:00:00Z)"),
        ("apa", "They sleep. (Ann Lee, 2024a; Ann Lee, 2024b) They eat. (b.example, n.d.)",
         "- Ann Lee. (2024a, March 2). Sleep. https://a.example/x"),
        ("chicago", "They sleep. (Ann Lee 2024a; Ann Lee 2024b) They eat. (b.example n.d.)",
         "- Ann Lee. 2024a. “Sleep.” March 2, 2024. https://a.example/x"),
        ("mla", "They sleep. (Ann Lee, “Sleep”; Ann Lee, “More sleep”) They eat. "
         "(b.example, “Food”)",
         "- Ann Lee. “Sleep.” a.example, 2 March 2024, https://a.example/x"),
    ],
)  # fmt: skip
def test_each_format_marks_the_text_and_lists_the_sources(
    style: str, text: str, entry: str
) -> None:
    """Two works of one author are told apart."""
    styled = apply_style("They sleep. [1][3] They eat. [2]", SOURCES, style, ENGLISH)

    assert styled.startswith(text + "\n\n## Sources\n\n")
    assert entry in styled
    assert styled.count("\n- ") == 3


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
