"""What `kensaku doctor` says of this machine and of the local index, word by word."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.cli.doctor.local import CheckResult, check_index, check_machine
from kensaku.models import Document
from tests.conftest import MakeClient

from ..conftest import Cli


def settings(home: Path, **environ: str) -> Settings:
    return Settings.load(environ={"KENSAKU_HOME": str(home), **environ})


def said(results: list[CheckResult], subject: str) -> list[tuple[str, str, str]]:
    """Mark, message and remedy of what is said about one subject."""
    return [(r.mark, r.message, r.remedy) for r in results if r.subject == subject]


def test_a_result_as_json() -> None:
    """On one line each, whatever an upstream said."""
    for mark, state in (("✓", "well"), ("!", "look"), ("✗", "broken")):
        result = CheckResult(mark, "it", "a\nb\x1b[2J", "c\nd")  # type: ignore[arg-type]

        assert result.to_dict() == {"state": state, "what": "it", "said": "a b", "next": "c d"}


@pytest.mark.parametrize(
    ("version", "journal"),
    [
        ((3, 51, 3), ""),
        ((3, 51, 2), "; before 3.51.3 the slower, safe journal is used for the cache"),
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


@pytest.mark.parametrize(
    ("environ", "own", "expected"),
    [
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


async def test_an_index_that_is_not_there_slow_empty_or_full(
    make_client: MakeClient, machine: Path
) -> None:
    """Each with what to do."""
    k = make_client("local")

    async def told(seconds: float) -> tuple[str, str]:
        result = await check_index(k, seconds)
        assert result.remedy
        return result.mark, result.message

    assert await told(60) == ("!", "there is none yet")
    (machine / "index").mkdir(parents=True)
    assert await told(0) == ("✗", "it did not open within 0 s")
    assert await told(60) == ("!", "it is empty")
    await k.index.add([Document("u:1", "One", "otter"), Document("u:2", "Two", "otter")])
    await k.index.add([Document("u:3", "Three", "otter")], collection="notes")
    assert (await check_index(k, 60)).message == "documents: default 2, notes 1"


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
