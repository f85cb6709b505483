"""`kensaku crawl`: the pages of a site, printed or indexed."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kensaku.cli import _follow, crawl
from kensaku.errors import InvalidQuery, PageUnavailable, UsageError
from kensaku.index import AddResult
from kensaku.models import Page
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import fetch_count


def test_the_pages_of_a_site_are_printed(site: str, cli: Cli) -> None:
    """All of them, then how many; pages of other sites only when they can be had."""
    done = cli("crawl", site, "--no-external")

    assert done.status == 0
    assert [f"# {t}\n" in done.out for t in ("Root", "Alpha", "Beta")] == [True] * 3
    assert done.err.splitlines()[-1] == "3 pages read"
    told = cli("crawl", site, "--json", "--select-path", "/a$", "--no-external").json
    assert {p["title"] for p in told["results"]} == {"Root", "Alpha"}


def test_a_crawl_fills_a_collection(site: str, cli: Cli) -> None:
    """A second one finds nothing new; a search finds what was read."""
    first = cli("crawl", site, "--no-external", "--collection", "sea")
    again = cli("crawl", site, "--no-external", "--collection", "sea", "--json").json

    assert first.out == "sea: 3 added, 0 updated, 0 unchanged\n"
    assert (again["added"], again["unchanged"], len(again["urls"])) == (0, 3, 3)
    found = cli("search", "kelp", "--route", "local", "--collection", "sea", "--json").json
    assert found["hits"][0]["title"] == "Alpha"


@pytest.mark.parametrize(
    "words",
    [
        ["--max-depth", "9"], ["--limit", "0"], ["--timeout", "0"], ["--select-path", "(?=a)"],
        ["--collection", "../up"], ["--max-breadth", "0"], ["--job", "--resume"],
    ],
)  # fmt: skip
def test_a_crawl_that_cannot_be_carried_out_is_wrong_use(
    words: list[str], site: str, up: FakeUpstream, cli: Cli
) -> None:
    """Exit 2, one sentence, and nothing is sent."""
    done = cli("crawl", site, *words)

    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert up.requests == []


def test_a_killed_crawl_goes_on(site: str, up: FakeUpstream, cli: Cli) -> None:
    """What was read before the kill is not fetched again, and nothing is missing."""
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    words = ["crawl", site, "--no-external", "--limit", "3", "--json"]
    running = subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", *words],
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:  # 2 of 3 pages are done
        if "50 %" in line:
            break
    running.send_signal(signal.SIGKILL)
    running.wait(120)
    running.stderr.close()
    up.heals()
    done = cli(*words, "--resume")

    assert {p["title"] for p in done.json["results"]} == {"Root", "Alpha", "Beta"}
    assert fetch_count(up, "/site/") == fetch_count(up, "/site/a") == 1


def test_a_site_that_cannot_be_read_is_a_failure(up: FakeUpstream, cli: Cli) -> None:
    """Exit 1 and an empty stdout, from both."""
    for command in ("crawl", "map"):
        done = cli(command, f"{up.url}/gone")
        assert (done.status, done.out) == (1, "")
        assert "/gone: " in done.err
        assert cli(command, "ftp://a.example/").status == 2


def test_a_crawl_as_a_job_fills_a_collection_and_is_listed(site: str, cli: Cli) -> None:
    """The jobs of the database know it, and a search finds what was read."""
    job = cli("crawl", site, "--no-external", "--job", "--collection", "sea", "--json").json
    (listed,) = cli("jobs", "list", "--json").json

    assert (job["kind"], job["status"], job["result"]["pages"]) == ("crawl", "done", 3)
    assert listed["id"] == job["id"]
    found = cli("search", "kelp", "--route", "local", "--collection", "sea", "--json").json
    assert found["hits"][0]["title"] == "Alpha"


def test_a_killed_crawl_that_is_a_job_goes_on_with_the_same_command(
    site: str, up: FakeUpstream, cli: Cli
) -> None:
    """It is the same job, and has read every page in the end."""
    words = ["crawl", site, "--no-external", "--job", "--collection", "sea", "--json"]
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    running = subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", *words],
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not [seen for seen in up.requests if seen.target == "/site/b"]:
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait(120)
    up.heals()
    (before,) = cli("jobs", "list", "--json").json
    done = cli(*words)

    assert done.json["id"] == before["id"]
    assert (done.json["status"], done.json["result"]["pages"]) == ("done", 3)
    assert f"going on with job {before['id']}" in done.err


def test_pages_are_indexed_in_batches(site: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are of all of them; the same again is unchanged."""
    monkeypatch.setattr("kensaku.cli.crawl.BATCH_PAGES", 2)
    words = ["crawl", site, "--collection", "otters", "--no-external"]
    told = cli(*words, "--json").json

    pages = [site, f"{site}a", f"{site}b"]
    assert sorted(told.pop("urls")) == pages
    assert told == {
        "base_url": told["base_url"], "collection": "otters", "added": 3, "updated": 0,
        "unchanged": 0, "failed": [], "notes": told["notes"],
    }  # fmt: skip
    again = cli(*words)
    assert (again.status, again.out) == (0, "otters: 0 added, 0 updated, 3 unchanged\n")
    assert again.err.splitlines()[-1] == "3 pages read"


class FakeCrawl:
    """Reads so many pages, and says what it was asked for."""

    base_url = "https://a.example/"

    def __init__(self, pages: int, failed: Any = (), notes: Any = ()) -> None:
        self._pages, self.failed, self.notes = pages, list(failed), list(notes)

    async def __aiter__(self) -> AsyncIterator[Page]:
        for n in range(self._pages):
            yield Page(f"https://a.example/{n}")


class FakeKensaku:
    """A client whose crawl is given; its index counts what it gets."""

    def __init__(self, crawl: FakeCrawl) -> None:
        self.index, self._crawl = self, crawl
        self.asked: list[Any] = []
        self.added: list[tuple[int, str]] = []

    def crawl(self, url: str, **options: Any) -> FakeCrawl:
        self.asked.append((url, options))
        return self._crawl

    async def add(self, pages: list[Page], *, collection: str) -> AddResult:
        self.added.append((len(pages), collection))
        return AddResult(len(pages) - 1, 1, 2)


ARGS = argparse.Namespace(url="a.example", resume=True, collection="sea", json=False)


@pytest.mark.parametrize(
    ("pages", "batches", "counts"),
    [
        (1, [1], "0 added, 1 updated, 2 unchanged"),
        (20, [20], "19 added, 1 updated, 2 unchanged"),
        (41, [20, 20, 1], "38 added, 3 updated, 6 unchanged"),
    ],
)
async def test_twenty_pages_are_added_at_a_time(
    pages: int, batches: list[int], counts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kill loses at most these."""
    k = FakeKensaku(FakeCrawl(pages))
    assert await crawl._crawl_into_index(k, ARGS, {"limit": 3}) == 0  # type: ignore[arg-type]

    assert k.asked == [("a.example", {"resume": True, "limit": 3})]
    assert k.added == [(n, "sea") for n in batches]
    noun = "page" if pages == 1 else "pages"
    assert capsys.readouterr() == (f"sea: {counts}\n", f"{pages} {noun} read\n")


async def test_what_a_crawl_adds_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With what failed, and the notes."""
    error = PageUnavailable("the server answered 404", status=404)
    failed = [("https://a.example/x", error)]
    k = FakeKensaku(FakeCrawl(2, failed, ["stopped after 1 s", "another"]))
    as_json = argparse.Namespace(**vars(ARGS) | {"json": True})
    assert await crawl._crawl_into_index(k, as_json, {}) == 0  # type: ignore[arg-type]

    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "base_url": "https://a.example/", "collection": "sea", "added": 1, "updated": 1,
        "unchanged": 2, "urls": ["https://a.example/0", "https://a.example/1"],
        "failed": [{"url": "https://a.example/x", "error": error.to_dict()}],
        "notes": ["stopped after 1 s", "another"],
    }  # fmt: skip
    assert err.splitlines() == [
        "https://a.example/x: the server answered 404",
        "note: stopped after 1 s; --resume goes on from here",
        "note: another",
        "2 pages read",
    ]


@pytest.mark.parametrize(("failed", "status"), [((), 0), ([("u:1", InvalidQuery("no"))], 1)])
async def test_a_crawl_without_a_page(
    failed: Any, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is added; that none could be read is a failure, and that there are none is not."""
    k = FakeKensaku(FakeCrawl(0, failed))
    assert await crawl._crawl_into_index(k, ARGS, {}) == status  # type: ignore[arg-type]

    out, err = capsys.readouterr()
    assert (out, k.added) == ("", [])
    assert err.splitlines()[-1] == "0 pages read"


async def test_a_job_is_given_all_options(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    """And a collection if one is named; it needs no --resume."""
    calls: list[Any] = []

    async def run_job(settings: Any, *args: Any, **options: Any) -> int:
        calls.append((settings.home, args, options))
        return 7

    monkeypatch.setattr(_follow, "run_job", run_job)
    args = argparse.Namespace(
        url="a.example", resume=False, collection=None, json=True, config=None
    )
    assert await crawl._crawl_as_job(args, {"limit": 3}) == 7
    args.collection, args.json = "sea", False
    await crawl._crawl_as_job(args, {})
    args.resume = True
    with pytest.raises(UsageError, match="--job goes on by itself"):
        await crawl._crawl_as_job(args, {})

    assert calls == [
        (machine, ("crawl", {"limit": 3, "url": "a.example"}), {"json": True}),
        (machine, ("crawl", {"collection": "sea", "url": "a.example"}), {"json": False}),
    ]
