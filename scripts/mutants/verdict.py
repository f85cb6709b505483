"""Does a test notice a change? Only a test that fails because of it counts.

    run until a test fails twice, or hangs twice → the same test without the change: passes

The machine may be busy: a test that fails or hangs once proves nothing. It has to do so again, and
to pass when the change is taken back, one that hangs with time to spare. Otherwise the tests after
it are tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from time import monotonic

from mutant import Mutant
from tree import Tree

NEAREST = 25  # tests that are tried first: most changes are caught by one of them
# A test hangs when it takes so many times what it took when it was measured, within these bounds:
# on a busy machine, what was measured is long already.
HANGS, HANGS_SECONDS, MOST_SECONDS = 20, 12, 120


class Verdict(StrEnum):
    CAUGHT = "caught"
    SURVIVED = "survived"
    UNCOVERED = "uncovered"  # survived, and no test was seen to run the code


@dataclass
class Judge:
    """Tries changes in copies of the project."""

    seconds: dict[str, float]  # test → how long it took when it was measured
    _passing: dict[tuple[str, ...], float] = field(default_factory=dict)

    def catches(self, mutant: Mutant, tree: Tree, tests: list[str]) -> str | None:
        """Return the test that notices the change, or None."""
        tree.write(mutant.file, mutant.after)
        try:
            for part in (tests[:NEAREST], tests[NEAREST:]):
                if found := self._noticing(mutant, tree, part):
                    return found
            return None
        finally:
            tree.write(mutant.file, mutant.before)

    def _noticing(self, mutant: Mutant, tree: Tree, tests: list[str]) -> str | None:
        while tests:
            broken, failed_twice = self._broken(tree, tests)
            if not broken:
                return None
            limit = inf if failed_twice else self._limit(broken) / 2
            if self._seconds_to_pass(mutant, tree, broken) < limit and (
                failed_twice or self._broken(tree, broken)[0]
            ):
                return broken[0]
            tests = tests[tests.index(broken[-1]) + 1 :]
        return None

    def _broken(self, tree: Tree, tests: list[str]) -> tuple[list[str], bool]:
        """The first test that fails, hangs or crashes; all when none can begin. Failed it twice?"""
        status, failed, twice = tree.run_tests(tests, self._limit(tests))
        if status in (0, 5):  # 5: nothing was collected
            return [], False
        # When a file cannot be imported it is the file that fails.
        known = [t for t in tests if failed and (t == failed or t.startswith(f"{failed}::"))]
        return known or tests, twice

    def _seconds_to_pass(self, mutant: Mutant, tree: Tree, tests: list[str]) -> float:
        """How long these take without the change, asked once for each; `inf` when one fails."""
        key = tuple(tests)
        if key not in self._passing:
            tree.write(mutant.file, mutant.before)
            began = monotonic()
            passed = not self._broken(tree, tests)[0]
            self._passing[key] = monotonic() - began if passed else inf
            tree.write(mutant.file, mutant.after)
        return self._passing[key]

    def _limit(self, tests: list[str]) -> float:
        slowest = max((self.seconds.get(t, 0.0) for t in tests), default=0.0)
        return min(max(HANGS_SECONDS, HANGS * slowest), MOST_SECONDS)
