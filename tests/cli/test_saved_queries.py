"""`kensaku watch`: what is new of a saved query."""

from __future__ import annotations

from datetime import datetime

from kensaku import Hit
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli


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
