"""Whole reports, compared with those of before: a change of them is one that somebody reads."""

from __future__ import annotations

import pytest

from tests.answers.report import reports
from tests.golden import assert_kept


@pytest.mark.parametrize("case", reports.CASES)
async def test_a_report_reads_as_it_did(case: str) -> None:
    """Questions, sections, sentences, citations, sources and what is missing, in their order."""
    assert_kept(await reports.describe(case), reports.FILE, case)
