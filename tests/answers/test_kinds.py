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
    asking_terms,
    gives_figure,
    has_kind,
    kind_of,
)
from kensaku.answers.score import score_sentences
from kensaku.text.tokens import query_terms


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


@pytest.mark.parametrize(
    ("asking", "telling", "language"),
    [("What is the name called?", "harbour", "en"), ("何という名前ですか", "ラッコ", "ja")],
)
def test_words_that_ask_are_known(asking: str, telling: str, language: str) -> None:
    """In both languages, whatever tokenizer is installed."""
    known = asking_terms(frozenset({language}))

    assert known & query_terms(asking, [language]).keys()
    assert not known & query_terms(telling, [language]).keys()


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


@pytest.mark.parametrize(
    ("question", "sentence", "points"),
    [
        ("When was the harbour built?", "The harbour was built in 1893.", 0.25),
        ("How many otters live here?", "About 300 otters live here.", 0.5),
        ("Who built the harbour?", "It was built by Smeaton.", 0.2),
        ("Who built the harbour?", "It was built.", 0.0),
        ("What is the harbour?", "It was built by Smeaton in 1893.", 0.0),
    ],
)
def test_what_the_kind_of_answer_is_worth(question: str, sentence: str, points: float) -> None:
    """Beside 1 for all words of the question."""
    citation = Citation.of(1, Hit("https://a.example/", "", sentence))

    assert [s.kind for s in score_sentences(question, [citation]).sentences] == [points]
