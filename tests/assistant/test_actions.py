"""Scores become actions."""

from __future__ import annotations

import pytest

from kensaku import Settings
from kensaku.assistant.actions import Thresholds, assess
from kensaku.errors import ConfigError
from kensaku.research.findings import Finding


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
