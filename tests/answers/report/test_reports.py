"""Whole reports, compared with those of before: a change of them is one that somebody reads."""

from __future__ import annotations

import json

import pytest

from tests.answers.report import reports


@pytest.mark.parametrize("case", reports.CASES)
async def test_a_report_reads_as_it_did(case: str) -> None:
    """Questions, sections, sentences, citations, sources and what is missing, in their order."""
    known = json.loads(reports.FILE.read_text(encoding="utf-8"))

    assert await reports.describe(case) == known[case]
