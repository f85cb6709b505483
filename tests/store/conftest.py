"""A clock that a test sets, for the stores that read it."""

from __future__ import annotations

import pytest


class Clock:
    """It stands still until a test moves it."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()
