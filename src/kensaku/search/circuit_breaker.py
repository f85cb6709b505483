"""The circuit breaker of one provider."""

from __future__ import annotations

import time
from collections import deque


class CircuitBreaker:
    """Opens when most recent calls failed; then single probes test for recovery."""

    WINDOW, FAILURES, SHARE = 50, 10, 0.6
    PAUSE, LONGEST = 5.0, 60.0

    def __init__(self) -> None:
        self._calls: deque[tuple[float, bool]] = deque(maxlen=self.WINDOW)
        self.until: float | None = None  # `time.monotonic`; None: closed
        self._pause = self.PAUSE

    def record(self, failed: bool, probe: bool = False) -> bool:
        """Record a call; return whether the state changed."""
        now = time.monotonic()
        if self.until is not None:
            if not probe:
                return False  # it was on its way when the circuit opened, and says nothing new
            if failed:
                self._pause = min(self.LONGEST, self._pause * 2)
                self.until = now + self._pause
            else:
                self.close()
            return True
        self._calls.append((now, failed))
        if not failed:
            return False
        recent = [f for t, f in self._calls if now - t < 60]
        failures = sum(recent)
        if failures < self.FAILURES or failures < self.SHARE * len(recent):
            return False
        self.until = now + self._pause
        return True

    def open_until(self, until: float) -> None:
        """Keep the circuit open at least until then: another process has seen the failures."""
        self.until = until if self.until is None else max(until, self.until)

    def close(self) -> None:
        """Close the circuit and forget the failures."""
        self._calls.clear()
        self.until, self._pause = None, self.PAUSE
