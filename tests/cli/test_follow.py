"""What the terminal says of a job: all that is known of it, how fast it is, how long it takes."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kensaku.cli._follow import _duration, _Meter, print_job
from kensaku.jobs.job import Job, JobProgress

JOB = Job(
    "j-1",
    "bulk",
    "running",
    tenant="t1",
    arguments={"sources": ["a.jsonl", "b\njsonl"], "limit": 12_000, "options": {"depth": 2}},
    progress=JobProgress(done=5, total=20, documents=1_500, stage="reading"),
    created=datetime(2026, 1, 31, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"), (89.4, "89 s"), (90, "2 min"), (600, "10 min"), (5_399, "90 min"),
        (5_400, "1.5 h"), (9_000, "2.5 h"),
    ],
)  # fmt: skip
def test_a_duration_has_the_unit_that_people_use(seconds, said):
    """Seconds, then minutes, then hours."""
    assert _duration(seconds) == said


def test_a_job_is_printed_line_by_line(capsys):
    """Values that are empty are left out; lists, numbers and line breaks are made readable."""
    print_job(JOB, json=False)

    assert capsys.readouterr().out.splitlines() == [
        "id        j-1",
        "kind      bulk",
        "status    running",
        "tenant    t1",
        "sources   a.jsonl; b jsonl",
        "limit     12,000",
        "options   depth: 2",
        "progress  25%, 1,500 documents; reading",
    ]


def test_what_came_of_a_job_is_printed_too(capsys):
    """Its result, or why there is none."""
    print_job(
        replace(JOB, progress=JobProgress(), result={"documents": 7}, error="gone"), json=False
    )

    assert capsys.readouterr().out.splitlines()[-2:] == ["documents  7", "error      gone"]


def test_a_job_is_printed_as_json(capsys):
    """For machines."""
    print_job(JOB, json=True)

    assert json.loads(capsys.readouterr().out)["id"] == "j-1"


@pytest.mark.parametrize(
    ("seconds", "done", "documents", "said"),
    [
        (1, 10, 2_000, "reading"),  # too soon to say
        (2, 10, 2_500, "reading, 500 documents/s, 4 s left"),
        (10, 5, 2_500, "reading, 100 documents/s"),
        (10, 6, 1_500, "reading, 2 min left"),
        (10, 5, 1_500, "reading"),
    ],
)
def test_a_rate_is_that_since_the_job_was_watched(seconds, done, documents, said, monkeypatch):
    """Not since it began, which may have been days ago."""
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    meter = _Meter(JOB)
    now += seconds

    watched = replace(JOB.progress, done=done, documents=documents)
    assert meter.describe(replace(JOB, progress=watched)) == said


def test_a_job_that_says_nothing_is_named_by_its_kind():
    """There is always a word."""
    quiet = replace(JOB, progress=JobProgress())

    assert _Meter(quiet).describe(quiet) == "bulk"
