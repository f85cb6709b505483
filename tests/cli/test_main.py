"""Parsing, help and version: what all commands share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku import __version__
from kensaku.cli._main import COMMANDS, make_parser

from .conftest import Run


def test_the_version_needs_nothing_heavy(run: Run) -> None:
    """`kensaku --version` is asked by scripts: it loads no parser, no loop, no client."""
    program = "import sys; from kensaku.cli import main; main(['--version']); print(*sys.modules)"
    said, modules = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert said == f"kensaku {__version__}"
    heavy = {"argparse", "asyncio", "dataclasses", "json", "logging", "kensaku.errors", "aiohttp"}
    assert not heavy & set(modules.split())
    assert run("-V").stdout == f"kensaku {__version__}\n"


def test_help_is_for_asking_and_silence_is_wrong_use(run: Run) -> None:
    """Every command is in the overview; a misspelt one is named, with the nearest."""
    asked, nothing, wrong = run("--help"), run(), run("serch", "otter")

    assert (asked.returncode, nothing.returncode, wrong.returncode) == (0, 2, 2)
    assert all(f"  {name} " in asked.stdout for name in COMMANDS)
    assert nothing.stdout == ""
    assert "did you mean 'search'?" in wrong.stderr
    assert run("help", "search").stdout.startswith("usage: kensaku search ")


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_option_is_explained(command: str, run: Run) -> None:
    """And every command has a --help that ends well."""
    assert all(action.help for action in make_parser(command)._actions)
    assert run(command, "--help").returncode == 0
    assert run(command, "--nonsense").returncode == 2


def test_python_m_is_the_same_as_the_script() -> None:
    """The entry point of the installed package is this function."""
    script = Path(sys.executable).with_name("kensaku")
    if not script.exists():
        pytest.skip("the package is not installed")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, env=os.environ)

    assert done.stdout == f"kensaku {__version__}\n"
