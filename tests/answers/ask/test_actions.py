"""Scores become actions."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Settings
from kensaku.answers.cited import AnswerFactors, Assessment, Thresholds, assess
from kensaku.answers.context import Citation
from kensaku.answers.score import Sentence
from kensaku.answers.weigh import Finding
from kensaku.errors import ConfigError
from kensaku.text.terms import terms


@pytest.mark.parametrize(
    ("score", "action"),
    [
        (1.0, "silent"), (0.9, "silent"), (0.89, "notify"), (0.7, "notify"), (0.69, "confirm"),
        (0.4, "confirm"), (0.39, "escalate"), (0.0, "escalate"),
    ],
)  # fmt: skip
def test_the_bounds_belong_to_the_action_above(score: float, action: str) -> None:
    """As GRACE draws them."""
    assert Thresholds().action(score) == action


def test_thresholds_are_settings() -> None:
    """In order, or they are refused."""
    settings = Settings(assistant_silent=0.8, assistant_notify=0.6, assistant_confirm=0.1)

    assert Thresholds.from_settings(settings) == Thresholds(0.8, 0.6, 0.1)
    with pytest.raises(ConfigError, match="none above"):
        Thresholds(0.5, 0.6, 0.4)


def test_nothing_found_is_no_confidence() -> None:
    """A question without an answer decides."""
    made = assess([Finding("?", (), (), confidence=0.9)], Thresholds())

    assert (made.score, made.level, made.action) == (0.0, "none", "escalate")


SENTENCE = Sentence("They hold hands.", 1, 0, terms("They hold hands."))
A, B = (Citation(n, f"https://{n}.example/", "t") for n in (1, 2))


def finding(
    confidence: float | None, *, sentences: int = 1, differences: int = 0, unsure: bool = False
) -> Finding:
    """What two sources say to a question."""
    return Finding(
        "?",
        (SENTENCE,) * sentences,
        (A, B),
        ((SENTENCE, SENTENCE),) * differences,
        unsure,
        confidence=confidence,
    )


@pytest.mark.parametrize(
    ("findings", "options", "score", "level", "action", "factors"),
    [
        ([], {}, 0.0, "none", "escalate", AnswerFactors(0, 0, 0.0, 0)),
        ([finding(0.95), finding(0.7)], {}, 0.7, "high", "notify", AnswerFactors(2, 2, 0.7, 2)),
        ([finding(0.699)], {}, 0.699, "medium", "confirm", AnswerFactors(1, 1, 0.699, 2)),
        ([finding(0.45)], {}, 0.45, "medium", "confirm", AnswerFactors(1, 1, 0.45, 2)),
        ([finding(0.449)], {}, 0.449, "low", "confirm", AnswerFactors(1, 1, 0.449, 2)),
        ([finding(None)], {}, 0.0, "low", "escalate", AnswerFactors(1, 1, 0.0, 2)),
        ([finding(0.9), finding(0.9, sentences=0)], {}, 0.0, "low", "escalate", AnswerFactors(2, 1, 0.0, 2)),
        (
            [finding(0.9, sentences=0)],
            {"by_model": True, "cut": 2, "marked": 3},
            0.9, "high", "silent", AnswerFactors(1, 1, 0.9, 2, 0, 2, 3),
        ),
        (
            [finding(0.9, differences=2)], {}, 0.69, "medium", "confirm", AnswerFactors(1, 1, 0.9, 2, 2),
        ),
        ([finding(0.5, differences=1)], {}, 0.5, "medium", "confirm", AnswerFactors(1, 1, 0.5, 2, 1)),
        ([finding(0.95, unsure=True)], {}, 0.89, "high", "notify", AnswerFactors(1, 1, 0.95, 2, word_differences=1)),
        ([finding(0.12345)], {}, 0.123, "low", "escalate", AnswerFactors(1, 1, 0.123, 2)),
    ],
)  # fmt: skip
def test_an_assessment_is_of_the_weakest_question(
    findings: Any, options: Any, score: float, level: str, action: str, factors: AnswerFactors
) -> None:
    """A contradiction keeps it below `notify`, a word that differs below `silent`; what a model's
    citations lost is counted."""
    made = assess(findings, Thresholds(), **options)

    assert made == Assessment(score, level, action, factors)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bounds", [(1.1, 0.7, 0.4), (0.9, 0.7, -0.1), (0.9, 0.95, 0.4), (0.9, 0.3, 0.4)]
)
def test_thresholds_stand_in_order_within_0_and_1(bounds: tuple[float, float, float]) -> None:
    """Equal ones are fine."""
    with pytest.raises(ConfigError) as refused:
        Thresholds(*bounds)
    silent, notify, confirm = bounds
    assert refused.value.message == (
        f"assistant.silent is {silent:g}, notify {notify:g}, confirm {confirm:g}; "
        "each must be in 0..1 and none above the one before it"
    )
    for good in ((0, 0, 0), (1, 1, 1)):
        Thresholds(*good)


def test_no_threshold_leaves_no_room_below() -> None:
    """A contradiction caps the score at nothing, not below."""
    assert assess([finding(0.9, differences=1)], Thresholds(1, 0, 0)).score == 0.0
