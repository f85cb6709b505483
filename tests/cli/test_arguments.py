"""What a command gets when nothing is said, and what each option makes of its words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kensaku.cli._main import COMMANDS, _parse_intermixed, make_parser

COMMON: dict[str, Any] = {"json": False, "config": None}
QUERY: dict[str, Any] = {
    "query": ["otter"], "max_results": None, "depth": None, "topic": None, "time_range": None,
    "start_date": None, "end_date": None, "include_domains": None, "exclude_domains": None,
    "include_images": None, "country": None, "language": None, "min_score": None,
    "collection": None, "route": None, "mode": None, "timeout": None, "no_cache": False,
    "scrub": None,
}  # fmt: skip
SITE: dict[str, Any] = {
    "url": "a.example", "max_depth": None, "max_breadth": None, "limit": None,
    "select_paths": None, "exclude_paths": None, "select_domains": None, "exclude_domains": None,
    "no_external": False, "sitemap": False, "instructions": None, "timeout": None,
    "allow_private": False,
}  # fmt: skip
WHO: dict[str, Any] = {"model": None, "collection": None, "route": None}

# The shortest line of each command → all that it gets.
USUAL: dict[str, dict[str, Any]] = {
    "init": {"provider": None, "config": None},
    "search otter": QUERY | COMMON | {
        "include_answer": False, "dialect": None, "open": None, "explain": False,
        "record": None, "replay": None,
    },
    "context otter": QUERY | COMMON | {"max_tokens": 2_000, "cursor": None},
    "answer otter": QUERY | COMMON | {"max_tokens": 3_000},
    "ask otter": WHO | COMMON | {
        "query": ["otter"], "timeout": None, "no_cache": False, "yes": False,
    },
    "chat": WHO | {"resume": False, "lite": False, "config": None},
    "research": COMMON | {
        "query": [], "model": "auto", "length": "standard", "citations": "numbered",
        "schema": None, "file": None, "include_domains": None, "exclude_domains": None,
        "route": None, "collection": None, "timeout": 300.0, "output": None, "bundle": None,
        "replay": None, "diff": None, "no_cache": False,
    },
    "extract u:1": COMMON | {
        "urls": ["u:1"], "format": "markdown", "timeout": 60.0, "allow_private": False,
    },
    "verify words u:1": COMMON | {"quote": "words", "url": "u:1", "allow_private": False},
    "crawl a.example": SITE | COMMON | {
        "resume": False, "collection": None, "job": False, "format": "markdown",
    },
    "map a.example": SITE | COMMON,
    "index list": COMMON | {
        "action": "list", "what": [], "collection": None, "include": [], "exclude": [],
        "verbose": False, "workers": None, "salvage": False, "once": False, "interval": 2.0,
        "allow_private": False,
    },
    "jobs list": COMMON | {
        "action": "list", "id": None, "tenant": None, "limit": 50, "workers": None,
    },
    "providers": COMMON | {"names": []},
    "config": COMMON | {"names": []},
    "doctor": COMMON | {"live": False, "timeout": 8.0},
    "watch otter": QUERY | COMMON | {"list": False, "remove": False},
    "compare otter --route a": COMMON | {"query": ["otter"], "route": "a", "max_results": 5},
    "eval q.jsonl --route a": COMMON | {
        "questions": Path("q.jsonl"), "route": "a", "max_tokens": 2_000, "cassettes": None,
    },
    "calibrate r.jsonl": COMMON | {"runs": [Path("r.jsonl")], "dry_run": False},
    "cache stats": COMMON | {"action": "stats"},
    "serve": {
        "host": "127.0.0.1", "port": 8787, "allow_host": [], "route": None, "log_level": "info",
        "config": None, "node_preload": False,
    },
    "keys list": COMMON | {
        "action": "list", "what": None, "tenant": None, "rate": None, "searches_per_day": None,
        "money_per_month": None, "expires": None, "admin": False,
    },
    "usage": COMMON | {"by": "provider", "days": 30, "tenant": None},
    "people list terminal": COMMON | {
        "action": "list", "channel": "terminal", "person": None, "tenant": None, "yes": False,
    },
    "mcp": {
        "action": [], "print": False, "tools": "web_search,web_extract,web_context",
        "language": "en", "http": False, "host": "127.0.0.1", "port": 8788, "allow_host": [],
        "token_file": None, "config": None,
    },
    "slack": {"http": None, "host": "127.0.0.1", "log_level": "warning", "config": None},
    "telegram": {
        "webhook": None, "url": None, "host": "127.0.0.1", "log_level": "warning", "config": None,
    },
    "completion bash": {"shell": "bash"},
}  # fmt: skip

# A line of the table above, what is added to it → what is other than usual.
QUERY_OPTIONS = (
    "-n 7 --depth fast --topic news --time-range week --start-date 2026-01-31 --end-date "
    "2026-02-28 --include-domain a.example --include-domains b.example --exclude-domain c.example "
    "--exclude-domains d.example --images --country jp --language ja --min-score 0.25 "
    "--collection notes --route tavily --mode all --timeout 3.5 --no-cache --scrub"
)
QUERY_GIVEN: dict[str, Any] = {
    "max_results": 7, "depth": "fast", "topic": "news", "time_range": "week",
    "start_date": "2026-01-31", "end_date": "2026-02-28",
    "include_domains": ["a.example", "b.example"], "exclude_domains": ["c.example", "d.example"],
    "include_images": True, "country": "jp", "language": "ja", "min_score": 0.25,
    "collection": "notes", "route": "tavily", "mode": "all", "timeout": 3.5, "no_cache": True,
    "scrub": True,
}  # fmt: skip
SITE_OPTIONS = (
    "--max-depth 2 --max-breadth 7 --limit 9 --select-path /a --select-paths /b --exclude-path /c "
    "--exclude-paths /d --select-domain a --select-domains b --exclude-domain c --exclude-domains "
    "d --no-external --sitemap --instructions otters --timeout 3.5 --allow-private"
)
SITE_GIVEN: dict[str, Any] = {
    "max_depth": 2, "max_breadth": 7, "limit": 9, "select_paths": ["/a", "/b"],
    "exclude_paths": ["/c", "/d"], "select_domains": ["a", "b"], "exclude_domains": ["c", "d"],
    "no_external": True, "sitemap": True, "instructions": "otters", "timeout": 3.5,
    "allow_private": True,
}  # fmt: skip
COMMON_OPTIONS, COMMON_GIVEN = "--json --config k.toml", {"json": True, "config": Path("k.toml")}
WHO_OPTIONS, WHO_GIVEN = (
    "--model v:m --collection notes --route local",
    {"model": "v:m", "collection": "notes", "route": "local"},
)
GIVEN: list[tuple[str, str, dict[str, Any]]] = [
    ("init", "--provider brave --provider exa --config k.toml",
     {"provider": ["brave", "exa"], "config": Path("k.toml")}),
    ("search otter", f"{QUERY_OPTIONS} {COMMON_OPTIONS} --answer --dialect plain --open 2 "
     "--explain --record r.json",
     QUERY_GIVEN | COMMON_GIVEN | {"include_answer": True, "dialect": "plain", "open": 2,
                                   "explain": True, "record": Path("r.json")}),
    ("search otter", "--max-results 8 --include-answer --no-scrub --replay r.json",
     {"max_results": 8, "include_answer": True, "scrub": False, "replay": Path("r.json")}),
    ("context otter", f"{QUERY_OPTIONS} {COMMON_OPTIONS} --max-tokens 77 --cursor abc",
     QUERY_GIVEN | COMMON_GIVEN | {"max_tokens": 77, "cursor": "abc"}),
    ("answer otter", f"{QUERY_OPTIONS} {COMMON_OPTIONS} --max-tokens 77",
     QUERY_GIVEN | COMMON_GIVEN | {"max_tokens": 77}),
    ("ask otter", f"{WHO_OPTIONS} {COMMON_OPTIONS} --timeout 3.5 --no-cache --yes facts",
     WHO_GIVEN | COMMON_GIVEN | {"timeout": 3.5, "no_cache": True, "yes": True,
                                 "query": ["otter", "facts"]}),
    ("chat", f"{WHO_OPTIONS} --resume --lite --config k.toml",
     WHO_GIVEN | {"resume": True, "lite": True, "config": Path("k.toml")}),
    ("research", f"otters --model pro --length long --citations mla --schema s.json --file a.md "
     "--file b.md --include-domain a.example --include-domains b.example --exclude-domain "
     "c.example --exclude-domains d.example --route local --collection notes --timeout 3.5 "
     f"--output r.html --bundle b.zip --replay c.zip --diff d.zip e.zip --no-cache "
     f"{COMMON_OPTIONS}",
     COMMON_GIVEN | {
        "query": ["otters"], "model": "pro", "length": "long", "citations": "mla",
        "schema": Path("s.json"), "file": [Path("a.md"), Path("b.md")],
        "include_domains": ["a.example", "b.example"],
        "exclude_domains": ["c.example", "d.example"], "route": "local", "collection": "notes",
        "timeout": 3.5, "output": Path("r.html"), "bundle": Path("b.zip"),
        "replay": Path("c.zip"), "diff": [Path("d.zip"), Path("e.zip")], "no_cache": True}),
    ("extract u:1", f"u:2 --format text --timeout 3.5 --allow-private {COMMON_OPTIONS}",
     COMMON_GIVEN | {"urls": ["u:1", "u:2"], "format": "text", "timeout": 3.5,
                     "allow_private": True}),
    ("verify words u:1", f"--allow-private {COMMON_OPTIONS}",
     COMMON_GIVEN | {"allow_private": True}),
    ("crawl a.example", f"{SITE_OPTIONS} --resume --collection notes --job --format text "
     f"{COMMON_OPTIONS}",
     SITE_GIVEN | COMMON_GIVEN | {"resume": True, "collection": "notes", "job": True,
                                  "format": "text"}),
    ("map a.example", f"{SITE_OPTIONS} {COMMON_OPTIONS}", SITE_GIVEN | COMMON_GIVEN),
    ("index list", "x y --collection notes --include *.md --include *.txt --exclude a --exclude b "
     f"-v --workers 3 --salvage --once --interval 0.5 --allow-private {COMMON_OPTIONS}",
     COMMON_GIVEN | {"what": ["x", "y"], "collection": "notes", "include": ["*.md", "*.txt"],
                     "exclude": ["a", "b"], "verbose": True, "workers": 3, "salvage": True,
                     "once": True, "interval": 0.5, "allow_private": True}),
    ("index list", "--verbose", {"verbose": True}),
    ("jobs list", f"j-1 --tenant t --limit 3 --workers 2 {COMMON_OPTIONS}",
     COMMON_GIVEN | {"id": "j-1", "tenant": "t", "limit": 3, "workers": 2}),
    ("providers", f"brave exa {COMMON_OPTIONS}", COMMON_GIVEN | {"names": ["brave", "exa"]}),
    ("config", f"set route {COMMON_OPTIONS}", COMMON_GIVEN | {"names": ["set", "route"]}),
    ("doctor", f"--live --timeout 3.5 {COMMON_OPTIONS}",
     COMMON_GIVEN | {"live": True, "timeout": 3.5}),
    ("watch otter", f"{QUERY_OPTIONS} {COMMON_OPTIONS} --list --remove",
     QUERY_GIVEN | COMMON_GIVEN | {"list": True, "remove": True}),
    ("compare otter --route a", f"--max-results 7 {COMMON_OPTIONS}",
     COMMON_GIVEN | {"max_results": 7}),
    ("eval q.jsonl --route a", f"--max-tokens 77 --cassettes c {COMMON_OPTIONS}",
     COMMON_GIVEN | {"max_tokens": 77, "cassettes": Path("c")}),
    ("calibrate r.jsonl", f"s.jsonl --dry-run {COMMON_OPTIONS}",
     COMMON_GIVEN | {"runs": [Path("r.jsonl"), Path("s.jsonl")], "dry_run": True}),
    ("cache stats", COMMON_OPTIONS, COMMON_GIVEN),
    ("serve", "--host ::1 --port 0 --allow-host a --allow-host b --route local --log-level debug "
     "--config k.toml --node-preload",
     {"host": "::1", "port": 0, "allow_host": ["a", "b"], "route": "local", "log_level": "debug",
      "config": Path("k.toml"), "node_preload": True}),
    ("keys list", "it --tenant t --rate 10/s --searches-per-day 3 --money-per-month 2.5 --expires "
     f"0.5 --admin {COMMON_OPTIONS}",
     COMMON_GIVEN | {"what": "it", "tenant": "t", "rate": "10/s", "searches_per_day": 3,
                     "money_per_month": 2.5, "expires": 0.5, "admin": True}),
    ("usage", f"--by day --days 3 --tenant t {COMMON_OPTIONS}",
     COMMON_GIVEN | {"by": "day", "days": 3, "tenant": "t"}),
    ("people list terminal", f"ann --tenant t --yes {COMMON_OPTIONS}",
     COMMON_GIVEN | {"person": "ann", "tenant": "t", "yes": True}),
    ("mcp", "install cursor --print --tools web_search --language ja --http --host ::1 --port 0 "
     "--allow-host a --allow-host b --token-file t --config k.toml",
     {"action": ["install", "cursor"], "print": True, "tools": "web_search", "language": "ja",
      "http": True, "host": "::1", "port": 0, "allow_host": ["a", "b"], "token_file": Path("t"),
      "config": Path("k.toml")}),
    ("slack", "--http 3000 --host ::1 --log-level info --config k.toml",
     {"http": 3000, "host": "::1", "log_level": "info", "config": Path("k.toml")}),
    ("telegram", "--webhook 3000 --url https://a.example/ --host ::1 --log-level debug --config "
     "k.toml",
     {"webhook": 3000, "url": "https://a.example/", "host": "::1", "log_level": "debug",
      "config": Path("k.toml")}),
]  # fmt: skip


def parse(line: str) -> dict[str, Any]:
    """All that a command gets of a line."""
    name, *words = line.split()
    return vars(_parse_intermixed(make_parser(name), words))


def test_every_command_stands_in_the_table() -> None:
    """A new command is added to it."""
    assert {line.partition(" ")[0] for line in USUAL} == set(COMMANDS)


@pytest.mark.parametrize("line", USUAL)
def test_a_command_gets_what_is_usual(line: str) -> None:
    """Without options."""
    assert parse(line) == USUAL[line]


@pytest.mark.parametrize(("line", "options", "given"), GIVEN)
def test_each_option_is_read_by_its_kind(line: str, options: str, given: dict[str, Any]) -> None:
    """Numbers as numbers, files as paths, what is repeated as a list; the rest stays as usual."""
    got = parse(f"{line} {options}")

    assert got == USUAL[line] | given
    assert {name: type(got[name]) for name in given} == {n: type(v) for n, v in given.items()}


@pytest.mark.parametrize(
    "line",
    [
        "search", "search otter --depth deep", "search otter --topic cats", "search otter --mode x",
        "search otter --time-range hour", "research --model big", "research --length huge",
        "research --citations oral", "research --diff one.zip", "extract", "verify words",
        "extract u:1 --format pdf", "crawl", "map", "index fly", "index", "jobs fly", "jobs",
        "compare otter", "eval q.jsonl", "calibrate", "cache", "cache fill", "keys", "keys lend", "usage --by x",
        "people", "people list", "people greet terminal", "slack --log-level all",
        "telegram --log-level all", "serve --log-level all", "completion", "completion csh",
        "search otter --jso", "serve --port many",
    ],
)  # fmt: skip
def test_other_words_are_refused(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is opened; options are written out."""
    with pytest.raises(SystemExit) as ended:
        parse(line)

    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"usage: kensaku {line.split()[0]} ")
