"""The clocks of a process, for what lasts minutes or days."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

Later = Callable[[float], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """`later(60)`: a minute has passed, by every clock, and they go on."""
    wall, steady, ahead = time.time, time.monotonic, 0.0
    monkeypatch.setattr(time, "time", lambda: wall() + ahead)
    monkeypatch.setattr(time, "monotonic", lambda: steady() + ahead)

    def advance(seconds: float) -> None:
        nonlocal ahead
        ahead += seconds

    return advance
