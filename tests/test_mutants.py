"""`make mutants`: which changes it makes, and how it judges them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import ROOT

SCRIPTS = ROOT / "scripts" / "mutants"


def run(program: str, source: str = "") -> str:
    """What a program prints that uses the modules of the script."""
    return subprocess.run(
        [sys.executable, "-c", program],
        input=source,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SCRIPTS)},
    ).stdout


def changed(source: str) -> list[str]:
    """The lines that the script would put in place of those of a source."""
    program = (
        "import sys; from changes import changes; text = sys.stdin.read();"
        "[print(c.apply(text).replace('\\n', ' ')) for c in changes(text)]"
    )
    return run(program, source).splitlines()


@pytest.mark.usefixtures("processes")
def test_bounds_branches_and_calls_are_changed() -> None:
    """Each of these is a decision that a test has to hold."""
    assert "MOST = 11" in changed("MOST = 10")
    assert "if (a <= b): f()" in changed("if a < b: f()")
    assert "if a < b: pass" in changed("if a < b: f()")
    assert "def f(a): return None" in changed("def f(a): return a")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        '__all__ = ["a"]',
        "Kind = Literal['a', 'b']",
        'log.info("found", 3)',
        "assert a < b",
        "for a, b in zip(c, d, strict=True): ...",
    ],
)
def test_what_makes_no_difference_is_left_alone(source: str) -> None:
    """Nobody should write a test for the wording of a log."""
    assert changed(source) == []


@pytest.mark.usefixtures("processes")
def test_the_words_of_a_table_are_left_alone_and_the_table_is_not() -> None:
    """A test of each stop word would be the list, written twice; a short list is logic."""
    words = [f"word{n}" for n in range(6)]

    assert changed(f"WORDS = frozenset({words})") == ["WORDS = (None)"]
    assert len(changed(f"WORDS = frozenset({words[:5]})")) == 6


@pytest.mark.usefixtures("processes")
def test_a_sentence_is_left_alone_also_as_a_keyword() -> None:
    """Wording is for people; that the error is raised is tested."""
    assert changed('raise Wrong("no such name", remedy="name another one")') == ["pass"]
    assert changed('x(help="what it does")') == ["pass"]


@pytest.mark.usefixtures("processes")
def test_every_change_that_makes_no_difference_can_still_be_made() -> None:
    """A line that has changed since may hide a change that does make one."""
    program = (
        "from mutant import known_equivalent, made;"
        "print([k for k in known_equivalent() if k[1:] not in {m.diff for m in made(k[0])}])"
    )
    assert run(program) == "[]\n"


_JUDGE = """
import itertools, verdict
from types import SimpleNamespace

verdict.monotonic = itertools.count(step=100).__next__  # a machine on which nothing ends soon

class Tree:
    changed = False

    def write(self, file, text):
        self.changed = text == "after"

    def run_tests(self, tests, seconds):
        for test in tests:
            if test.startswith("broken") or (self.changed and test.startswith(("fails", "hangs"))):
                return 1, test, not test.startswith("hangs")
        return 0, "", False

mutant = SimpleNamespace(file="a.py", before="before", after="after")
print(verdict.Judge({}).catches(mutant, Tree(), TESTS))
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("tests", "caught_by"),
    [
        (["passes", "fails"], "fails"),
        (["passes"], None),
        (["broken"], None),
        (["broken", "fails"], "fails"),
        (["broken"] * 25 + ["fails"], "fails"),
        (["hangs"], None),
        (["hangs", "fails"], "fails"),
    ],
)
def test_a_test_that_fails_counts_on_a_slow_machine_and_one_that_hangs_does_not(
    tests: list[str], caught_by: str | None
) -> None:
    """Nor does one that fails without the change, and those after it are tried."""
    names = [f"{name}{n}" for n, name in enumerate(tests)]

    caught = run(_JUDGE.replace("TESTS", repr(names))).strip()

    assert caught.rstrip("0123456789") == str(caught_by)
