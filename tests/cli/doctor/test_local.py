"""What `kensaku doctor` says of this machine and of the local index, word by word."""

from __future__ import annotations

import os
import platform
import sqlite3
from pathlib import Path

import pytest

from kensaku import Kensaku, Settings
from kensaku.cli.doctor.local import CheckResult, check_index, check_machine
from kensaku.index import Index
from kensaku.models import Document
from tests.conftest import MakeClient

from ..conftest import Cli


def settings(home: Path, **environ: str) -> Settings:
    return Settings.load(environ={"KENSAKU_HOME": str(home), **environ})


def said(results: list[CheckResult], subject: str) -> list[tuple[str, str, str]]:
    """Mark, message and remedy of what is said about one subject."""
    return [(r.mark, r.message, r.remedy) for r in results if r.subject == subject]


@pytest.mark.parametrize(
    ("mark", "state"), [("✓", "well"), ("!", "look"), ("✗", "broken")]
)  # fmt: skip
def test_a_result_as_json(mark: str, state: str) -> None:
    """On one line each, whatever an upstream said."""
    result = CheckResult(mark, "it", "a\nb\x1b[2J", "c\nd")  # type: ignore[arg-type]

    assert result.to_dict() == {"state": state, "what": "it", "said": "a b", "next": "c d"}


def test_a_machine_in_order(machine: Path) -> None:
    """Nothing is said of files and proxies that are in order."""
    results = check_machine(settings(machine))

    assert [(r.mark, r.subject) for r in results] == [
        ("✓", "python"),
        ("✓", "SQLite"),
        ("✓", "home"),
    ]
    version = f"{platform.python_version()} ({platform.system()})"
    assert said(results, "python") == [("✓", version, "")]
    assert said(results, "home") == [("✓", f"{machine} is writable and private", "")]


@pytest.mark.parametrize(
    ("version", "journal"),
    [
        ((3, 51, 3), ""),
        ((3, 51, 4), ""),
        ((3, 51, 2), "; before 3.51.3 the slower, safe journal is used for the cache"),
        ((3, 50, 9), "; before 3.51.3 the slower, safe journal is used for the cache"),
    ],
)
def test_the_journal_of_an_old_sqlite_is_told(
    version: tuple[int, ...], journal: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is slower, and safe."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.x")

    assert said(check_machine(settings(machine)), "SQLite") == [("✓", f"3.x{journal}", "")]


def test_a_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """With the folders above it, and nothing is left in it."""
    home = tmp_path / "a" / "b"
    results = check_machine(settings(home))

    assert said(results, "home") == [("✓", f"{home} is writable and private", "")]
    assert home.stat().st_mode & 0o777 == 0o700
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755])
def test_a_home_that_others_can_enter(mode: int, machine: Path) -> None:
    """With the command that closes it."""
    machine.mkdir()
    machine.chmod(mode)

    assert said(check_machine(settings(machine)), "home") == [
        ("!", f"{machine} is open to others ({mode:o})", f"chmod 700 {machine}")
    ]


def test_a_home_that_cannot_be_written() -> None:
    """Index, cache and limits live there."""
    ((mark, message, remedy),) = said(check_machine(settings(Path("/proc/nowhere"))), "home")

    assert (mark, remedy) == ("✗", "set KENSAKU_HOME to a directory of yours")
    assert message.startswith("/proc/nowhere cannot be written: ")


def test_files_that_others_can_read(machine: Path, tmp_path: Path) -> None:
    """Those with queries or keys, in the home and wherever the settings were read from."""
    machine.mkdir(mode=0o700)
    names = ("state.sqlite", "cache.sqlite", "config.yaml", "other.txt")
    for name in names:
        (machine / name).touch(mode=0o600)
    elsewhere = tmp_path / "mine.toml"
    elsewhere.write_text("timeout = 5\n")
    elsewhere.chmod(0o600)
    found = Settings.load(elsewhere, environ={"KENSAKU_HOME": str(machine)})
    assert said(check_machine(found), "files") == []

    for name in names:
        (machine / name).chmod(0o640)
    elsewhere.chmod(0o604)
    assert said(check_machine(found), "files") == [
        ("!", f"{path} can be read by others ({mode})", f"chmod 600 {path}")
        for path, mode in [
            (machine / "cache.sqlite", "640"),
            (machine / "config.yaml", "640"),
            (machine / "state.sqlite", "640"),
            (elsewhere, "604"),
        ]
    ]


@pytest.mark.parametrize(
    ("environ", "own", "expected"),
    [
        ({}, "", []),
        ({"NO_PROXY": "*"}, "", []),
        (
            {"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://p:1", "NO_PROXY": "*"},
            "",
            [("!", "HTTP_PROXY, HTTPS_PROXY is not looked at", "set KENSAKU_PROXY when you need it")],
        ),
        (
            {"HTTPS_PROXY": "http://p:1"},
            "http://q:1",
            [("✓", "the one of the settings is used; HTTPS_PROXY is not looked at", "")],
        ),
        ({}, "http://q:1", []),
    ],
)  # fmt: skip
def test_proxies_that_are_not_looked_at(
    environ: dict[str, str],
    own: str,
    expected: list[tuple[str, str, str]],
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proxy is a setting of ours."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    found = settings(machine, **({"KENSAKU_PROXY": own} if own else {}))

    assert said(check_machine(found), "proxy") == expected


async def test_an_index_that_is_not_there_empty_or_slow(
    make_client: MakeClient, machine: Path
) -> None:
    """Each with what to do."""
    k = make_client("local")
    remedy = "the first search builds one, or: kensaku index add"
    assert await check_index(k, 60) == CheckResult("!", "local index", "there is none yet", remedy)

    (machine / "index").mkdir(parents=True)
    assert await check_index(k, 0) == CheckResult(
        "✗",
        "local index",
        "it did not open within 0 s",
        "end the process that holds it, or move it away",
    )
    assert await check_index(k, 60) == CheckResult(
        "!", "local index", "it is empty", "kensaku index add PATH"
    )


async def test_documents_of_an_index_are_counted(machine: Path) -> None:
    """By collection."""
    async with Index(machine / "index") as index:
        await index.add([Document("u:1", "One", "otter"), Document("u:2", "Two", "otter")])
        await index.add([Document("u:3", "Three", "otter")], collection="notes")
    async with Kensaku(settings(machine)) as k:
        assert await check_index(k, 60) == CheckResult(
            "✓", "local index", "documents: default 2, notes 1"
        )


async def test_an_index_that_does_not_open(make_client: MakeClient, machine: Path) -> None:
    """The reason is kept, and there is always something to do."""
    (machine / "index").mkdir(parents=True)
    result = await check_index(make_client("local", index_url="http://127.0.0.1:9"), 60)

    assert (result.mark, result.subject) == ("✗", "local index")
    assert result.message != "it did not open within 60 s"
    assert result.remedy


def test_a_whole_report(cli: Cli, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line each; what is broken decides the status; the same as JSON."""
    library.chmod(0o700)
    monkeypatch.setenv("WEB_SEARCH_PROVIDER", "brave,serper,local")
    monkeypatch.setenv("BRAVE_API_KEY", "b" * 20)
    for name in [name for name in os.environ if name.startswith("GOOGLE_")]:
        monkeypatch.delenv(name)  # it ends one day, and says so
    done = cli("doctor")
    lines = done.out.splitlines()

    assert (done.status, done.err) == (0, "")
    assert [line.partition(":")[0] for line in lines[:3]] == ["✓ python", "✓ SQLite", "✓ home"]
    assert lines[3:] == [
        "✓ brave: it can be reached",
        "! serper: it is not configured → set SERPER_API_KEY",
        "✓ local index: documents: default 1",
    ]
    assert cli("doctor", "--json").json[3:] == [
        {"state": "well", "what": "brave", "said": "it can be reached", "next": ""},
        {
            "state": "look",
            "what": "serper",
            "said": "it is not configured",
            "next": "set SERPER_API_KEY",
        },
        {"state": "well", "what": "local index", "said": "documents: default 1", "next": ""},
    ]
    assert cli("doctor", "--timeout", "0").out.splitlines()[3] == (
        "✗ brave: it does not answer → check the network and its address"
    )


def test_settings_that_cannot_be_read_are_the_only_line(cli: Cli, tmp_path: Path) -> None:
    """With what to do."""
    file = tmp_path / "mine.toml"
    file.write_text("timeout = 'soon'\n")
    done = cli("doctor", "--config", file, "--json")

    assert done.status == 1
    ((state, what),) = [(r["state"], r["what"]) for r in done.json]
    assert (state, what) == ("broken", "settings")
