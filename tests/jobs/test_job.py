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


async def test_every_status_of_dbos_is_one_of_ours(jobs, sql):
    """A status that a newer DBOS adds would hide a job from lists, or break them."""
    from dbos._sys_db import WorkflowStatusString

    id = await jobs.submit("crawl", {"url": "https://a.example/"})
    seen = set()
    for stored in WorkflowStatusString:
        sql("UPDATE workflow_status SET status = ?", stored.value)
        job = await jobs.get(id)
        assert [one.id for one in await jobs.list(status=job.status)] == [id]
        assert job.finished == (job.status in ("done", "failed", "cancelled"))
        assert (job.error is not None) == (job.status == "failed")
        assert job.result is None
        seen.add(job.status)

    assert seen == {"queued", "running", "done", "failed", "cancelled"}


async def test_a_job_that_ended_every_process_says_so(jobs, sql):
    """DBOS gives it up after some of them, and stores no error."""
    id = await jobs.submit("crawl", {"url": "https://a.example/"})
    sql("UPDATE workflow_status SET status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'")

    assert "every process" in (await jobs.get(id)).error


async def test_a_job_of_an_older_version_is_shown(jobs, sql):
    """It was stored before jobs had the key that pays for them."""
    id = await jobs.submit("crawl", {"url": "https://a.example/"}, tenant="acme", key_id="k1")
    ((stored,),) = sql("SELECT inputs FROM workflow_input")
    values = json.loads(stored)
    values["positionalArgs"].pop()
    sql("UPDATE workflow_input SET inputs = ?", json.dumps(values))

    job = await jobs.get(id)
    assert (job.kind, job.tenant, job.key_id) == ("crawl", "acme", "")
    assert job.arguments["url"] == "https://a.example/"
