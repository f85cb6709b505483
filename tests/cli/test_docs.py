"""docs/command-line.md: every command is on it, and its examples run as they are shown."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku.cli._main import COMMANDS
from kensaku.testing import FakeUpstream
from tests import ROOT

from .examples import HITS, OTTERS, page

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```\n", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = [
    line.removeprefix("$ ").partition("   # ")[0]
    for _, block in BLOCKS
    if " --help\n" not in block
    for line in block.splitlines()
]


def test_every_command_is_on_the_page() -> None:
    """With its --help text as it is now; `make docs` updates it."""
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    shown = re.findall(r"^\$ kensaku(?: (\w+))? --help$", PAGE, re.MULTILINE)

    assert generate["command_line"]() == PAGE
    assert sorted(shown) == sorted(["", *COMMANDS])
    assert {kind for kind, _ in BLOCKS} == {"console"}


@pytest.mark.usefixtures("documentation")
def test_every_example_runs(up: FakeUpstream, env: dict[str, str], tmp_path: Path) -> None:
    """In the order of the page, with a local upstream in the place of the web."""
    up.answers("tavily", HITS)
    up.serves("/docs/", page("Docs", OTTERS, "/docs/a"))
    for path in ("/", "/docs/a", "/report.pdf"):
        up.serves(path, page(f"Page {path}"))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    _write_program(bin_folder / "kensaku", '-m kensaku.cli "$@"')
    _write_program(bin_folder / "jq", "-m json.tool")
    env |= {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
    env |= {"PATH": f"{bin_folder}{os.pathsep}{env['PATH']}", "GIT_DIR": str(ROOT / ".git")}
    if not (ROOT / ".git").exists():
        pytest.skip("one example needs a repository")

    assert len(EXAMPLES) >= 10
    for example in EXAMPLES:
        command = re.sub(r"https://(docs\.)?example\.com", up.url, example)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (example, done.stderr)


def _write_program(file: Path, arguments: str) -> None:
    file.write_text(f"#!/bin/sh\nexec {sys.executable} {arguments}\n")
    file.chmod(0o755)
