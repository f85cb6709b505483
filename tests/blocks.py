"""The fenced blocks of a page, and a run of one of them as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests import ROOT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page in these languages, in order."""
    found = [Block(*match) for match in _BLOCK.findall(page.read_text(encoding="utf-8"))]
    return [block for block in found if block.language in languages]


def block(page: str, language: str) -> str:
    """The only block of `docs/<page>` in this language."""
    (found,) = blocks(ROOT / "docs" / page, language)
    return found.text


def commands(page: str) -> list[str]:
    """The commands of `docs/<page>`, without the prompt."""
    shown = blocks(ROOT / "docs" / page, "console")
    return [c for b in shown for c in re.findall(r"^\$ (.+)", b.text, re.MULTILINE)]


def with_values(text: str, values: dict[str, str]) -> str:
    """A block with the reader's own values in place of the page's, each of which it must have."""
    for shown, own in values.items():
        assert shown in text, f"the page has no {shown!r}"
        text = text.replace(shown, own)
    return text


def python_blocks(page: str) -> list[str]:
    """Return the Python blocks of `docs/<page>`."""
    return [block.text for block in blocks(ROOT / "docs" / page, "python")]


def run_block(code: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a block in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=cwd, capture_output=True, text=True, timeout=300
    )
