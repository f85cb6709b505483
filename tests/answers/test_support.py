"""How likely it is that the best sentence answers: near misses are told from answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.context import Citation
from kensaku.answers.score import score_sentences
from kensaku.answers.support import LEAST, support_factors, support_of
from kensaku.answers.weigh import choose_sentences, extractive
from kensaku.models import Passage
from kensaku.models.calibration import shipped_models


def page(n: int, title: str, text: str) -> Citation:
    """A page that is cited with this text."""
    url = f"https://{n}.example/"
    return Citation(n, url, title, None, (Passage(url, text, 0, len(text)),))


OTTERS = page(
    1,
    "Sea otter",
    "Sea otters live on the coasts of the Pacific. They hold hands when they sleep. "
    "In 1911 about 2,000 of them were left.",
)
SEALS = page(2, "Harbor seal", "Harbor seals live on coasts. Nobody counted them.")
LIGHT = page(
    3,
    "Pearl Street Station",
    "Thomas Edison built a generator on Pearl Street in 1882. It gave light to 400 lamps.",
)


def factors(query: str, pages: Sequence[Citation]) -> dict[str, float]:
    return support_factors(query, score_sentences(query, pages), 0.5)


@pytest.mark.parametrize(
    ("query", "factor", "value"),
    [
        ("How many sea otters were left in 1911?", "kind", 1.0),
        ("When do sea otters hold hands?", "kind", 0.0),
        ("Why do sea otters hold hands?", "kind", 0.6),
        ("How many sea otters were left in 1911?", "figures", 1.0),
        ("How many sea otters were left in 1912?", "figures", 0.0),
        ("Do sea otters of the Pacific hold hands?", "names", 1.0),
        ("Do sea otters of the Atlantic hold hands?", "names", 0.0),
        ("Do sea otters hold hands?", "names", 1.0),
        ("Do sea otters hold hands?", "subject", 1.0),
        ("Do harbor seal pups hold hands when they sleep?", "subject", 0.0),
    ],
)
def test_a_near_miss_shows_in_a_factor(query: str, factor: str, value: float) -> None:
    """A name, a figure or the kind that is asked for is missing, or the page is another one's."""
    assert factors(query, [OTTERS, SEALS])[factor] == pytest.approx(value)


def test_a_question_on_the_page_is_no_answer() -> None:
    """A list of questions has all words of the question, and says nothing."""
    asked = page(1, "FAQ", "Where do sea otters sleep?")

    assert factors("where do sea otters sleep", [asked])["statement"] == 0.0


def test_a_page_about_something_else_does_not_answer() -> None:
    """A question for Verizon's seat got a sentence about Edison's generator."""
    query = "Where is Verizon Communications headquartered?"

    assert extractive(query, [LIGHT], 0.7) is None


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("How many sea otters were left in 1911?", "How many harbor seals were left in 1986?"),
        ("Do sea otters hold hands when they sleep?", "Do badgers in Norway dig holes in winter?"),
    ],
)
def test_an_answer_is_told_from_a_near_miss(query: str, other: str) -> None:
    """The same pages, with and without what is asked for."""
    pages = [OTTERS, SEALS]

    assert extractive(query, pages, 0.8)
    assert support_of(query, score_sentences(query, pages), 0.5) >= LEAST
    assert support_of(other, score_sentences(other, pages), 0.5) < LEAST


@given(
    query=st.text(alphabet="aAbc 19?何は海", min_size=1, max_size=40),
    texts=st.lists(st.text(alphabet="aAbc 19.?何は海。", max_size=60), min_size=1, max_size=3),
    confidence=st.floats(0, 1),
)
def test_every_factor_is_a_share_whatever_is_asked(
    query: str, texts: list[str], confidence: float
) -> None:
    """Pages are hostile, questions are anything; the model weighs numbers that it knows."""
    scored = score_sentences(query, [page(n, t[:5], t) for n, t in enumerate(texts, 1)])
    if not scored.titles:
        return

    found = support_factors(query, scored, confidence)

    assert found.keys() == shipped_models()["answer"].weights.keys()
    assert all(0 <= v <= 1 + 1e-9 for name, v in found.items() if name != "confidence")
    assert 0 <= support_of(query, scored, confidence) <= 1


def test_a_sentence_without_a_word_of_the_question_answers_under_the_title_that_it_names() -> None:
    """Texts seldom repeat what they are about: the name is in the title."""
    text = '"Push It" is a song. Two producers worked on it. It was released in 1987.'
    query = "When did the song Push It come out?"
    named, other = (
        choose_sentences(query, score_sentences(query, [page(1, title, text)]))
        for title in ("Push It (Salt-n-Pepa song)", "Salt-n-Pepa")
    )

    assert "It was released in 1987." in [s.text for s in named]
    assert "It was released in 1987." not in [s.text for s in other]
