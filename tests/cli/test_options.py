"""Every option of a command reaches the one call of the library that it makes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from typing import Any

import pytest

from kensaku import Kensaku, Query
from kensaku.cli import main
from kensaku.errors import InvalidQuery
from kensaku.research import run as running

METHODS = ("search", "context", "answer", "extract", "crawl", "map")

# What the command line says → what the query has.
QUERY: list[tuple[str, dict[str, Any]]] = [
    ("-n 7", {"max_results": 7}),
    ("--max-results 50", {"max_results": 50}),
    ("--depth fast", {"depth": "fast"}),
    ("--topic news", {"topic": "news"}),
    ("--time-range week", {"time_range": "week"}),
    ("--start-date 2026-01-31", {"start_date": "2026-01-31"}),
    ("--end-date 2026-02-28", {"end_date": "2026-02-28"}),
    ("--include-domain a.example --include-domain b.example", {"include_domains": ("a.example", "b.example")}),
    ("--exclude-domains a.example,b.example", {"exclude_domains": ("a.example", "b.example")}),
    ("--country jp", {"country": "jp"}),
    ("--language ja", {"language": "ja"}),
    ("--min-score 0.25", {"min_score": 0.25}),
    ("--collection notes", {"collection": "notes"}),
    ("--images", {"include_images": True}),
]  # fmt: skip
# → what the call has besides.
CALL: list[tuple[str, dict[str, Any]]] = [
    ("--route tavily,local", {"route": "tavily,local"}),
    ("--mode hedge", {"mode": "hedge"}),
    ("--timeout 3.5", {"timeout": 3.5}),
    ("--no-cache", {"cache": False}),
]
CRAWL: list[tuple[str, dict[str, Any]]] = [
    ("--max-depth 2", {"max_depth": 2}),
    ("--max-breadth 7", {"max_breadth": 7}),
    ("--limit 9", {"limit": 9}),
    ("--select-path /a --select-path /b", {"select_paths": ["/a", "/b"]}),
    ("--exclude-path /a", {"exclude_paths": ["/a"]}),
    ("--select-domain ^a", {"select_domains": ["^a"]}),
    ("--exclude-domain ^a", {"exclude_domains": ["^a"]}),
    ("--no-external", {"allow_external": False}),
    ("--sitemap", {"sitemap": True}),
    ("--instructions otters", {"instructions": "otters"}),
    ("--timeout 35", {"timeout": 35.0}),
]
RESEARCH: list[tuple[str, dict[str, Any]]] = [
    ("--model pro", {"model": "pro"}),
    ("--length long", {"output_length": "long"}),
    ("--citations mla", {"citation_format": "mla"}),
    ("--include-domain a.example", {"include_domains": ("a.example",)}),
    ("--exclude-domain a.example", {"exclude_domains": ("a.example",)}),
    ("--route local", {"route": "local"}),
    ("--collection notes", {"collection": "notes"}),
    ("--timeout 35", {"timeout": 35.0}),
    ("--no-cache", {"cache": False}),
]

SCHEMA = {"properties": {"size": {"type": "string", "description": "how long it is"}}}

Recorded = Callable[[str], tuple[tuple[Any, ...], dict[str, Any]]]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Recorded:
    """`recorded("search otters -n 7")` → the arguments of the call. The call itself refuses."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def refuse(self: Kensaku | None, *args: Any, **options: Any) -> Any:
        calls.append((args, options))
        raise InvalidQuery("this test only looks at the call")

    for name in METHODS:
        monkeypatch.setattr(Kensaku, name, refuse)
    monkeypatch.setattr(running, "begin", lambda text, options: refuse(None, text, **options))

    def run(line: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        calls.clear()
        status = main([*line.split(), "--json"])
        assert status == 2, capsys.readouterr().err
        assert len(calls) == 1
        return calls[0]

    return run


def asked(call: tuple[tuple[Any, ...], dict[str, Any]]) -> dict[str, Any]:
    """The query of a call and its options, in one."""
    (query,), options = call
    fields = asdict(query) if isinstance(query, Query) else {"text": query}
    return fields | options


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@pytest.mark.parametrize("command", ["search", "context", "answer"])
@pytest.mark.parametrize(("line", "expected"), [*QUERY, *CALL])
def test_an_option_of_a_search_reaches_the_call(recorded, command, line, expected):
    """And nothing else changes."""
    plain, with_option = (
        asked(recorded(f"{command} otters")),
        asked(recorded(f"{command} otters {line}")),
    )

    for name, value in expected.items():
        got = with_option[name]
        assert (tuple(got) if isinstance(value, tuple) else _plain(got)) == value
    others = with_option.keys() - expected.keys()
    assert {n: with_option[n] for n in others} == {n: plain[n] for n in others}


@pytest.mark.parametrize("command", ["crawl", "map"])
@pytest.mark.parametrize(("line", "expected"), CRAWL)
def test_an_option_of_a_crawl_reaches_the_call(recorded, command, line, expected):
    """`crawl` and `map` walk a site by the same plan."""
    (_, plain), (urls, options) = (
        recorded(f"{command} a.example"),
        recorded(f"{command} a.example {line}"),
    )

    assert urls == ("a.example",)
    assert {n: v for n, v in options.items() if v != plain.get(n)} == expected


@pytest.mark.parametrize(("line", "expected"), RESEARCH)
def test_an_option_of_a_research_reaches_the_call(recorded, line, expected):
    """Each under the name that the library has for it."""
    _, plain = recorded("research otters at night")
    (text,), options = recorded(f"research otters at night {line}")

    assert text == "otters at night"
    changed = {n: v for n, v in options.items() if v != plain.get(n)}
    assert {n: tuple(v) if isinstance(v, list) else v for n, v in changed.items()} == expected


def test_a_schema_and_files_reach_a_research(recorded, tmp_path):
    """Read by the command: the library takes values."""
    schema, note = tmp_path / "schema.json", tmp_path / "note.md"
    schema.write_text(json.dumps(SCHEMA))
    note.write_text("Otters sleep.")

    _, options = recorded(f"research otters --schema {schema} --file {note}")

    assert options["output_schema"] == SCHEMA
    (file,) = options["files"]
    assert (file.name, file.text) == ("note.md", "Otters sleep.")


@pytest.mark.parametrize(("command", "default"), [("context", 2_000), ("answer", 3_000)])
def test_the_budget_of_tokens_reaches_the_call(recorded, command, default):
    """With the default that the help names."""
    assert recorded(f"{command} otters")[1].get("max_tokens", default) == default
    assert recorded(f"{command} otters --max-tokens 77")[1]["max_tokens"] == 77


def test_the_answer_of_a_provider_is_asked_for(recorded):
    """By either name."""
    assert not asked(recorded("search otters"))["include_answer"]
    assert asked(recorded("search otters --answer"))["include_answer"]
    assert asked(recorded("search otters --include-answer"))["include_answer"]


def test_addresses_and_time_reach_an_extraction(recorded):
    """All of them, in their order."""
    args, options = recorded("extract https://a.example/ https://b.example/ --timeout 7")

    assert list(args[0]) == ["https://a.example/", "https://b.example/"]
    assert options["timeout"] == 7
    assert recorded("extract https://a.example/")[1]["timeout"] == 60
