"""What the smaller commands print, word by word: stdout for results, stderr for the rest."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from kensaku import Hit, Settings
from kensaku.answers.answer import Answer
from kensaku.answers.context import Citation, Context
from kensaku.cli import answer, context, providers, watch
from kensaku.cli._channel import log_to_stderr, run_until_stopped
from kensaku.cli._report import check_output, print_report
from kensaku.errors import InvalidQuery
from kensaku.models import Outcome
from kensaku.research.report import Report
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import page

Capture = pytest.CaptureFixture[str]
ONE = Citation(1, "https://a.example/", "A")


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (Context("t", (ONE,), 1_234, Outcome.FOUND), ["1,234 tokens of 1 page"]),
        (
            Context("t", (ONE, ONE), 7, Outcome.FOUND, cursor="abc"),
            ["7 tokens of 2 pages", "more: --cursor abc"],
        ),
        (
            Context("", (), 0, Outcome.FOUND),
            ["no passage fits into 2,000 tokens, or all were shown"],
        ),
        (Context("", (), 0, Outcome.EMPTY), []),
    ],
)
def test_the_size_of_a_context(found: Context, lines: list[str], capsys: Capture) -> None:
    """And how it goes on."""
    context._print_size(found, 2_000)

    assert capsys.readouterr().err.splitlines() == lines


def test_an_answer_lists_the_sources_that_it_cites() -> None:
    """Once, with the title if there is one; no others."""
    citations = (
        ONE,
        Citation(2, "https://b.example/", "B"),
        Citation(3, "https://c.example/", ""),
        Citation(10, "https://d.example/", "https://d.example/"),
    )
    found = Answer("One [1]. More [3][10].", citations, Outcome.FOUND)

    assert answer._format(found) == (
        "One [1]. More [3][10].\n\n[1] A\n    https://a.example/\n[3] https://c.example/\n"
        "[10] https://d.example/"
    )
    assert answer._format(replace(found, text="None.")) == "None."
    assert answer._format(replace(found, text=None)) == ""


PROVIDER: dict[str, Any] = {
    "turn": 2, "name": "brave", "state": "ready", "keys": ["…cdef", "…1234"], "keyless": False,
    "price": 0.0055, "max_results": 20, "max_query_chars": 400, "filters": ["dates", "language"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "at", "cell"),
    [
        ({}, 0, "2"),
        ({"turn": None}, 0, ""),
        ({"keys": [], "keyless": True}, 3, "none needed"),
        ({"keys": []}, 3, "–"),
        ({"price": 0.0}, 4, "–"),
        ({"price": None}, 4, "–"),
        ({"filters": []}, 7, "–"),
    ],
)
def test_a_provider_is_a_row(changes: dict[str, Any], at: int, cell: str) -> None:
    """A dash stands for what it has not."""
    usual = ["2", "brave", "ready", "…cdef, …1234", "5.5", "20", "400", "dates, language"]
    row = providers._row(PROVIDER | changes)

    assert row[at] == cell
    assert [c for n, c in enumerate(row) if n != at] == [c for n, c in enumerate(usual) if n != at]


def test_providers_are_listed_by_their_turn(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that nobody asks come last."""
    monkeypatch.setenv("WEB_SEARCH_PROVIDER", "brave,tavily")
    monkeypatch.setenv("BRAVE_API_KEY", "b" * 20)
    done = cli("providers", "exa", "tavily", "google", "brave")
    head, *rows = [line.split() for line in done.out.splitlines()]

    assert head == ["provider", "state", "keys", "$/1000", "results", "characters", "filters"]
    assert [row[:2] for row in rows[:2]] == [["1", "brave"], ["2", "tavily"]]
    assert [row[0] for row in rows[2:]] == ["exa", "google"]
    assert done.err == "google: the service ends on 2027-01-01; plan its successor\n"
    assert [p["name"] for p in cli("providers", "exa", "brave", "--json").json] == ["exa", "brave"]
    assert cli("providers", "exa", "bravo").status == 2


def test_the_cache_is_described_whole(cli: Cli, machine: Path, up: FakeUpstream) -> None:
    """What is in it, how often it answered, and how long it is of use."""
    for _ in range(2):
        cli("search", "otter", "--route", "tavily")
    found = cli("cache", "stats", "--json").json

    size = found.pop("bytes")
    assert size > 0
    assert found == {
        "responses": 1, "max_bytes": 268_435_456, "hits": 1, "misses": 1,
        "hit_rate": 0.5, "place": str(machine / "cache.sqlite"), "fresh_seconds": 3_600.0,
        "stale_seconds": 86_400.0,
    }  # fmt: skip
    assert cli("cache", "stats").out.splitlines() == [
        f"1 responses, {size:,} of 268,435,456 bytes, in {machine / 'cache.sqlite'}",
        "1 of 2 searches were answered from it (50%)",
        "fresh for 3600 s, of use for 86400 s more",
    ]
    assert cli("cache", "clear", "--json").json == {"forgotten": 1}


def test_a_quote_is_told_with_its_page(cli: Cli, up: FakeUpstream) -> None:
    """As JSON, found or not."""
    url = up.serves("/en", page("Otters"))
    told = cli("verify", "hold hands", url, "--json").json

    assert (told["url"], told["found"], told["text"]) == (url, True, "hold hands")
    said = cli("verify", "hold hands", url).out
    assert said == f"found, characters {told['start']} to {told['end']}: hold hands\n"
    assert cli("verify", "hold paws", url, "--json").json["found"] is False


def test_a_site_that_cannot_be_read_has_no_map(cli: Cli, up: FakeUpstream) -> None:
    """Status 1, nothing on stdout, and the reason."""
    done = cli("map", f"{up.url}/gone")

    assert (done.status, done.out) == (1, "")
    assert done.err.splitlines()[-1] == f"{up.url}/gone: the server answered 404"


def test_only_what_is_new_is_printed(cli: Cli, up: FakeUpstream) -> None:
    """Everything the first time; then what was not there before; the query is kept."""
    words = ("watch", "sea", "otters", "--route", "tavily", "--no-cache")
    old = Hit("https://a.example/", "Old\nhit", "x" * 400)
    new = Hit("https://b.example/", "New hit", "They sleep.")
    up.answers("tavily", [old])
    first = cli(*words)
    up.answers("tavily", [old, new])
    second = cli(*words)
    third = cli(*words, "--json")

    assert first.status == 0
    assert first.out == f"Old hit\n  https://a.example/\n  {'x' * 300}\n"
    assert first.err == "1 new hit\n"
    assert second.out == "New hit\n  https://b.example/\n  They sleep.\n"
    (line,) = second.err.splitlines()
    assert line.startswith("1 new hit since 20")
    assert line.endswith(" UTC")
    told = third.json
    since = datetime.fromisoformat(told.pop("since"))
    assert since.tzinfo is not None
    assert told == {"query": "sea otters", "outcome": "found", "new": []}
    assert third.err.startswith("0 new hits since ")


def test_saved_queries_are_listed_and_removed(cli: Cli, up: FakeUpstream) -> None:
    """With the time of the last search."""
    cli("watch", "sea", "otters", "--route", "tavily")
    (row,) = cli("watch", "--list", "--json").json
    done = cli("watch", "--list")

    assert row["query"] == "sea otters"
    assert done.out == f"{row['last']:32} sea otters\n"
    assert (cli("watch", "--remove", "sea", "otters").status, up.asked("brave")) == (0, [])
    assert cli("watch", "--list", "--json").json == []
    assert len(up.asked("tavily")) == 1


def test_a_watch_that_nobody_could_search_for(cli: Cli, up: FakeUpstream) -> None:
    """Status 1; it is not the same as nothing new."""
    up.fails("tavily", faults.status(503))
    done = cli("watch", "otters", "--route", "tavily")

    assert done.status == 1
    assert "new hit" not in done.err
    assert "tavily: " in done.err


def test_an_entry_is_three_lines() -> None:
    """Whatever is in it; the text is cut."""
    assert watch._entry("a\nb", "u:\n1", "c\nd" + "x" * 400) == f"a b\n  u: 1\n  c d{'x' * 297}"


REPORT = Report("otters", "# Otters", None, (), Outcome.FOUND)


@pytest.mark.parametrize(
    ("report", "as_json", "out"),
    [
        (REPORT, False, "# Otters\n"),
        (REPORT, True, None),
        (replace(REPORT, structured={"size": 1}), False, '{"size": 1}\n'),
        (replace(REPORT, text=None), False, ""),
        (replace(REPORT, text=""), False, ""),
    ],
)
def test_a_report_is_printed(
    report: Report, as_json: bool, out: str | None, capsys: Capture
) -> None:
    """In the form that was asked for."""
    print_report(report, None, as_json=as_json)

    shown = capsys.readouterr().out
    if out is None:
        assert json.loads(shown) == json.loads(json.dumps(report.to_dict()))
    else:
        assert shown.replace(":1", ": 1") == out


@pytest.mark.parametrize(
    ("name", "begins"), [("r.md", "# Otters\n"), ("r.JSON", "{\n  "), ("r.html", "<!doctype html>")]
)
def test_a_report_is_written(name: str, begins: str, tmp_path: Path, capsys: Capture) -> None:
    """In the form of its ending; nothing is printed but where."""
    path = tmp_path / name
    check_output(path)
    print_report(REPORT, path, as_json=True)

    assert capsys.readouterr() == ("", f"Wrote {path}\n")
    assert path.read_text().lower().startswith(begins.lower())
    print_report(replace(REPORT, text=None), tmp_path / "none.md", as_json=False)
    assert not (tmp_path / "none.md").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [("r.pdf", "must end with .md, .html or .json"), ("no/r.md", "its folder does not exist")],
)
def test_a_file_that_could_not_be_written_is_refused_before(
    name: str, said: str, tmp_path: Path
) -> None:
    """Before any work."""
    with pytest.raises(InvalidQuery, match=said):
        check_output(tmp_path / name)
    check_output(None)


def test_a_report_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    """A folder is in the way."""
    (tmp_path / "r.md").mkdir()
    with pytest.raises(InvalidQuery, match=r"r\.md cannot be written: Is a directory"):
        print_report(REPORT, tmp_path / "r.md", as_json=False)


def test_the_log_of_a_channel_has_no_secret(capsys: Capture) -> None:
    """A line a record; libraries are quiet; at the end nothing is written any more."""
    settings = Settings.load(environ={"TAVILY_API_KEY": "tvly-0123456789-secret"})
    logger, handlers = logging.getLogger("kensaku.test"), list(logging.getLogger().handlers)
    with log_to_stderr(settings, "info"):
        logger.info("with tvly-0123456789-secret")
        logger.debug("not this")
        for name in ("aiosqlite", "alembic", "sqlalchemy"):
            logging.getLogger(name).info("nor this")
    logger.info("afterwards")

    (line,) = capsys.readouterr().err.splitlines()
    assert " INFO kensaku.test: with " in line
    assert "0123456789" not in line
    assert logging.getLogger().handlers == handlers


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_channel_ends_well_when_it_is_stopped(number: signal.Signals) -> None:
    """By Ctrl-C and by SIGTERM; what it has opened is closed; others get the signals again."""
    closed = asyncio.Event()
    before = signal.getsignal(number)

    async def work() -> None:
        os.kill(os.getpid(), number)
        try:
            await asyncio.Event().wait()
        finally:
            closed.set()

    assert await run_until_stopped(work()) == 0
    assert closed.is_set()
    assert signal.getsignal(number) in (before, signal.SIG_DFL, signal.default_int_handler)
    assert await run_until_stopped(asyncio.sleep(0)) == 0


async def test_a_channel_that_fails_is_no_good_end() -> None:
    """Its error is the caller's."""

    async def work() -> None:
        raise InvalidQuery("no token")

    with pytest.raises(InvalidQuery):
        await run_until_stopped(work())
