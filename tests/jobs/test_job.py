"""A job as people see it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from kensaku.jobs import Job, JobProgress

CREATED = datetime(2026, 11, 16, 12, 0, 0, 500_000, tzinfo=UTC)


def test_a_job_is_ready_for_json():
    """The server and `kensaku jobs --json` send it as it is."""
    progress = JobProgress(1, 2, "crawling", 3)
    job = Job("crawl-1", "crawl", "done", "acme", "k1", {"url": "https://a.example/"}, progress,
              {"pages": 3}, created=CREATED)  # fmt: skip

    assert json.loads(json.dumps(job.to_dict())) == {
        "id": "crawl-1",
        "kind": "crawl",
        "status": "done",
        "tenant": "acme",
        "key_id": "k1",
        "arguments": {"url": "https://a.example/"},
        "progress": {"done": 1, "total": 2, "stage": "crawling", "documents": 3},
        "result": {"pages": 3},
        "error": None,
        "created": "2026-11-16T12:00:00.500000+00:00",
        "updated": None,
    }


@pytest.mark.parametrize(
    ("done", "total", "share"), [(0, 0, 0), (5, 0, 0), (5, 10, 0.5), (10, 10, 1), (12, 10, 1)]
)
def test_the_share_that_is_done_is_never_more_than_all(done, total, share):
    """An unknown total is no share."""
    assert JobProgress(done, total).share == share
