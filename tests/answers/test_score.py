"""How well each sentence of the sources answers: the figures that it is ranked by."""

from __future__ import annotations

from collections.abc import Sequence

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
RIVER = "Soseki lived near the river."


def ranked(query: str, pages: Sequence[Citation] = PAGES) -> list[str]:
    """The sentences of the pages, the best first."""
    found = score_sentences(query, pages).sentences
    return [s.text for s in sorted(found, key=lambda s: -s.score)]


def test_a_sentence_is_ranked_by_its_words_its_neighbours_and_its_page() -> None:
    """Its own words and the kind of answer first; a name may be in the title alone."""
    born, cat = ranked("When was Natsume Soseki born?"), ranked("cat")

    assert born[0] == BORN
    assert set(born[:3]) == {BORN, WROTE, CAT}
    assert set(cat[:2]) == {WROTE, CAT}
    assert cat[2] == BORN
    assert ranked("a cat tells what happened near the river")[:2] == [CAT, RIVER]


@pytest.mark.parametrize(
    ("query", "text", "best"),
    [
        ("the dogs of war", "The war of dogs ends. THE DOGS-OF-WAR bark.", "THE DOGS-OF-WAR bark."),
        ("What is the name of the harbour?", "The harbour is old. A name is short.",
         "The harbour is old."),
        ("Did Marie like rafts?", "Here Marie swam. There rafts drift.", "Here Marie swam."),
    ],
    ids=["a phrase", "a word that asks", "a name"],
)  # fmt: skip
def test_what_is_hardly_said_in_other_words_counts_more(query: str, text: str, best: str) -> None:
    """Phrases and names; words that only ask count less."""
    assert ranked(query, [page(1, "", text)])[0] == best


def test_the_first_eight_pages_are_looked_at() -> None:
    """The answer is hardly ever further down."""
    pages = [page(n, "", f"Otter {n} swims.") for n in range(1, 10)]
    found = score_sentences("otter", pages).sentences

    assert [s.citation for s in found] == list(range(1, 9))


def test_a_table_is_no_sentence() -> None:
    """A sentence has up to a thousand characters, without the marks of a list around it."""
    lines = ["- **Otters** …", "**Why.** 2**3", "x" * 1_000, "y" * 1_001, "| a | b |", "###"]
    found = score_sentences("otters", [page(1, "", *lines)]).sentences

    assert [s.text for s in found] == ["Otters", "Why.", "2**3", "x" * 1_000, "a | b"]
