"""What a question asks for, and the words that only ask."""

from __future__ import annotations

import pytest

from kensaku import Hit
from kensaku.answers.context import Citation
from kensaku.answers.kinds import (
    DATE,
    FIGURE,
    PERSON,
    AnswerKind,
    gives_figure,
    has_kind,
    kind_of,
)
from kensaku.answers.score import score_sentences


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was the harbour built?", DATE),
        ("In which century did it fall?", DATE),
        ("明治維新はいつ起きましたか", DATE),
        ("それは何世紀のことですか", DATE),
        ("How many otters live in the bay?", FIGURE),
        ("What percentage of the water is salt?", FIGURE),
        ("選手は何人ですか", FIGURE),
        ("どのくらい食べますか", FIGURE),
        ("Who wrote it?", PERSON),
        ("誰が書きましたか", None),  # Japanese names cannot be told from other words
        ("What is a raft?", None),
    ],
)
def test_a_question_asks_for_a_kind_of_answer(question: str, kind: AnswerKind | None) -> None:
    """As far as a sentence shows it."""
    assert kind_of(question) is kind


@pytest.mark.parametrize(
    ("kind", "sentence", "has"),
    [
        (DATE, "It was built in 1893.", True),
        (DATE, "It was opened in April.", True),
        (DATE, "It fell in the 2nd century.", True),
        (DATE, "一九四五年に終わった。", True),
        (DATE, "It is closed on Mondays.", True),
        (DATE, "It opens at 9:30.", True),
        (DATE, "It opens at 9 am.", True),
        (DATE, "毎週火曜日に休む。", True),
        (DATE, "日本の港である。", False),
        (DATE, "It has 12 piers.", False),
        (FIGURE, "It has twelve piers.", True),
        (FIGURE, "三人が住んでいる。", True),
        (FIGURE, "一般に知られている。", False),
        (PERSON, "It was built by Smeaton.", True),
        (PERSON, "Nobody knows.", False),
    ],
)
def test_a_sentence_shows_what_it_has(kind: AnswerKind, sentence: str, has: bool) -> None:
    """A 日 in 日本 is no date, and the first word of a sentence no name."""
    assert has_kind(kind, "", sentence) is has


def test_what_the_question_says_itself_is_no_answer() -> None:
    """ "When in 1893" is not answered by 1893."""
    question = "When in 1893 was the harbour opened?"

    assert not has_kind(DATE, question, "The harbour was opened in 1893.")
    assert not gives_figure(question, "The harbour was opened in 1893.")
    assert gives_figure(question, "The harbour was opened on 3 May 1893.")


def test_the_sentence_with_the_figure_is_the_answer() -> None:
    """Rather than one that has as many of the question's words."""
    page = (
        "The otters of the bay are famous. The otters of the bay number about 300. "
        "The otters of the bay sleep in kelp. The otters of the bay eat clams."
    )
    citation = Citation.of(1, Hit("https://a.example/", "Bay", page))

    scored = score_sentences("How many otters live in the bay?", [citation])

    best = max(scored.sentences, key=lambda s: s.score)
    assert "about 300" in best.text
