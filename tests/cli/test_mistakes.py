"""The mistakes of the first hour: one sentence with the value, and the next step. No traceback.

Each row is a command line as somebody types it, what is wrong, and what to do.
"""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream, faults
from tests.cli.conftest import Cli

TOML = "route = 'tavily'\n[cache\nttl = 1\n"
PAGE = "http://127.0.0.1:9/page"
# words, what is wrong, what to do next; {folder} is a folder of the test
MISTAKES = {
    "no command": ("frobnicate", "no command 'frobnicate'", "kensaku search WORD"),
    "a command, nearly": ("serch otter", "no command 'serch'", "did you mean 'search'?"),
    "an option before the command": ("--config f search x", "--config stands before", "behind"),
    "an option, nearly": ("search --max-result 3 x", "no option --max-result", "--max-results"),
    "an option of others": ("search --q1w2 x", "no option --q1w2", "search --help"),
    "no query": ("search", "WORD is missing", "kensaku search [options] WORD"),
    "no action": ("index", "ACTION is missing", "choose from add, build"),
    "an action, nearly": ("index ad x", "ACTION is 'ad'", "did you mean 'add'?"),
    "no path": ("index add", "index add takes paths", "index --help"),
    "no number": ("search -n many x", "--max-results is 'many'", "a whole number"),
    "a number out of bounds": ("search -n 500 x", "max_results is 500", "1 to 50"),
    "no value": ("search x --route", "--route needs a value", "search --help"),
    "a value where none is taken": ("search --json=1 x", "--json takes no value", "--help"),
    "two that exclude each other": ("search --record a --replay b x", "--record", "leave one"),
    "an unknown choice": ("search --depth deep x", "--depth is 'deep'", "choose from"),
    "an unknown provider": ("search --route tavly x", "no provider 'tavly'", "'tavily'"),
    "an unknown dialect": ("search --dialect plan x", "no dialect 'plan'", "'plain'"),
    "an unknown language": ("search --dialect plain:xx x", "'xx'", "choose from"),
    "no such country": ("search --country atlantis x", "'atlantis'", "write jp or Japan"),
    "a date as people write it": ("search --start-date 1.2.2026 x", "'1.2.2026'", "2026-01-31"),
    "too long a wait": ("search --timeout 9999 x", "timeout is 9999", "at most 600 s"),
    "an unknown setting": ("config cache.tll", "no setting 'cache.tll'", "'cache.ttl'"),
    "set without a value": ("config set a b c", "one name", "kensaku config"),
    "set what is none": ("config set cache.tll 5", "cache.tll", "did you mean"),
    "a setting of the wrong kind": ("config set cache.ttl long", "cache.ttl is 'long'", "expected"),
    "no such file of settings": ("search --config {folder}/no.toml x", "no.toml cannot", "check"),
    "a folder of settings": ("search --config {folder} x", "cannot be read", "check the path"),
    "bad TOML": ("search --config {folder}/bad.toml x", "bad.toml, line 2", "expected TOML"),
    "bad JSON": ("search --config {folder}/bad.json x", "bad.json, line 1", "expected JSON"),
    "no such folder": ("index add {folder}/nowhere", "nowhere: No such file", "check the path"),
    "no such export": ("index import {folder}/no.jsonl", "No such file", "check the path"),
    "an export that is none": ("index import {folder}/bad.json", "line 1", "nothing was imported"),
    "no such collection": (
        "search --collection c x --route local",
        "no collection 'c'",
        "none yet",
    ),
    "no address": ("extract example.com", "'example.com' is no web address", "write https://"),
    "an address of another kind": ("extract ftp://a.example", "ftp:", "use https://"),
    "no questions": ("eval {folder}/no.jsonl --route local", "No such file", "eval --help"),
    "questions that are none": ("eval {folder}/bad.json --route local", "line 1", "write"),
    "a route that is not given": ("compare otter", "--route is missing", "kensaku compare --route"),
    "a schema that is none": ("research --schema {folder}/bad.json x", "is not JSON", "--schema"),
    "a report of another kind": ("research --output {folder}/a.pdf x", "a.pdf", ".md, .html"),
    "nothing to find out": ("research", "nothing to find out", "kensaku research WORD"),
    "no port": ("serve --port 99999", "the port is 99999", "--port"),
    "a port of letters": ("serve --port http", "--port is 'http'", "a whole number"),
    "a result that is not there": ("search otter --open 9", "no result 9", "there are 5"),
    "no recording": ("search --replay {folder}/no.json x", "no recording", "--record"),
    "no job": ("jobs show j-1", "no job 'j-1'", "kensaku jobs list"),
    "a job without its number": ("jobs show", "jobs show takes the ID of a job", "ID"),
    "no key": ("keys revoke k-1", "no key 'k-1'", "there is none yet"),
    "a rate that is none": ("keys create me --rate fast", "'fast'", "write 1/s"),
    "no client": ("mcp install vim", "no MCP client 'vim'", "choose from"),
    "an action of none": ("mcp uninstal vim", "unknown: uninstal", "kensaku mcp"),
    "no shell": ("completion csh", "shell is 'csh'", "'zsh'"),
    "questions without a terminal": ("init", "there is no terminal", "in a script"),
}


# What else is refused, in words or values, with a part of what is said.
REFUSED = {
    "search ''": "query",
    f"search {'x' * 2001}": "the query has 2,001 characters",
    "search '  '": "query",
    "search otter -n 99": "1 to 50",
    "search otter --timeout 0": "timeout",
    "search otter --mode fast": "--mode is 'fast'",
    "search otter --dialect term:ja": "the dialect term",
    "search otter --topic cats": "--topic is 'cats'",
    "search otter --start-date 2026-02-30": "2026-02-30",
    "search otter --time-range hour": "hour",
    "search otter --start-date 2026-02-02 --end-date 2026-02-01": "date",
    "search otter --time-range day --start-date 2026-02-01": "time_range",
    "search otter --include-domain 'a b'": "a b",
    "search otter --collection ../up": "../up",
    "search otter --record /proc/no/such/place.json": "record",
    "search otter --jso": "--json",
    "context otter --max-tokens 0": "max_tokens",
    "context otter --cursor mine": "cursor",
    "context otter -n 99": "1 to",
    "extract": "URL",
    "extract a.example:8080/x": "it has no scheme",
    "extract 'https://[::1/'": "it names no host",
    f"extract {'y' * 300}": f"'{'y' * 200}' is no web address",
    "extract u:1 --format pdf": "pdf",
    "extract https://a.example/ https://b.example/ --offset 5": "one page at a time",
    "extract https://a.example/ --timeout 3600.5": "more than 0 and at most 3,600 s",
    "verify words": "URL",
    "map": "URL",
    "crawl https://a.example/ --max-depth 9": "depth",
    "crawl https://a.example/ --limit 0": "limit",
    "crawl https://a.example/ --max-breadth 0": "breadth",
    "crawl https://a.example/ --timeout 0": "timeout",
    "crawl https://a.example/ --select-path '(?=a)'": "(?=a)",
    "crawl https://a.example/ --collection ../up": "../up",
    "crawl https://a.example/ --job --resume": "--resume",
    "compare otter --route tavily": "route",
    "eval {folder}/bad.json": "--route",
    "research x --model big": "big",
    "research x --length huge": "huge",
    "research x --citations oral": "oral",
    "research --diff one.zip": "--diff",
    "research x --timeout 0": "timeout",
    "research x --exclude-domain 'no host'": "no host",
    "research x --output nowhere/report.md": "nowhere",
    "research x --replay x.zip": "--replay and --diff take a bundle each",
    "research x --diff x.zip y.zip": "--replay and --diff take a bundle each",
    "research --replay x.zip --diff x.zip y.zip": "--replay and --diff take a bundle",
    "research --replay nowhere.zip": "nowhere.zip",
    "research --diff nowhere.zip x.zip": "nowhere.zip",
    "index add ftp://a.example/": "ftp: is not a scheme",
    "index add https:///x": "it names no host",
    "index add s3://bucket/x": "s3: is not a scheme",
    "index add ~nobody-at-all/x": "cannot read ~nobody-at-all/x: it leads nowhere",
    "index add {folder}/loop": "cannot read",
    f"index add {'x' * 300}": f"cannot read {'x' * 200}: File name too long",
    "index add /dev/null": "neither a file nor a folder",
    "index add pydocs --collection mine": "a collection of its own",
    "index list --collection ../up": "a collection cannot be called '../up'",
    "index build": "index build takes files, folders or URLs, not 0 words; ",
    "index list x": "index list takes no words, not 1 word; ",
    "index optimize x": "index optimize takes no words, not 1 word; ",
    "index delete": "index delete takes URLs or paths, not 0 words; ",
    "index export x y": "index export takes one file, not 2 words; ",
    "index import": "index import takes one file, not 0 words; ",
    "index watch": "index watch takes one folder, not 0 words; ",
    "index rm": "say what to remove",
    "index drop": "say what to remove",
    "index export no/such/place.jsonl": "no/such is no folder",
    "index export {folder}": "it is a folder",
    "index watch /etc/hostname": "it is no folder",
    "index watch . --interval 0": "interval is 0",
    "index build ftp://e.org/x": "ftp",
    "index build d.jsonl --workers 1000": "1 to 256",
    "jobs": "ACTION",
    "jobs fly": "fly",
    "jobs list x": "jobs list takes no ID",
    "jobs cancel": "jobs cancel takes the ID of a job",
    "jobs list --limit 0": "limit",
    "jobs resume x --workers 0": "workers is 0; it must be from 1 to 256",
    "jobs list --workers 257": "workers is 257; it must be from 1 to 256",
    "cache": "choose from stats",
    "cache fill": "fill",
    "keys": "ACTION",
    "keys lend": "lend",
    "keys create": "keys create takes a name",
    "keys create ''": "name",
    "keys list x": "keys list takes nothing else",
    "keys revoke": "keys revoke takes the id of a key",
    "keys create a --searches-per-day 0": "searches",
    "keys create a --money-per-month nan": "nan",
    "keys create a --tenant 'a b'": "a b",
    "keys create a --expires 0": "--expires is 0; it must",
    "keys create a --expires=-1": "--expires is -1",
    "keys create a --expires=36500.1": "36,500 days",
    "usage --by x": "--by is 'x'",
    "usage --days 0": "1 to 3,660",
    "usage --days 100000": "1 to 3,660",
    "people": "ACTION",
    "people list": "CHANNEL",
    "people greet terminal": "greet",
    "people list terminal ann": "people list takes a channel",
    "people export terminal": "people export takes a channel and a person",
    "people delete terminal": "people delete takes a channel and a person",
    "config nonsense": "nonsense",
    "config set": "one name, and for set one value",
    "config unset": "one name",
    "config unset a b": "one name",
    "slack --log-level all": "all",
    "telegram --log-level all": "all",
    "serve --log-level all": "all",
    "completion": "shell",
    "mcp fly": "unknown: fly; kensaku mcp [--http] [options]",
    "mcp install": "unknown: install",
    "mcp clients x": "unknown: clients x",
    "mcp install cursr": "did you mean 'cursor'?",
    "mcp uninstall cursr": "did you mean 'cursor'?",
    "mcp --tools web_serch": "web_search",
    "mcp --http --host 0.0.0.0": "KENSAKU_MCP_TOKEN",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that are broken."""
    (tmp_path / "bad.toml").write_text(TOML)
    (tmp_path / "bad.json").write_text("{not json\n")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    return tmp_path


def test_a_mistake_is_one_sentence_with_the_next_step(cli: Cli, folder: Path) -> None:
    """Exit status 2: nothing was sent."""
    for mistake, (words, wrong, remedy) in MISTAKES.items():
        done = cli(*words.replace("{folder}", str(folder)).split())

        said = done.err.splitlines()[-1]
        assert (done.status, "Traceback" in done.err) == (2, False), mistake
        assert said.startswith("kensaku: "), mistake
        assert wrong in said, mistake
        assert remedy in said, mistake


def test_what_cannot_be_is_refused_before_anything_is_sent(
    cli: Cli, folder: Path, up: FakeUpstream
) -> None:
    """Exit 2, one sentence, and nothing on stdout (S2-07)."""
    for line, said in REFUSED.items():
        done = cli(*shlex.split(line.replace("{folder}", str(folder))))

        assert (done.status, done.out) == (2, ""), line
        assert done.err.startswith("kensaku: "), line
        assert done.err.count("\n") == 1, line
        assert said in done.err, line
    assert up.requests == []


def test_a_dead_upstream_names_another_provider(cli: Cli, up: FakeUpstream) -> None:
    """What a person can do about it."""
    up.fails("tavily", faults.status(429))
    slow = cli("search", "otter", "--route", "tavily")
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    dead = cli("search", "otter", "--route", "tavily", TAVILY_BASE_URL=nobody)

    assert (slow.status, dead.status) == (1, 1)
    assert "add another provider to the route" in slow.out
    assert "check the network, or add another provider to the route" in dead.out


def test_a_private_address_names_the_option(cli: Cli) -> None:
    """And the network, which may be what is missing."""
    for words in (("extract", PAGE), ("verify", "otters", PAGE)):
        done = cli(*words, KENSAKU_FETCH_ALLOW=None)

        assert done.status == 1
        assert "--allow-private" in done.err
        assert "check the URL and the network" in done.err


def test_a_home_that_is_a_file(cli: Cli, tmp_path: Path) -> None:
    """It is named, with the variable."""
    (tmp_path / "home").write_text("")
    done = cli("search", "otter", KENSAKU_HOME=str(tmp_path / "home"))

    assert done.status == 2
    assert "is a file, not a folder; set KENSAKU_HOME" in done.err


def test_a_home_that_cannot_be_written_is_said_once(cli: Cli, tmp_path: Path) -> None:
    """Searches work all the same."""
    (tmp_path / "file").write_text("")
    done = cli("search", "otter", KENSAKU_HOME=str(tmp_path / "file" / "home"))

    assert done.status == 0
    assert (done.out + done.err).count("does not work") == 1


def test_a_port_in_use(cli: Cli) -> None:
    """With the way out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = cli("serve", "--port", str(taken.getsockname()[1]))

    assert done.status == 2
    assert "Address already in use; choose another port with --port" in done.err


def test_a_fault_of_ours_is_one_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the way to its traceback."""
    from kensaku.cli import _main, providers

    async def broken(_: object) -> int:
        raise LookupError("a hole")

    monkeypatch.setattr(providers, "run", broken)
    assert _main.run_command(["providers"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "LookupError: a hole; KENSAKU_DEBUG=1 shows the traceback" in said

    monkeypatch.setenv("KENSAKU_DEBUG", "1")
    with pytest.raises(LookupError):
        _main.run_command(["providers"])


POSTGRESQL = {"KENSAKU_DATABASE_URL": "postgresql://user@127.0.0.1:9/name"}
CLUSTER = {"KENSAKU_STATE_URL": "valkey://127.0.0.1:9", "KENSAKU_INDEX_URL": "http://127.0.0.1:9"}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("words", "packages", "settings", "extras"),
    [
        ("serve", ["orjson"], {}, "server"),
        ("chat", ["prompt_toolkit"], {}, "chat"),
        ("jobs list", ["sqlalchemy"], {}, "database"),
        ("index build a.jsonl", ["sqlalchemy", "fsspec"], {}, "bulk"),
        ("crawl a.example --job", ["sqlalchemy"], {}, "database"),
        ("jobs list", ["sqlalchemy", "psycopg"], POSTGRESQL, "postgres"),
        ("jobs list", ["psycopg"], POSTGRESQL, "postgres"),
        ("keys list", ["sqlalchemy", "psycopg"], POSTGRESQL, "server,postgres"),
        ("slack", ["sqlalchemy", "psycopg"], POSTGRESQL, "slack,postgres"),
        ("slack", ["sqlalchemy"], POSTGRESQL, "slack"),
        ("serve", ["orjson", "valkey", "qdrant_client"], CLUSTER, "server,valkey,qdrant"),
    ],
)
def test_a_missing_package_names_what_it_is_for(
    words: str, packages: list[str], settings: dict[str, str], extras: str, env: dict[str, str]
) -> None:
    """Not the package alone: a person knows what they wanted to do, and installs it once."""
    code = f"import sys; sys.modules.update(dict.fromkeys({packages!r})); "
    code += "from kensaku.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()],
        env=env | settings,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f'pip install "kensaku-search[{extras}]"' in done.stderr
    assert "install all that" in done.stderr
