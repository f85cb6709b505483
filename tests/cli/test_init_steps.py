"""`kensaku init` in this process: what is asked, tried, said and stored."""

from __future__ import annotations

import getpass
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kensaku import Hit
from kensaku.cli import init
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, CliResult

KEY = "tvly-dev-0123456789abcdef"
BEGIN = init._ENGLISH["begin"]
NEXT = init._ENGLISH["next"]
Typed = Callable[..., tuple[CliResult, list[str]]]


@pytest.fixture
def typed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """`typed("--provider", "tavily", keys=[KEY], lines="y\\n")` → what came, what was asked."""
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def run(*words: str, keys: list[str], lines: str = "") -> tuple[CliResult, list[str]]:
        stdin, asked, left = io.StringIO(lines), [], list(keys)
        monkeypatch.setattr(stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys, "stdin", stdin)

        def read(prompt: str) -> str:
            asked.append(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr(getpass, "getpass", read)
        return cli("init", *words), asked

    return run


def test_a_key_that_works_is_stored(typed: Typed, up: FakeUpstream, machine: Path) -> None:
    """After one search for one result; the next time it is named as set."""
    up.answers("tavily", [Hit("https://a.example/", "A", "kensaku")])
    file = machine / "config.toml"
    done, asked = typed("--provider", "tavily", keys=[f" {KEY} "])

    assert (done.status, done.out) == (0, "")
    assert done.err.splitlines() == [
        BEGIN, "Tavily: trying it with one search …",
        f"Tavily: it works (1 hits). Stored in {file}.", NEXT,
    ]  # fmt: skip
    assert len(asked) == 1
    assert asked[0].startswith("Tavily key (https://")
    (sent,) = up.asked("tavily")
    assert (sent.json["query"], sent.json["max_results"]) == ("kensaku", 1)
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    again, asked = typed("--provider", "tavily", keys=[""])
    assert asked[0].startswith(f"Tavily: a key is set already ({file}, line ")
    assert again.err.splitlines() == [BEGIN, NEXT]
    assert KEY in file.read_text()


@pytest.mark.parametrize(
    ("line", "end", "stored"),
    [
        ("y\n", "Tavily: stored in {file}.", True),
        (" YES\n", "Tavily: stored in {file}.", True),
        ("はい\n", "Tavily: stored in {file}.", True),
        ("うん\n", "Tavily: stored in {file}.", True),
        ("n\n", "Tavily: not stored.", False),
        ("", "Tavily: not stored.", False),
    ],
)
def test_a_key_that_is_refused_is_stored_only_on_demand(
    line: str, end: str, stored: bool, typed: Typed, up: FakeUpstream, machine: Path
) -> None:
    """What the provider said is told, without the key that it repeats."""
    up.fails("tavily", faults.status(401, {"detail": {"error": f"bad key {KEY}"}}))
    file = machine / "config.toml"
    done, _ = typed("--provider", "tavily", keys=[KEY], lines=line)
    begin, trying, refused, last, next_ = done.err.splitlines()

    assert (begin, trying, next_) == (BEGIN, "Tavily: trying it with one search …", NEXT)
    assert refused.startswith("Tavily: tavily: it does not take this key")
    assert last == "Store it all the same? [y/N] " + end.format(file=file)
    assert KEY not in done.err
    assert file.exists() is stored


def test_no_answer_in_time_is_told(
    typed: Typed, up: FakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the time that it had."""
    monkeypatch.setattr(init, "SECONDS", 0)
    done, _ = typed("--provider", "tavily", keys=[KEY])

    assert "Tavily: no answer within 0 s" in done.err.splitlines()


def test_the_end_of_the_input_skips(typed: Typed, machine: Path) -> None:
    """As Enter does, for each that is asked for."""
    done, asked = typed(keys=[])

    assert done.status == 0
    assert [prompt.partition(" key (")[0] for prompt in asked] == [
        "Tavily", "Brave Search", "Exa", "Serper",
    ]  # fmt: skip
    assert not (machine / "config.toml").exists()


def test_keys_go_to_the_file_that_was_named(
    typed: Typed, up: FakeUpstream, machine: Path, tmp_path: Path
) -> None:
    """It need not be there yet; what is in it stays."""
    file = tmp_path / "mine.toml"
    up.answers("tavily", [])
    up.answers("brave", [])
    for name in ("tavily", "brave"):
        done, _ = typed("--provider", name, "--config", str(file), keys=[f"{name}-0123456789"])
        assert done.status == 0
        assert f"it works (0 hits). Stored in {file}." in done.err

    assert "tavily-0123456789" in file.read_text()
    assert "brave-0123456789" in file.read_text()
    assert not (machine / "config.toml").exists()
