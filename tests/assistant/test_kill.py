"""A process that is killed with −9 in the middle of a run: one answer, no search paid twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .killing import Killing, killing


def nth(name: str, n: int) -> Callable[[str], bool]:
    """Kill when the process has printed this for the nth time."""
    left = n

    def is_it(line: str) -> bool:
        nonlocal left
        left -= line == name
        return left == 0 and line == name

    return is_it


@pytest.fixture
def trials(killed: None, machine: Path) -> Iterator[Killing]:
    """A process to kill; the searches of its run take different times."""
    with killing(machine) as made:
        yield made


# When it is killed, and how many searches may then still be made: bench/kill.py tries 50 more.
MOMENTS = [
    (nth("taken", 1), 3),
    (nth("ToolStarted", 3), 3),
    (nth("ToolEnded", 1), 2),
    (nth("TextDelta", 1), 0),
]


def test_a_killed_run_ends_with_one_answer(trials: Killing) -> None:
    """No search is sent twice; one that was in flight is made in other words."""
    for number, (moment, left) in enumerate(MOMENTS, 1):
        trial = trials.run(number, moment)

        assert not trial.last.startswith("end")
        assert trial.is_right, trial
        assert len(trial.again) <= left
