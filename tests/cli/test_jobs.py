"""`kensaku index build` and `kensaku jobs`: long work on the command line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.jobs import Jobs
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Spawn


def write_documents(file: Path, n: int) -> None:
    rows = ({"url": f"https://e.org/{i}", "text": f"Otter number {i}. " * 90} for i in range(n))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_build_indexes_a_file_and_jobs_remembers_it(tmp_path: Path, cli: Cli) -> None:
    """The collection can be searched, and the job looked at, in another command."""
    write_documents(tmp_path / "d.jsonl", 30)

    built = cli("index", "build", tmp_path / "d.jsonl", "--collection", "big", "--workers", "1")
    (listed,) = cli("jobs", "list", "--json").json
    shown = cli("jobs", "show", listed["id"])
    found = cli("search", "otter number 7", "--route", "local", "--json").json

    assert built.status == 0
    assert "documents   30" in built.out
    assert (listed["kind"], listed["status"]) == ("bulk", "done")
    assert listed["result"]["added"] == 30
    assert listed["id"] in cli("jobs", "list").out
    assert "status      done" in shown.out
    assert found["outcome"] == "found"


def test_an_empty_database_has_no_jobs(cli: Cli) -> None:
    """And says so."""
    done = cli("jobs", "list")
    assert (done.status, done.out) == (0, "")
    assert "no jobs" in done.err


def test_a_killed_build_goes_on_with_the_same_command(
    site: str, up: FakeUpstream, cli: Cli, spawn: Spawn
) -> None:
    """It is one job, and nothing is added twice."""
    pages = [up.serves(f"/site/{n}", f"<title>{n}</title><p>Otter {n}.</p>") for n in range(21)]
    listed = "".join(f"<url><loc>{page}</loc></url>" for page in pages)
    sitemap = up.serves("/site/sitemap.xml", f"<urlset>{listed}</urlset>", "text/xml")
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/20")  # alone in its batch
    words = ["index", "build", sitemap, "--collection", "big"]
    building = spawn(*words)

    async def wait_for_documents() -> None:
        async with Jobs(Settings.load()) as jobs:
            while not (listed := await jobs.list()):
                assert building.poll() is None
                await asyncio.sleep(0.05)
            async for job in jobs.events(listed[0].id, poll=0.02):
                if job.progress.documents:
                    return

    asyncio.run(wait_for_documents())
    building.kill()
    building.wait(120)
    up.heals()
    again = cli(*words, "--json").json
    (job,) = cli("jobs", "list", "--json").json

    assert again["id"] == job["id"]
    assert (job["status"], job["result"]["documents"]) == ("done", 21)
    assert cli("index", "stats", "--json").json["big"]["documents"] == 21


@pytest.fixture
def queued(tmp_path: Path, cli: Cli) -> tuple[str, str]:
    """The ids of two jobs, of two tenants, that nobody runs."""
    write_documents(tmp_path / "d.jsonl", 2)

    async def submit() -> tuple[str, str]:
        async with Jobs(Settings.load()) as jobs:
            arguments = {"sources": [str(tmp_path / "d.jsonl")], "collection": "big"}
            first = await jobs.submit("bulk", arguments, tenant="ann", operator=True)
            site = {"url": f"http://127.0.0.1/{'x' * 80}", "collection": "site"}
            return first, await jobs.submit("crawl", site, tenant="ben", operator=True)

    return asyncio.run(submit())


def test_jobs_are_listed_shown_and_cancelled(queued: tuple[str, str], cli: Cli) -> None:
    """All, or those of a tenant; a tenant's job is not there for another."""
    bulk, crawl = queued

    assert {job["id"] for job in cli("jobs", "list", "--json").json} == {crawl, bulk}
    assert len(cli("jobs", "list", "--limit", "1", "--json").json) == 1
    assert [j["id"] for j in cli("jobs", "list", "--tenant", "ann", "--json").json] == [bulk]
    assert cli("jobs", "show", bulk, "--tenant", "ann", "--json").json["status"] == "queued"
    for action in ("show", "cancel", "resume"):
        assert cli("jobs", action, bulk, "--tenant", "ben").status == 2
    assert cli("jobs", "show", bulk, "--json").json["status"] == "queued"
    done = cli("jobs", "cancel", bulk)
    assert (done.status, done.out.splitlines()[2].split()) == (0, ["status", "cancelled"])


def test_a_cancelled_job_is_resumed_to_its_end(queued: tuple[str, str], cli: Cli) -> None:
    """In this process; one that has ended is only shown."""
    bulk, crawl = queued
    for id in queued:
        cli("jobs", "cancel", id)
    done = cli("jobs", "resume", bulk, "--workers", "1", "--json")

    assert (done.status, done.json["status"], done.json["result"]["added"]) == (0, "done", 2)
    again = cli("jobs", "resume", bulk)
    assert (again.status, "status" in again.out) == (0, True)
    assert cli("jobs", "show", crawl, "--json").json["status"] == "cancelled"


def test_jobs_are_a_table(queued: tuple[str, str], cli: Cli) -> None:
    """With what each is about, cut where it is long."""
    bulk, crawl = queued
    cli("jobs", "cancel", bulk)
    head, *rows = (line.split() for line in cli("jobs", "list").out.splitlines())

    assert head == ["id", "kind", "status", "done", "created", "what"]
    table = {row[0]: row for row in rows}
    assert table[bulk][1:4] == ["bulk", "cancelled", "0%"]
    assert table[bulk][-1].startswith("/")
    assert table[crawl][1:4] == ["crawl", "queued", "0%"]
    assert table[crawl][-1] == f"http://127.0.0.1/{'x' * 80}"[:60]
