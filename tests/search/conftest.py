"""The clocks of a process, for what lasts minutes or days."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import pytest

from tests.conftest import RESOLUTION


class Later:
    """`later(60)`: a minute has passed, by every clock of the process, and they go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._wall, self._steady, self._ahead = time.time, time.monotonic, 0.0
        monkeypatch.setattr(time, "time", lambda: self._wall() + self._ahead)
        monkeypatch.setattr(time, "monotonic", lambda: self._steady() + self._ahead)

    def __call__(self, seconds: float) -> None:
        self._ahead += seconds

    def stop(self) -> None:
        """From now on time passes only by calls. (Nothing may wait for the event loop's timers.)"""
        # Whole seconds: the difference of two floats depends on how old the machine is.
        wall, steady = float(round(self._wall())), float(round(self._steady()))
        self._wall, self._steady = lambda: wall, lambda: steady
        # Or a loop would never run what is due at this very moment (tests/conftest.py).
        with suppress(RuntimeError):  # a test without a loop
            asyncio.get_running_loop()._clock_resolution = RESOLUTION  # type: ignore[attr-defined]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Let minutes and days pass without waiting for them."""
    return Later(monkeypatch)
