"""Rates as people write them: `100/m`."""

from __future__ import annotations

from kensaku.errors import ConfigError
from kensaku.messages import msg

PERIODS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def read_rate(text: str) -> tuple[float, float]:
    """`"100/m"` → (100, 60 seconds). Raises `ConfigError`."""
    count, _, unit = text.partition("/")
    period = PERIODS.get(unit.strip())
    try:
        n = float(count)
    except ValueError:
        n = 0.0
    if period is None or not 0 < n < 1e9:
        raise ConfigError(
            msg("the rate {text!r} cannot be read", text=text[:20]),
            remedy=msg("write 1/s, 100/m, …"),
        )
    return n, period


def parse_rate(text: str) -> tuple[float, int]:
    """`"100/m"` → (seconds between turns, burst), so that no window ever holds more than 100."""
    n, period = read_rate(text)
    if n < 1:
        n, period = 1.0, period / n
    burst = max(1, int(n) // 10)
    return period / (n - burst + 1), burst
