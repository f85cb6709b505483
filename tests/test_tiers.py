"""The tiers: `make test` runs one real case of each kind that it leaves out."""

from __future__ import annotations

import re

import pytest

from tests import ROOT, tiers


@pytest.mark.parametrize("need", sorted({*tiers.NEEDS.values()}))
def test_every_kind_has_a_test_that_always_runs(need: str) -> None:
    """A test that was renamed would be left out without a word."""
    file, _, test = tiers.SAMPLES[need].partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")

    assert re.search(rf"^(async )?def {test.partition('[')[0]}\(", text, re.MULTILINE)


def test_what_was_left_out_is_one_line() -> None:
    """With how many of each, the most last; nothing where nothing was."""
    line = tiers.summary({"tmux": 3, "a browser": 1})

    assert line == "left out: 4 tests that need a browser (1), tmux (3); make check runs them"
    assert tiers.summary({}) == ""
