"""`kensaku compare`: several routes, side by side."""

from __future__ import annotations

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import HITS


def test_routes_stand_side_by_side(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they share, what one alone has, and one that could not search."""
    for name, value in up.environment("brave", "exa").items():
        monkeypatch.setenv(name, value)
    up.answers("tavily", HITS)
    up.answers("brave", HITS[:1])
    up.fails("exa", faults.status(401))

    done = cli("compare", "otters", "--route", "tavily,brave,exa")

    assert done.status == 0
    rows = {line.split()[0]: line.split() for line in done.out.splitlines()[:4]}
    assert rows["tavily"][1:4] == ["found", str(len(HITS)), str(len(HITS) - 1)]
    assert rows["brave"][1:4] == ["found", "1", "0"]
    assert rows["exa"][1] == "unavailable"
    assert "exa could not search: " in done.out
    assert "only tavily:" in done.out
    assert f"tavily and brave: 1 of {len(HITS)}" in done.out


def test_the_whole_as_json(up: FakeUpstream, cli: Cli) -> None:
    """A route of two providers is written with +."""
    up.answers("tavily", HITS)
    told = cli("compare", "otters", "--route", "tavily,brave+tavily", "--json").json

    assert [s["route"] for s in told["sides"]] == ["tavily", "brave,tavily"]


def test_nobody_could_search_is_status_1(up: FakeUpstream, cli: Cli) -> None:
    """And one route is nothing to compare: 2."""
    up.fails("*", faults.status(503))

    assert cli("compare", "otters", "--route", "tavily,brave").status == 1
    assert cli("compare", "otters", "--route", "tavily").status == 2


def test_one_reason_of_several_routes_is_one_line(cli: Cli) -> None:
    """Without a network they fail alike, and at once: nobody is asked again and again."""
    gone = {f"{name}_BASE_URL": "http://gone.invalid/" for name in ("DUCKDUCKGO", "YAHOO", "EXA")}
    done = cli("compare", "otters", "--route", "duckduckgo,yahoo,exa", EXA_API_KEY="k", **gone)

    assert done.status == 1
    [line] = [line for line in done.out.splitlines() if "could not search" in line]
    assert line.startswith("duckduckgo, yahoo, exa could not search: its name cannot be looked up")
    assert line.count("looked up") == 1
