"""Parsing, help and version: what all commands share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku import __version__
from kensaku.cli import main

from .conftest import Cli
from .examples import OTTERS, page


@pytest.mark.usefixtures("processes")
def test_the_version_needs_nothing_heavy() -> None:
    """`kensaku --version` is asked by scripts: it loads no parser, no loop, no client."""
    program = "import sys; from kensaku.cli import main; main(['--version']); print(*sys.modules)"
    said, modules = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert said == f"kensaku {__version__}"
    heavy = {"argparse", "asyncio", "dataclasses", "json", "logging", "kensaku.errors", "aiohttp"}
    assert not heavy & set(modules.split())


def test_the_version_is_printed_from_the_words_of_the_process_too(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the script that is installed calls it."""
    assert cli("-V").out == cli("--version").out == f"kensaku {__version__}\n"
    monkeypatch.setattr(sys, "argv", ["kensaku", "-V"])
    assert main() == 0
    assert capsys.readouterr().out == f"kensaku {__version__}\n"


def test_help_is_for_asking_and_silence_is_wrong_use(cli: Cli) -> None:
    """On stdout for who asks, on stderr for who does not; a misspelt command is named."""
    asked, nothing, wrong = cli("--help"), cli(), cli("serch", "otter")

    assert (asked.status, asked.err) == (0, "")
    assert asked == cli("-h") == cli("help")
    assert (nothing.status, nothing.out, nothing.err) == (2, "", asked.out)
    assert wrong.status == 2
    assert "did you mean 'search'?" in wrong.err
    assert cli("help", "search").out.startswith("usage: kensaku search ")


def test_every_command_explains_its_options_and_refuses_others(cli: Cli) -> None:
    """In its --help, which ends well; other words are told with the usage."""
    commands = re.findall(r"^  (\w+) ", cli("--help").out, re.MULTILINE)
    assert {"search", "ask", "index", "serve"} <= set(commands)
    for command in commands:
        done = cli(command, "--help")
        assert (done.status, done.err) == (0, "")
        options = re.split(r"^  (?=-)", done.out.partition("options:")[2], flags=re.MULTILINE)[1:]
        assert options
        assert all(re.search(r"(  |\n)\s*\w", option.rstrip()) for option in options), command
        refused = cli(command, "--nonsense")
        assert (refused.status, refused.out) == (2, "")
        assert refused.err.startswith("kensaku: ")


def test_words_after_two_dashes_are_words(cli: Cli, up) -> None:
    """Also where a command takes single words: a quote may begin with a dash."""
    url = up.serves("/quotes", page("Quotes", f"--json is an option. {OTTERS}"))
    done = cli("verify", "--json", "--", "--json is an option", url)

    assert done.status == 0
    assert done.json["found"]


@pytest.mark.usefixtures("processes")
def test_python_m_is_the_same_as_the_script() -> None:
    """The entry point of the installed package is this function."""
    script = Path(sys.executable).with_name("kensaku")
    if not script.exists():
        pytest.skip("the package is not installed")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, env=os.environ)

    assert done.stdout == f"kensaku {__version__}\n"
