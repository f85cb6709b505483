"""The mistakes of the first hour: one sentence with the value, and the next step. No traceback.

Each row is a command line as somebody types it, what is wrong, and what to do.
"""

from __future__ import annotations

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that are broken."""
    (tmp_path / "bad.toml").write_text(TOML)
    (tmp_path / "bad.json").write_text("{not json\n")
    return tmp_path


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_with_the_next_step(mistake: str, cli: Cli, folder: Path) -> None:
    """Exit status 2: nothing was sent."""
    words, wrong, remedy = MISTAKES[mistake]

    done = cli(*words.replace("{folder}", str(folder)).split())

    said = done.err.splitlines()[-1]
    assert (done.status, "Traceback" in done.err) == (2, False)
    assert said.startswith("kensaku: ")
    assert wrong in said
    assert remedy in said


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


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        ("serve", "orjson", "server"),
        ("chat", "prompt_toolkit", "chat"),
        ("jobs list", "sqlalchemy", "database"),
    ],
)
def test_a_missing_package_names_what_it_is_for(
    words: str, package: str, extra: str, env: dict[str, str]
) -> None:
    """Not the package alone: a person knows what they wanted to do."""
    code = f"import sys; sys.modules[{package!r}] = None; from kensaku.cli import main; "
    done = subprocess.run(
        [sys.executable, "-c", code + "sys.exit(main())", *words.split()],
        env=env,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f'pip install "kensaku-search[{extra}]"' in done.stderr
    assert "install all that" in done.stderr
