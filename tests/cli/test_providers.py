"""`kensaku providers`: features and status of every provider."""

from __future__ import annotations

import json

from kensaku.providers import provider_names
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli

KEY = "tvly-0123456789-secret"


def test_providers_are_listed_with_what_they_can_do(cli: Cli) -> None:
    """In the order in which they are asked; what is missing is named; keys are masked."""
    done = cli("providers")
    rows = done.out.splitlines()

    assert done.status == 0
    assert rows[1].split()[:3] == ["1", "tavily", "ready"]
    assert "…cret" in rows[1]
    assert "needs BRAVE_API_KEY" in done.out
    assert "2027-01-01" in done.err  # Google's ends
    assert KEY not in done.out
    words = ("exa", "tavily", "google", "brave")
    own = {"WEB_SEARCH_PROVIDER": "brave,tavily", "BRAVE_API_KEY": "b" * 20}
    rows = [line.split() for line in cli("providers", *words, **own).out.splitlines()]
    assert [row[:2] for row in rows[1:3]] == [["1", "brave"], ["2", "tavily"]]
    assert [row[0] for row in rows[3:]] == ["exa", "google"]  # which nobody asks


def test_providers_as_json_say_everything(cli: Cli) -> None:
    """Filters, bounds, price, keys, sunset."""
    found = {p["name"]: p for p in json.loads(cli("providers", "--json").out)}

    assert set(found) == set(provider_names())
    assert found["tavily"]["max_query_chars"] == 400
    assert "dates" in found["tavily"]["filters"]
    assert found["google"]["sunset"] == "2027-01-01"
    assert found["exa"]["price_source"] == "exa.ai/docs/changelog/pricing-update, 2026-03-03"
    assert (found["tavily"]["keyless_host"], found["exa"]["keyless_host"]) == ("127.0.0.1", None)
    assert cli("providers", "tavly").status == 2


def test_the_state_of_a_provider_is_everybodys(up: FakeUpstream, cli: Cli) -> None:
    """What one process was told, the next one knows."""
    up.fails("tavily", faults.status(432))
    cli("search", "otter", "--route", "tavily")

    assert "its quota is used up" in cli("providers", "tavily").out
