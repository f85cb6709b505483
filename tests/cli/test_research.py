"""`kensaku research`: a report and its sources, exit status by what came of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import HITS

TASK = "do sea otters hold hands while they sleep"


def test_a_report_has_its_sources_and_nothing_else(up: FakeUpstream, cli: Cli) -> None:
    """On standard output, ready for a file; no progress in a pipe."""
    up.answers("tavily", HITS)
    done = cli("research", TASK, "--route", "tavily", "--length", "short")

    assert done.status == 0
    assert done.out.startswith("Sea otters hold hands while they sleep, so that the current")
    assert "\n## Sources\n\n- [1] Sleep. https://a.example/1" in done.out
    assert "Searched" not in done.err


def test_json_has_the_whole_report(up: FakeUpstream, cli: Cli) -> None:
    """Steps, attempts, confidence and sources."""
    up.answers("tavily", HITS)
    told = cli("research", TASK, "--route", "tavily", "--json", "--citations", "apa").json

    assert told["outcome"] == "found"
    assert told["content"] == told["text"]
    assert told["sources"][0]["url"] == "https://a.example/1"
    assert told["steps"][0]["step"] == "plan"
    assert told["written_by"] == "extract"


def test_nobody_could_search_is_status_1(up: FakeUpstream, cli: Cli) -> None:
    """And says who was asked; nothing is on standard output."""
    up.fails("tavily", faults.status(400))
    done = cli("research", TASK, "--route", "tavily")

    assert (done.status, done.out) == (1, "")
    assert "tavily" in done.err
    assert "Nobody could search." in done.err


def test_nothing_found_is_status_0(up: FakeUpstream, cli: Cli) -> None:
    """Somebody searched."""
    up.answers("tavily", [])
    done = cli("research", TASK, "--route", "tavily")

    assert done.status == 0
    assert "Nothing was found." in done.err


def test_a_schema_and_files_are_read(up: FakeUpstream, cli: Cli, tmp_path: Path) -> None:
    """The content follows the one, the others are sources."""
    up.answers("tavily", [])
    schema, notes = tmp_path / "schema.json", tmp_path / "notes.md"
    asked = {"type": "string", "description": "How high is the lighthouse of Toba?"}
    schema.write_text(json.dumps({"properties": {"height": asked}}))
    notes.write_text("The lighthouse of Toba is 31 metres high.")
    done = cli("research", "lighthouse of Toba", "--route", "tavily", "--schema", schema,
               "--file", notes)  # fmt: skip

    assert done.json == {"height": "The lighthouse of Toba is 31 metres high."}


def test_a_terminal_shows_progress(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error: the plan, each search, the writing."""
    up.answers("tavily", HITS)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    done = cli("research", TASK, "--route", "tavily")

    assert "Plan (by rule): do sea otters" in done.err
    assert "Searched: do sea otters" in done.err
    assert "Writing" in done.err


def test_a_run_is_kept_replayed_and_compared(up: FakeUpstream, cli: Cli, tmp_path: Path) -> None:
    """The replay asks nobody and prints the same report; another run differs."""
    one, copy, other = (str(tmp_path / name) for name in ("one.zip", "copy.zip", "other.zip"))
    up.answers("tavily", HITS)
    first = cli("research", TASK, "--route", "tavily", "--bundle", one)
    cli("research", f"{TASK} at night", "--route", "tavily", "--bundle", other)
    asked = len(up.requests)
    again = cli("research", "--replay", one, "--bundle", copy)
    same, differ = (cli("research", "--diff", one, path) for path in (copy, other))

    assert [done.status for done in (first, again, same, differ)] == [0, 0, 0, 0]
    assert again.out == first.out
    assert len(up.requests) == asked
    assert (same.out, "do not differ" in same.err) == ("", True)
    assert ("at night" in differ.out, differ.err) == (True, "")
    assert cli("research", "--diff", one, copy, "--json").json["report"] == ""


@pytest.mark.parametrize(
    ("name", "start"), [("r.html", "<!doctype html>"), ("r.md", "Sea otters"), ("r.json", "{")]
)
def test_a_report_is_written_to_a_file(
    name: str, start: str, up: FakeUpstream, cli: Cli, tmp_path: Path
) -> None:
    """In the form that its name ends with."""
    up.answers("tavily", HITS)
    done = cli("research", TASK, "--route", "tavily", "--output", str(tmp_path / name))

    assert (done.status, done.out) == (0, "")
    assert (tmp_path / name).read_text("utf-8").startswith(start)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--schema", "{folder}/deep.json"], "/deep.json is not JSON"),
        (["--file", "{folder}/latin.txt"], "/latin.txt cannot be read: 'utf-8' codec"),
        (["--file", "{folder}/none.txt"], "/none.txt cannot be read: [Errno 2] No such file"),
        (["--file", "{folder}/long.txt"], "characters"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    words: list[str], said: str, cli: Cli, tmp_path: Path
) -> None:
    """In one sentence."""
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "latin.txt").write_bytes(b"\xff")
    (tmp_path / "long.txt").write_text("x" * 2_000_000)
    done = cli("research", TASK, *(word.format(folder=tmp_path) for word in words))

    assert (done.status, done.out) == (2, "")
    assert said in done.err
