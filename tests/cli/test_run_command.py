"""`run_command` in this process: dispatch, help, statuses, words after `--`."""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku import __version__
from kensaku.cli import _main, main
from kensaku.cli._main import _parse_intermixed, make_parser, overview, run_command
from kensaku.errors import InvalidQuery, MissingExtra, ProviderError

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def commanded(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`commanded(work)`: `search` runs this instead."""

    def replace(work: Any, **more: Any) -> None:
        async def run(args: argparse.Namespace) -> int:
            return work(args)

        def add_arguments(parser: argparse.ArgumentParser) -> None:
            parser.add_argument("query", nargs="*")
            parser.add_argument("--one")

        module = SimpleNamespace(USAGE="WORD", add_arguments=add_arguments, run=run, **more)
        monkeypatch.setattr(_main, "command_module", lambda name: module)

    return replace


def fail(error: BaseException) -> Any:
    def work(args: argparse.Namespace) -> int:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (InvalidQuery("the query is empty"), 2, "kensaku: the query is empty\n"),
        (MissingExtra("shtab", "completion"), 1, None),
        (ProviderError("brave", "no"), 1, "kensaku: brave: no\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_an_error_is_one_sentence_and_a_status(
    error: BaseException, status: int, said: str | None, commanded: Any, capsys: Capture
) -> None:
    """2 for wrong usage, 1 for what failed, 130 for Ctrl-C."""
    commanded(fail(error))

    assert run_command(["search", "otter"]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err == said if said is not None else err.startswith("kensaku: ")


@pytest.mark.parametrize("status", [0, 1])
def test_the_status_is_that_of_the_command(status: int, commanded: Any) -> None:
    """Found or not."""
    commanded(lambda args: status)

    assert run_command(["search"]) == status


def test_a_command_may_bring_its_own_event_loop(commanded: Any) -> None:
    """A server does."""
    made: list[asyncio.AbstractEventLoop] = []

    def new_event_loop() -> asyncio.AbstractEventLoop:
        made.append(asyncio.new_event_loop())
        return made[-1]

    commanded(lambda args: 0, new_event_loop=new_event_loop)
    run_command(["search"])

    assert [loop.is_closed() for loop in made] == [True]


def test_help_is_asked_for_in_three_ways(capsys: Capture) -> None:
    """Of all, or of a command; silence is wrong use, and gets it on stderr."""
    for word in ("-h", "--help", "help"):
        assert run_command([word]) == 0
        assert capsys.readouterr() == (overview() + "\n", "")
    assert run_command(["help", "cache"]) == 0
    assert capsys.readouterr().out.startswith("usage: kensaku cache [options] stats|clear\n")
    assert run_command([]) == 2
    assert capsys.readouterr() == ("", overview() + "\n")
    assert run_command(["serch"]) == 2
    assert "there is no command 'serch'; did you mean 'search'?" in capsys.readouterr().err


def test_the_overview_is_aligned() -> None:
    """Names, two blanks, what each does."""
    lines = overview().splitlines()

    assert lines[:5] == [
        "usage: kensaku [--version] [--help] COMMAND …", "", "Web search for AI agents.", "",
        "commands:",
    ]  # fmt: skip
    assert "  search      search the web or the local index and print ranked results" in lines
    assert "  completion  print a completion script for a shell" in lines
    assert lines[-2:] == ["", "Run `kensaku COMMAND --help` for the options of a command."]


@pytest.mark.parametrize("words", [["--version"], ["-V"]])
def test_the_version_is_printed(
    words: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the words of the process, too."""
    assert main(words) == 0
    monkeypatch.setattr(sys, "argv", ["kensaku", *words])
    assert main() == 0
    assert capsys.readouterr().out == f"kensaku {__version__}\n" * 2


@pytest.mark.parametrize(
    ("words", "query", "one"),
    [
        (["a", "--one", "1", "b"], ["a", "b"], "1"),
        (["a", "--", "--one", "-h"], ["a", "--one", "-h"], None),
        (["--", "a", "--", "b"], ["a", "--", "b"], None),
        (["--one", "1", "--", "b"], ["b"], "1"),
        ([], [], None),
    ],
)
def test_words_after_two_dashes_are_words(
    words: list[str], query: list[str], one: str | None
) -> None:
    """Wherever the options stand."""
    parser = argparse.ArgumentParser()
    parser.add_argument("query", nargs="*")
    parser.add_argument("--one")

    assert vars(_parse_intermixed(parser, words)) == {"query": query, "one": one}


def test_a_single_word_after_two_dashes_is_a_word() -> None:
    """`verify -- --quote URL`; other values keep their kinds."""
    args = _parse_intermixed(make_parser("verify"), ["--json", "--", "--quote", "-u"])

    assert (args.quote, args.url, args.json, args.config) == ("--quote", "-u", True, None)


@pytest.mark.parametrize(
    ("encoding", "errors"), [("ascii", "backslashreplace"), ("utf-8", "strict"), ("UTF8", "strict")]
)
def test_a_terminal_without_unicode_gets_numbers(
    encoding: str, errors: str, monkeypatch: pytest.MonkeyPatch, commanded: Any
) -> None:
    """One with it gets the characters."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    commanded(lambda args: 0)
    run_command(["search"])

    assert [stream.errors for stream in streams] == [errors] * 2


def test_help_has_a_width_and_one_form_for_options() -> None:
    """The same in every version of Python."""
    lines = make_parser("jobs", width=100).format_help().splitlines()
    told = [line.split("  ")[1:2] for line in lines]

    assert lines[0] == "usage: kensaku jobs [options] ACTION [ID]"
    assert {"-h, --help", "--limit N", "ACTION"} <= {name for (name, *_) in filter(None, told)}
    search = make_parser("search", width=100).format_help()
    assert "\n  -n, --max-results N " in search
    assert "\n  --scrub, --no-scrub " in search
