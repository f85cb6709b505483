"""What the smaller commands print, word by word: stdout for results, stderr for the rest."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from kensaku import Hit
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import page


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
        "fresh for 1 h; served stale for up to 24 h if providers fail",
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
