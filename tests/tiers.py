"""What a test needs besides this process, by its fixtures; and what `make test` leaves out.

    pytest                  all tests
    pytest --tier fast      those that need nothing else, and the first of each other kind
    pytest --tier slow      the others

A test that starts a process asks for one of these fixtures, or it fails: so the tier of a test is
never a matter of opinion. Kensaku's own workers, which parse pages and hold the index, are part of
what is tested, and may be started by any test, as may Valkey.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Any

import pytest

# A fixture → what it brings. The first that a test asks for names its kind.
NEEDS = {
    "open_page": "a browser",
    "chromium": "a browser",
    "terminal": "tmux",
    "postgres": "PostgreSQL",
    "documentation": "the documentation's code",
    "killed": "processes that are killed",
    "processes": "processes",
}
_WORKERS = ("kensaku.extract.worker", "kensaku.index.worker")
_SERVERS = ("valkey-server",)  # starts in a moment, and serves all tests
_STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty")
_LEFT_OUT = pytest.StashKey[Counter[str]]()


def need_of(item: pytest.Item) -> str | None:
    """Return what a test needs besides this process."""
    asked = getattr(item, "fixturenames", ())
    return next((need for fixture, need in NEEDS.items() if fixture in asked), None)


class ProcessStarts:
    """Notes the processes that a test starts without having asked for any."""

    def __init__(self) -> None:
        self._allowed = True
        self._started: list[str] = []
        sys.addaudithook(self._note)  # cannot be taken back: there is one for the whole run

    def watch(self, item: pytest.Item) -> None:
        """Note what is started from now on, if the test has not asked for processes."""
        self._allowed, self._started = need_of(item) is not None, []

    def end(self) -> list[str]:
        """Return what the test started, and note no more."""
        self._allowed = True
        return self._started

    def _note(self, event: str, args: tuple[Any, ...]) -> None:
        if self._allowed or event not in _STARTS:
            return
        words = [os.fsdecode(word) for word in args[1]] if event == "subprocess.Popen" else [event]
        if not any(word.startswith(_WORKERS) or word.endswith(_SERVERS) for word in words):
            self._started.append(" ".join(words)[:200])


def choose(config: pytest.Config, items: list[pytest.Item], tier: str) -> None:
    """Keep the tests of a tier: `fast` has the first test of each other kind, too."""
    first: dict[str, pytest.Item] = {}
    for item in items:
        if need := need_of(item):
            first.setdefault(need, item)
    slow = [item for item in items if (need := need_of(item)) and first[need] is not item]
    fast = set(items).difference(slow)
    kept, left = (fast, slow) if tier == "fast" else (set(slow), fast)
    if tier == "fast":
        config.stash[_LEFT_OUT] = Counter(need_of(item) or "" for item in slow)
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item in kept]


def left_out(config: pytest.Config) -> dict[str, int]:
    """Return how many tests of each kind were left out."""
    return dict(config.stash.get(_LEFT_OUT, {}))


def summary(counts: dict[str, int]) -> str:
    """Return one line about what was left out, or nothing."""
    kinds = ", ".join(f"{need} ({counts[need]})" for need in sorted(counts, key=counts.__getitem__))
    total = sum(counts.values())
    return f"left out: {total} tests that need {kinds}; make check runs them" if total else ""
