"""What a test needs besides this process, by its fixtures; and what `make test` leaves out.

    pytest                  all tests
    pytest --tier fast      those that need nothing else, and one of each other kind
    pytest --tier slow      the others

A test that starts a process asks for one of these fixtures, or it fails: so the tier of a test is
never a matter of opinion. Kensaku's own workers, which parse pages and hold the index, run in this
process, unless the test is about processes of Kensaku (tests/workers.py).
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Any

import pytest

# A fixture → what it brings. The first that a test asks for names its kind.
NEEDS = {
    "browser": "a browser",
    "tmux": "tmux",
    "reverse_proxy": "nginx and Caddy",
    "postgres": "PostgreSQL",
    "postgresql": "PostgreSQL",
    "documentation": "the documentation's code",
    "killed": "processes that are killed",
    "processes": "processes",
    "workers": "workers",
    "volume": "whole sets and crowds",
    "side": "Slack and Telegram",
    "telegram": "Slack and Telegram",
    "running": "a job queue",
}
# These start no process of their own: they take long.
_WITHIN = ("whole sets and crowds", "Slack and Telegram", "a job queue")
# These are about other programs than Kensaku's workers, which they have in this process.
_ABOUT_OTHERS = ("a browser", "PostgreSQL", "nginx and Caddy")
# The test of each kind that `make test` runs.
SAMPLES = {
    "a browser": "tests/server/page/test_jobs_browser.py::test_a_crawl_is_watched_cancelled_and_resumed[en-US]",
    "tmux": "tests/assistant/channels/terminal/test_tmux.py::test_a_question_is_answered_with_sources[40]",
    "nginx and Caddy": "tests/server/test_proxies.py::test_a_stranger_behind_a_proxy_does_not_get_the_first_key[nginx]",
    "PostgreSQL": "tests/database/test_keys.py::test_a_key_is_found_by_its_secret_alone",
    "the documentation's code": "tests/fetch/test_guide.py::test_the_example_of_the_guide_runs",
    "processes that are killed": "tests/index/worker/test_client.py::test_a_killed_worker_is_started_again",
    "processes": "tests/test_import.py::test_no_third_party_module_is_imported[import kensaku]",
    "workers": "tests/extract/worker/test_pool.py::test_a_page_from_a_worker_is_the_page_from_here[data0",
    "whole sets and crowds": "tests/fetch/test_ssrf.py::test_no_redirect_of_the_corpus_gets_through",
    "Slack and Telegram": "tests/assistant/channels/test_chat.py::test_a_question_in_japanese_is_answered_in_japanese_with_sources[slack]",
    "a job queue": "tests/jobs/test_crawl.py::test_a_crawl_reads_a_site_up_to_its_limit",
}
_CHEAP = ("valkey-server", "openssl", "file", "uname")  # start in a moment
_STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty")
_LEFT_OUT = pytest.StashKey[Counter[str]]()


def need_of(item: pytest.Item) -> str | None:
    """Return what a test needs besides this process."""
    asked = {*getattr(item, "fixturenames", ())}
    if call := getattr(item, "callspec", None):  # a parameter may name a fixture to look up
        asked |= {value for value in call.params.values() if isinstance(value, str)}
    return next((need for fixture, need in NEEDS.items() if fixture in asked), None)


def starts_processes(item: pytest.Item) -> bool:
    """Whether the test has asked for other processes."""
    return need_of(item) not in (None, *_WITHIN)


def has_workers(item: pytest.Item) -> bool:
    """Whether Kensaku's workers are processes in the test, as they are for users."""
    return starts_processes(item) and need_of(item) not in _ABOUT_OTHERS


class ProcessStarts:
    """Notes the processes that a test starts without having asked for any."""

    def __init__(self) -> None:
        self._allowed = True
        self._started: list[str] = []
        sys.addaudithook(self._note)  # cannot be taken back: there is one for the whole run

    def watch(self, item: pytest.Item) -> None:
        """Note what is started from now on, if the test has not asked for processes."""
        self._allowed, self._started = starts_processes(item), []

    def end(self) -> list[str]:
        """Return what the test started, and note no more."""
        started, self._allowed, self._started = self._started, True, []
        return started

    def _note(self, event: str, args: tuple[Any, ...]) -> None:
        if self._allowed or event not in _STARTS:
            return
        words = [os.fsdecode(word) for word in args[1]] if event == "subprocess.Popen" else [event]
        if not words[0].endswith(_CHEAP):
            self._started.append(" ".join(words)[:200])


def choose(config: pytest.Config, items: list[pytest.Item], tier: str) -> None:
    """Keep the tests of a tier."""

    def is_slow(item: pytest.Item) -> bool:
        need = need_of(item)
        return need is not None and not item.nodeid.startswith(SAMPLES[need])

    slow = [item for item in items if is_slow(item)]
    kept = set(slow) if tier == "slow" else set(items).difference(slow)
    if tier == "fast":
        config.stash.setdefault(_LEFT_OUT, Counter()).update(need_of(item) or "" for item in slow)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def left_out(config: pytest.Config) -> dict[str, int]:
    """Return how many tests of each kind were left out."""
    return dict(config.stash.get(_LEFT_OUT, {}))


def summary(counts: dict[str, int]) -> str:
    """Return one line about what was left out, or nothing."""
    kinds = ", ".join(f"{need} ({counts[need]})" for need in sorted(counts, key=counts.__getitem__))
    total = sum(counts.values())
    return f"left out: {total} tests that need {kinds}; make check runs them" if total else ""
