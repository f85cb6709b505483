"""Every option of a command does what it says, wherever a command has it."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Hit
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import OTTERS, page

SEARCHES = pytest.mark.parametrize("command", ["search", "context", "answer"])

# What the command line says → what Tavily is asked for.
FILTERS: list[tuple[str, dict[str, Any]]] = [
    ("-n 7", {"max_results": 7}),
    ("--max-results 13", {"max_results": 13}),
    ("--depth advanced", {"search_depth": "advanced"}),
    ("--topic news", {"topic": "news"}),
    ("--time-range week", {"time_range": "week"}),
    ("--start-date 2026-01-31", {"start_date": "2026-01-31"}),
    ("--end-date 2026-02-28", {"end_date": "2026-02-28"}),
    ("--include-domain a.example --include-domain b.example", {"include_domains": ["a.example", "b.example"]}),
    ("--exclude-domains a.example,b.example", {"exclude_domains": ["a.example", "b.example"]}),
    ("--country jp", {"country": "japan"}),
    ("--language ja", {"language": "ja"}),
    ("--images", {"include_images": True}),
]  # fmt: skip


@SEARCHES
def test_a_filter_reaches_the_provider(command: str, up: FakeUpstream, cli: Cli) -> None:
    """Each by itself, on the wire (S0-27)."""
    up.answers("tavily", [])

    def sent(line: str) -> dict[str, Any]:
        before = len(up.asked("tavily"))
        assert cli(command, "otters", "--route", "tavily", "--no-cache", *line.split()).status == 0
        return dict(up.asked("tavily")[before].json)

    plain = sent("")
    for line, expected in FILTERS:
        assert sent(line).items() >= expected.items(), line
        assert not plain.items() >= expected.items(), line


@SEARCHES
def test_a_search_is_bounded_and_routed(
    command: str, up: FakeUpstream, cli: Cli, env: dict[str, str]
) -> None:
    """Who is asked, how, for how long, and which hits are good enough."""
    hits = [
        Hit("https://a.example/", "A", "otters one", score=0.9),
        Hit("https://b.example/", "B", "otters two", score=0.1),
    ]
    up.answers("tavily", hits)
    up.answers("brave", hits)
    key = {"BRAVE_API_KEY": "b" * 20}
    words = [command, "otters", "--json"]
    all_of_them = cli(*words, "--route", "tavily,brave", "--mode", "all", **key)
    good = cli(*words, "--route", "tavily", "--min-score", "0.5")
    asked = len(up.asked("tavily"))
    kept = cli(*words, "--route", "tavily", "--min-score", "0.5")
    fresh = cli(*words, "--route", "tavily", "--min-score", "0.5", "--no-cache")
    asked_again = len(up.asked("tavily")) - asked
    up.fails("tavily", faults.hang())
    late = cli(*words, "--route", "tavily", "--timeout", "0.1", "--no-cache")

    assert (all_of_them.status, len(up.asked("brave"))) == (0, 1)
    assert (good.status, kept.status, fresh.status) == (0, 0, 0)
    assert "https://b.example/" not in good.out
    assert asked_again == 1  # without the cache alone
    assert (late.status, late.json["outcome"]) == (1, "unavailable")


@pytest.mark.parametrize("command", ["context", "answer"])
def test_the_budget_of_tokens_bounds_the_passages(command: str, up: FakeUpstream, cli: Cli) -> None:
    """Two passages fit into the usual one, one into a small one."""
    up.answers("tavily", [Hit(f"https://{n}.example/", n, f"{OTTERS} {n}") for n in "abc"])
    words = [command, "how do otters sleep", "--route", "tavily", "--json"]
    usual, small = cli(*words).json, cli(*words, "--max-tokens", "70").json

    assert len(usual["citations"]) >= len(small["citations"]) == 1


CRAWLS: list[tuple[str, set[str]]] = [
    ("", {"", "a", "b"}),
    ("--max-depth 2", {"", "a", "b", "a/deep"}),
    ("--max-depth 2 --max-breadth 1", {"", "a", "a/deep"}),
    ("--max-depth 2 --limit 2", {"", "a"}),
    ("--max-depth 2 --select-path /a$ --select-path /b$", {"", "a", "b"}),
    ("--max-depth 2 --exclude-path /a", {"", "b"}),
    ("--sitemap", {"", "a", "b", "listed"}),
]


@pytest.mark.parametrize(("command", "cases"), [("map", CRAWLS), ("crawl", CRAWLS[2:5:2])])
def test_a_site_is_walked_as_the_options_say(
    command: str, cases: list[tuple[str, set[str]]], up: FakeUpstream, cli: Cli
) -> None:
    """`crawl` and `map` walk it by the same plan."""
    up.serves("/s/a/deep", page("Deep"))
    up.serves("/s/a", page("A", OTTERS, "/s/a/deep"))
    up.serves("/s/b", page("B"))
    listed = up.serves("/s/listed", page("Listed"))
    up.serves("/sitemap.xml", f"<urlset><url><loc>{listed}</loc></url></urlset>", "text/xml")
    url = up.serves("/s/", page("Root", OTTERS, "/s/a", "/s/b"))
    for line, expected in cases:
        told = cli(command, url, "--no-external", "--json", *line.split())
        results = told.json["results"]
        urls = [row["url"] if isinstance(row, dict) else row for row in results]
        assert told.status == 0
        assert {found.removeprefix(url) for found in urls} == expected, line


def test_a_research_is_asked_for_as_the_options_say(up: FakeUpstream, cli: Cli) -> None:
    """Hosts that are left out, how sources are cited, how long it may take."""
    up.answers("tavily", [Hit("https://a.example/", "A", OTTERS)])
    words = ["research", "how do otters sleep", "--route", "tavily", "--no-cache"]
    numbered = cli(*words)
    mla = cli(*words, "--citations", "mla", "--exclude-domain", "b.example", "--model", "mini")
    sent = up.asked("tavily")[-1].json
    up.fails("tavily", faults.hang())
    late = cli(*words, "--timeout", "0.2")

    assert numbered.status == mla.status == 0
    assert "[1]" in numbered.out
    assert mla.out != numbered.out
    assert sent["exclude_domains"] == ["b.example"]
    assert (late.status, late.out) == (1, "")


def test_an_extraction_ends_in_time(up: FakeUpstream, cli: Cli) -> None:
    """What was read by then is printed, in the order of the addresses."""
    urls = [up.serves(f"/e/{n}", page(f"Page {n}")) for n in (1, 2)]
    slow = up.serves("/e/slow", page("Slow"))
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/e/slow")
    both = cli("extract", *urls)
    late = cli("extract", slow, "--timeout", "0.2")

    assert both.out.index("Page 1") < both.out.index("Page 2")
    assert (late.status, late.out) == (1, "")
