"""A job as people see it, as a value."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from kensaku.jobs.job import Job, JobProgress, job_from, stored_statuses

CREATED = datetime(2026, 11, 16, 12, 0, 0, 500_000, tzinfo=UTC)
MILLISECONDS = int(CREATED.timestamp() * 1000)


def workflow(status: str = "SUCCESS", **more: object) -> SimpleNamespace:
    values = {
        "workflow_id": "crawl-1",
        "status": status,
        "input": {"args": ("crawl", "acme", {"url": "https://a.example/"}, "k1")},
        "output": {"pages": 3},
        "error": None,
        "created_at": MILLISECONDS,
        "updated_at": MILLISECONDS + 1_500,
    }
    return SimpleNamespace(**values | more)


def test_a_job_is_ready_for_json():
    """Every member, with times as text."""
    assert job_from(workflow(), JobProgress(1, 2, "crawling", 3)).to_dict() == {
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
        "updated": "2026-11-16T12:00:02+00:00",
    }
    assert Job("j", "crawl", "queued").to_dict() == {
        "id": "j",
        "kind": "crawl",
        "status": "queued",
        "tenant": "",
        "key_id": "",
        "arguments": {},
        "progress": {"done": 0, "total": 0, "stage": "", "documents": 0},
        "result": None,
        "error": None,
        "created": None,
        "updated": None,
    }


@pytest.mark.parametrize(
    ("stored", "status", "finished"),
    [
        ("ENQUEUED", "queued", False),
        ("DELAYED", "queued", False),
        ("PENDING", "running", False),
        ("SUCCESS", "done", True),
        ("ERROR", "failed", True),
        ("MAX_RECOVERY_ATTEMPTS_EXCEEDED", "failed", True),
        ("CANCELLED", "cancelled", True),
    ],
)
def test_a_status_of_dbos_is_one_of_ours(stored, status, finished):
    """Only a job that is done has a result, and only a failed one an error."""
    job = job_from(workflow(stored, error=ValueError("broken")), JobProgress())

    assert (job.status, job.finished) == (status, finished)
    assert job.result == ({"pages": 3} if status == "done" else None)
    assert job.error == ("broken" if status == "failed" else None)
    assert stored in stored_statuses(status)


def test_a_job_that_killed_every_process_says_so():
    """DBOS stores no error for it."""
    job = job_from(workflow("MAX_RECOVERY_ATTEMPTS_EXCEEDED"), JobProgress())

    assert job.error == "every process that ran it ended before it did"


def test_a_job_of_an_older_version_or_without_input_is_shown():
    """It had no key, or DBOS does not give what it was called with."""
    old = workflow(input={"args": ("crawl", "acme", {})}, created_at=None)
    none = workflow(input=None)

    assert job_from(old, JobProgress()).key_id == ""
    assert job_from(old, JobProgress()).created is None
    assert (job_from(none, JobProgress()).kind, job_from(none, JobProgress()).tenant) == ("", "")


@pytest.mark.parametrize(
    ("done", "total", "share"), [(0, 0, 0.0), (5, 0, 0.0), (5, 10, 0.5), (10, 10, 1.0), (12, 10, 1)]
)
def test_the_share_that_is_done(done, total, share):
    """Unknown totals are no share, and more than all is all."""
    assert JobProgress(done, total).share == share
