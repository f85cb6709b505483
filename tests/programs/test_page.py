"""docs/programs.md and the modules of this folder say the same. The runs: `make test-programs`."""

from __future__ import annotations

import json

import pytest

from tests import ROOT
from tests.programs.page import HEADS, rows
from tests.programs.program import HERE, Program, programs

PROGRAMS = programs()
every_program = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)


def test_every_program_has_a_row_and_every_row_a_program():
    """A row that no command writes goes stale unnoticed."""
    assert set(rows()) == {program.title for program in PROGRAMS.values()}


@every_program
def test_a_row_says_what_the_module_declares(program: Program):
    """The way, and each check: what fails is marked, not left out."""
    row = dict(zip(HEADS, rows()[program.title], strict=True))

    assert row["way"] == program.way.replace("|", "\\|")
    assert sorted(row["what works"].replace(" ✗ ", ", ").split(", ")) == sorted(program.checks)


@every_program
def test_the_packages_of_a_program_are_pinned(program: Program):
    """With hashes and without addresses, so that a run next year installs the same files."""
    if program.is_node:
        pinned = (HERE / program.name / "package-lock.json").read_text(encoding="utf-8")
        named = json.loads((HERE / program.name / "package.json").read_text(encoding="utf-8"))
        assert all(version[0].isdigit() for version in named["dependencies"].values())
        assert "resolved" not in pinned
    else:
        file = ROOT / "requirements" / "programs" / f"{program.name}.txt"
        pinned = file.read_text(encoding="utf-8")
        assert "--hash=sha256:" in pinned
        assert "://" not in pinned


@every_program
def test_a_program_has_checks_and_reasons(program: Program):
    """A refusal that is excused says why."""
    assert program.checks
    assert all(refusal.reason for refusal in program.refusals)
