"""What the terminal says of a job: all that is known of it, how fast it is, how long it takes."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kensaku import Settings, jobs
from kensaku.cli._follow import _duration, _Meter, follow, print_job, run_job
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


class Watched:
    """The events of one job, as `Jobs` has them; then perhaps Ctrl-C."""

    def __init__(self, *events: Job, interrupted: bool = False) -> None:
        self._events, self._interrupted = events, interrupted
        self.asked: list[str] = []

    async def events(self, id: str) -> AsyncIterator[Job]:
        self.asked.append(id)
        for event in self._events:
            yield event
        if self._interrupted:
            raise asyncio.CancelledError


QUEUED, DONE = replace(JOB, status="queued"), replace(JOB, status="done", result={"documents": 7})


@pytest.mark.parametrize(("status", "exit_status"), [("done", 0), ("failed", 1), ("cancelled", 1)])
async def test_a_job_is_followed_to_its_end(status, exit_status, capsys):
    """How far it is stands on stderr while it runs, what came of it on stdout."""
    further = replace(JOB, progress=replace(JOB.progress, done=10))
    watched = Watched(QUEUED, JOB, further, replace(DONE, status=status))

    assert await follow(watched, "j-1", json=False) == exit_status
    out, err = capsys.readouterr()
    assert err.splitlines() == ["reading: 25 %", "reading: 50 %"]
    assert out.splitlines()[2] == f"status     {status}"
    assert watched.asked == ["j-1"]


async def test_the_end_of_a_job_is_json(capsys):
    """For machines."""
    assert await follow(Watched(DONE), "j-1", json=True) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(DONE.to_dict()))


async def test_who_stops_watching_is_told_how_to_go_on(capsys):
    """The job is kept, and nothing is said of a result."""
    with pytest.raises(asyncio.CancelledError):
        await follow(Watched(JOB, interrupted=True), "j-1", json=False)

    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "stopped; it goes on with: kensaku jobs resume j-1"


class TerminalText(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("interrupted", [False, True])
async def test_the_bar_is_erased_before_anything_else_is_said(interrupted, monkeypatch, capsys):
    """Also when it ends well."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", TerminalText())
    watched = Watched(JOB, *([] if interrupted else [DONE]), interrupted=interrupted)
    with suppress(asyncio.CancelledError):
        await follow(watched, "j-1", json=False)

    bar = "\r\x1b[Kreading ██████░░░░░░░░░░░░░░░░░░ 5/20"
    said = "stopped; it goes on with: kensaku jobs resume j-1\n" if interrupted else ""
    assert sys.stderr.getvalue() == f"{bar}\r\x1b[K{said}"


class FakeJobs:
    """A database of jobs: `listed` are there, what is submitted gets the id `new`."""

    listed: ClassVar[list[Job]] = []
    calls: ClassVar[list[Any]] = []

    def __init__(self, settings: Settings, *, workers: int | None) -> None:
        self.calls.append(("open", settings.tenant, workers))

    async def __aenter__(self) -> FakeJobs:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.calls.append("close")

    async def list(self, **filters: Any) -> Any:
        self.calls.append(("list", filters))
        return self.listed

    async def submit(self, kind: str, arguments: Any, **options: Any) -> str:
        self.calls.append(("submit", kind, arguments, options))
        return "new"

    async def start(self) -> None:
        self.calls.append("start")

    async def events(self, id: str) -> AsyncIterator[Job]:
        self.calls.append(("events", id))
        yield replace(DONE, id=id)


CRAWL = {"url": "https://a.example/", "limit": 3}
STORED = {**CRAWL, "timeout": 3_600.0, "collection": "default"}
ACME = Settings(tenant="acme")


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> type[FakeJobs]:
    monkeypatch.setattr(FakeJobs, "listed", [])
    monkeypatch.setattr(FakeJobs, "calls", [])
    monkeypatch.setattr(jobs, "Jobs", FakeJobs, raising=False)
    return FakeJobs


async def test_a_job_is_submitted_run_and_followed(database: type[FakeJobs], capsys: Any) -> None:
    """In this process, by who operates it, for the tenant of the settings."""
    database.listed = [
        Job("old", "crawl", "failed", arguments=STORED),
        Job("other", "crawl", "running", arguments=STORED | {"limit": 4}),
    ]

    assert await run_job(ACME, "crawl", CRAWL, json=True, workers=3) == 0
    assert database.calls == [
        ("open", "acme", 3),
        ("list", {"tenant": "acme", "kind": "crawl"}),
        ("submit", "crawl", STORED, {"tenant": "acme", "operator": True}),
        "start",
        ("events", "new"),
        "close",
    ]
    out, err = capsys.readouterr()
    assert (json.loads(out)["id"], err) == ("new", "")


async def test_the_same_command_goes_on_with_the_same_job(
    database: type[FakeJobs], capsys: Any
) -> None:
    """The newest of those that have not ended."""
    database.listed = [
        Job("first", "crawl", "queued", arguments=STORED),
        Job("second", "crawl", "running", arguments=STORED),
    ]

    assert await run_job(ACME, "crawl", CRAWL, json=False) == 0
    assert database.calls[0] == ("open", "acme", None)
    assert database.calls[2:] == ["start", ("events", "first"), "close"]
    out, err = capsys.readouterr()
    assert err == "going on with job first\n"
    assert out.startswith("id         first\n")


async def test_files_may_be_named_by_who_runs_the_command(
    database: type[FakeJobs], tmp_path: Path
) -> None:
    """The command line is that of the operator."""
    await run_job(ACME, "bulk", {"sources": [str(tmp_path)]}, json=True)

    assert database.calls[2][2] == {"sources": [str(tmp_path)], "collection": "default"}
