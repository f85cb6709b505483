"""The bounds of every setting that is a number: they are taken, and one step beyond is refused."""

from __future__ import annotations

from dataclasses import fields
from math import inf, nextafter

import pytest

from kensaku import Settings
from kensaku.config.file import SettingsFile
from kensaku.config.grace import GraceConfig, read_grace
from kensaku.errors import ConfigError

DAY = 86_400
MIB = 2**20

SECONDS = {
    "timeout": (0.05, 600),
    "cache_ttl": (0, 30 * DAY),
    "cache_stale": (0, 365 * DAY),
    "fetch_timeout": (0.1, 600),
    "fetch_fresh": (0, DAY),
    "assistant_seconds": (1, 3_600),
    "assistant_wait": (1, DAY),
}
COUNTS = {
    "max_results": (1, 50),
    "rank_per_domain": (0, 50),
    "jobs_days": (0, 3_660),
    "usage_days": (0, 3_660),
    "budget_searches": (0, 10**9),
    "fetch_per_host": (1, 32),
    "assistant_searches": (1, 1_000),
    "assistant_fetches": (0, 1_000),
    "assistant_tokens": (1_000, 10**8),
}
BYTES = {"cache_max_bytes": (MIB, 2**20 * MIB), "fetch_max_bytes": (1_024, 20 * MIB)}
SHARES = {
    "retry_budget": (0, 5),
    "assistant_silent": (0, 1),
    "assistant_notify": (0, 1),
    "assistant_confirm": (0, 1),
}
MONEY = {"budget_money": (0, 10**6), "assistant_money": (0, 10**6)}
WHOLE = COUNTS | BYTES
EVERY = SECONDS | WHOLE | SHARES | MONEY


def test_every_number_is_listed_here() -> None:
    """A new setting has bounds, too."""
    numbers = {f.name for f in fields(Settings) if f.type in ("int", "float")}

    assert numbers == set(EVERY)


@pytest.mark.parametrize(("name", "low", "high"), [(n, *bounds) for n, bounds in EVERY.items()])
def test_a_setting_takes_its_bounds_and_nothing_beyond(name: str, low: float, high: float) -> None:
    """A limit that is off by one is found by the user at the limit."""
    below, above = (low - 1, high + 1) if name in WHOLE else (low - 1e-9, nextafter(high, inf))

    assert getattr(Settings(**{name: low}), name) == low
    assert getattr(Settings(**{name: str(high)}), name) == high
    for beyond in (below, above, inf, -inf, "nan", True):
        with pytest.raises(ConfigError):
            Settings(**{name: beyond})


@pytest.mark.parametrize("name", WHOLE)
def test_a_count_is_whole(name: str) -> None:
    """Half a result is a mistake, and not rounded in silence."""
    with pytest.raises(ConfigError):
        Settings(**{name: WHOLE[name][1] - 0.5})


def grace(section: str, key: str, value: float | str) -> GraceConfig:
    """What is read of a GRACE file with this one value, and a model."""
    values = {"llm": {"model": "gemini-flash"}}
    values.setdefault(section, {})[key] = value
    return read_grace(SettingsFile(values, None, "", {}), {})


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("qdrant.search_limit", 1, 50),
        ("qdrant.score_threshold", 0, 1),
        ("llm.temperature", 0, 2),
        ("llm.max_tokens", 1, 10**6),
        ("llm.timeout", 0.1, 600),
    ],
)
def test_a_grace_file_has_the_same_kind_of_bounds(key: str, low: float, high: float) -> None:
    """What an agent's file says is checked before it reaches a model or a collection."""
    section, name = key.split(".")

    assert str(high) in repr(grace(section, name, high)).replace(".0", "")
    grace(section, name, low)
    for beyond in (low - 1e-9 if low != 1 else 0, high + 1e-9 if high < 10 else high + 1):
        with pytest.raises(ConfigError):
            grace(section, name, beyond)
