"""Which questions need the one before them."""

from __future__ import annotations

import pytest

from kensaku.answers.questions import in_context

OTTERS, RAKKO = "How do sea otters sleep?", "ラッコはどうやって眠りますか"


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("And what do they eat?", OTTERS),
        ("How about in winter?", OTTERS),
        ("When was it discovered?", OTTERS),
        ("Who painted it?", "Tell me about Guernica"),
        ("では何を食べますか", RAKKO),
        ("それはどこに住んでいますか", RAKKO),
    ],
)
def test_a_question_without_a_subject_gets_the_topic(question: str, before: str) -> None:
    """In front, so that it is searched for."""
    asked = in_context(question, [before])
    assert asked.endswith(question)
    assert asked != question


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "How do sea otters raise their pups?",
        "Does Python 3.14 have its JIT on?",
        "Where did Marie Curie study before she moved?",
        "ラッコとその生息地について教えて",
        "日本の首都はどこですか",
    ],
)
def test_a_question_of_its_own_is_left_alone(question: str) -> None:
    """Also when it has a pronoun: what that stands for is in the question."""
    assert in_context(question, ["Who wrote Faust?", "ファウストの作者は誰ですか"]) == question


def test_the_topic_is_that_of_the_last_question_that_names_one() -> None:
    """A chain of follow-ups keeps it; without any question before, nothing is added."""
    assert in_context("Why?", [OTTERS, "And what do they eat?"]).startswith("sea otters")
    assert in_context("Why?", []) == "Why?"
    assert in_context("Why?", ["And then?"]) == "Why?"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Why?", "sea otters sleep: Why?"),
        ("And why SEA OTTERS SLEEP?", "And why SEA OTTERS SLEEP?"),  # the topic is there already
        ("Why " + "x " * 98, "sea otters sleep: Why " + "x " * 98),  # 200 characters
        ("Why " + "x " * 98 + "x", "Why " + "x " * 98 + "x"),
        ("What do sea otters do with their pups?", "What do sea otters do with their pups?"),
        ("And does Otto swim?", "sea otters sleep: And does Otto swim?"),  # a name, but little else
        ("And does Otto swim in Paris?", "And does Otto swim in Paris?"),
        ("And does otto swim in paris?", "sea otters sleep: And does otto swim in paris?"),
    ],
)  # fmt: skip
def test_how_much_a_question_has_to_say_by_itself(question: str, asked: str) -> None:
    """Two words of meaning before a pronoun, or a name and two more words besides."""
    assert in_context(question, [OTTERS]) == asked
