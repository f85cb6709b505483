"""How well each sentence of the sources answers: the figures that it is ranked by."""

from __future__ import annotations

import pytest

from kensaku.answers.context import Citation
from kensaku.answers.score import score_sentences
from kensaku.models import Passage


def page(n: int, title: str, *texts: str) -> Citation:
    """A page that is cited with these passages."""
    url = f"https://{n}.example/"
    return Citation(n, url, title, None, tuple(Passage(url, t, 0, len(t)) for t in texts))


PAGES = [
    page(
        1,
        "Natsume Soseki",
        "He was born in 1867 in Tokyo. He wrote novels about a cat [1, 2].",
        "A cat tells the story.",
    ),
    page(
        2,
        "Rivers of Japan",
        "The Sumida flows through Tokyo. When was the bridge built? Soseki lived near the river.",
    ),
    page(3, "Empty", ""),
]
BORN, WROTE, CAT = (
    "He was born in 1867 in Tokyo.",
    "He wrote novels about a cat.",
    "A cat tells the story.",
)
SUMIDA, BRIDGE, RIVER = (
    "The Sumida flows through Tokyo.",
    "When was the bridge built?",
    "Soseki lived near the river.",
)


@pytest.mark.parametrize(
    ("query", "figures"),
    [
        (  # 0.25 for the year; the name is in the title alone
            "When was Natsume Soseki born?",
            {
                BORN: (0.2134, 0.0, 0.25, 1.478),
                WROTE: (0.0, 0.0, 0.0, 1.0893),
                CAT: (0.0, 0.0, 0.0, 1.0146),
                SUMIDA: (0.0, 0.0, 0.0, 0.296),
                BRIDGE: (0.0, 0.0, 0.0, 0.376),
                RIVER: (0.3201, 0.0, 0.0, 0.6161),
            },
        ),
        (  # its own word 1, a neighbour 0.25 or 0.35, the page 0.3, the first 0.4 and the second 0.2
            "cat",
            {
                BORN: (0.0, 0.0, 0.0, 0.95),
                WROTE: (1.0, 0.0, 0.0, 1.7),
                CAT: (1.0, 0.0, 0.0, 1.7),
                SUMIDA: (0.0, 0.0, 0.0, 0.2),
                BRIDGE: (0.0, 0.0, 0.0, 0.2),
                RIVER: (0.0, 0.0, 0.0, 0.2),
            },
        ),
        (
            "a cat tells what happened near the river",
            {
                BORN: (0.0, 0.0, 0.0, 0.5767),
                WROTE: (0.1864, 0.0, 0.0, 0.7783),
                CAT: (0.4336, 0.04, 0.0, 0.9797),
                SUMIDA: (0.0, 0.0, 0.0, 0.4472),
                BRIDGE: (0.0, 0.0, 0.0, 0.5708),
                RIVER: (0.4943, 0.24, 0.0, 0.9386),
            },
        ),
    ],
)
def test_a_sentence_is_scored_by_its_words_its_neighbours_and_its_page(
    query: str, figures: dict[str, tuple[float, ...]]
) -> None:
    """Its own words, phrases, kind of answer, and all of them together."""
    found = score_sentences(query, PAGES).sentences

    assert [(s.citation, s.position) for s in found] == [
        (1, 0),
        (1, 1),
        (1, 2),
        (2, 3),
        (2, 4),
        (2, 5),
    ]
    assert {
        s.text: (round(s.own, 4), round(s.phrase, 4), round(s.kind, 4), round(s.score, 4))
        for s in found
    } == figures


def test_the_first_eight_pages_are_looked_at() -> None:
    """The answer is hardly ever further down."""
    pages = [page(n, "", f"Otter {n} swims.") for n in range(1, 10)]

    assert [s.citation for s in score_sentences("otter", pages).sentences] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
    ]


def test_a_table_is_no_sentence() -> None:
    """A sentence has up to a thousand characters, without the marks of a list around it."""
    lines = ["- **Otters** …", "**Why.** 2**3", "x" * 1_000, "y" * 1_001, "| a | b |", "###"]
    found = score_sentences("otters", [page(1, "", *lines)]).sentences

    assert [s.text for s in found] == ["Otters", "Why.", "2**3", "x" * 1_000, "a | b"]
