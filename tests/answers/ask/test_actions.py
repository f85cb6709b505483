"""Scores become actions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku import Settings
from kensaku.answers.cited import Thresholds, assess
from kensaku.answers.context import Citation
from kensaku.answers.score import Sentence
from kensaku.answers.weigh import Finding
from kensaku.errors import ConfigError
from kensaku.text.terms import terms

bounds = st.floats(-0.5, 1.5) | st.sampled_from([0.0, 0.5, 1.0])


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


@given(bounds, bounds, bounds)
def test_thresholds_are_settings_in_order_within_0_and_1(
    silent: float, notify: float, confirm: float
) -> None:
    """Equal ones are fine; what is wrong is named with its value."""
    if 0 <= confirm <= notify <= silent <= 1:
        settings = Settings(
            assistant_silent=silent, assistant_notify=notify, assistant_confirm=confirm
        )
        assert Thresholds.from_settings(settings) == Thresholds(silent, notify, confirm)
        return
    with pytest.raises(ConfigError, match="none above the one before it") as refused:
        Thresholds(silent, notify, confirm)
    assert f"assistant.silent is {silent:g}, notify {notify:g}" in refused.value.message


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
    ("findings", "score", "level", "action"),
    [
        ([], 0.0, "none", "escalate"),
        ([finding(0.7)], 0.7, "high", "notify"),
        ([finding(0.699)], 0.699, "medium", "confirm"),
        ([finding(0.449)], 0.449, "low", "confirm"),
        ([finding(None)], 0.0, "low", "escalate"),
        ([finding(0.9, differences=2)], 0.69, "medium", "confirm"),
        ([finding(0.5, differences=1)], 0.5, "medium", "confirm"),
        ([finding(0.95, unsure=True)], 0.89, "high", "notify"),
    ],
)
def test_a_doubt_keeps_an_answer_below_the_next_action(
    findings: Any, score: float, level: str, action: str
) -> None:
    """A contradiction keeps it below `notify`, a word that differs below `silent`."""
    made = assess(findings, Thresholds())

    assert (made.score, made.level, made.action) == (score, level, action)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=5))
def test_an_assessment_is_of_the_weakest_question(parts: list[tuple[float, bool]]) -> None:
    """One without an answer decides, unless a model wrote, whose citations were checked."""
    findings = [finding(score, sentences=int(has)) for score, has in parts]
    by_rule = assess(findings, Thresholds(1, 0, 0))
    by_model = assess(findings, Thresholds(1, 0, 0), by_model=True, cut=2, marked=3)

    weakest = min(score for score, _ in parts)
    assert by_model.score == pytest.approx(weakest, abs=0.001)
    assert by_rule.score == (by_model.score if all(has for _, has in parts) else 0.0)
    factors = by_model.factors
    assert (factors.questions, factors.sources) == (len(parts), 2)
    assert (factors.sentences_cut, factors.sentences_marked) == (2, 3)


def test_no_threshold_leaves_no_room_below() -> None:
    """A contradiction caps the score at nothing, not below."""
    assert assess([finding(0.9, differences=1)], Thresholds(1, 0, 0)).score == 0.0
