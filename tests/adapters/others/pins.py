"""What applications pin, and whether our extra can be installed beside it.

First the applications that Kensaku's specifications were written for; the others are what their
frameworks ask of each other. Needs a package index, and installs nothing.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests import ROOT
from tests.authors.rows import AUTHORS
from tests.environments import UV

# extras → what stands beside them
BESIDE: list[tuple[str, Sequence[str]]] = [
    *((author.extras, author.pins) for author in AUTHORS),
    ("openai-agents", ["openai-agents<0.10"]),
    ("strands", ["strands-agents<1.20"]),
    ("standard,crewai", ["crewai>=1.15"]),
    ("standard,semantic-kernel", ["semantic-kernel>=1.45"]),
    ("standard,google-adk", ["google-adk<2"]),
    ("mcp,langchain", ["langchain-mcp-adapters"]),
]


def check_pins() -> bool:
    """Print a line for each, and return whether all of them resolve."""
    failed = [pins for extras, pins in BESIDE if not _resolves(extras, pins)]
    return not failed


def _resolves(extras: str, pins: Sequence[str]) -> bool:
    wanted = [word for extra in extras.split(",") for word in ("--extra", extra)]
    with tempfile.TemporaryDirectory() as folder:
        theirs = Path(folder) / "theirs.in"
        theirs.write_text("\n".join(pins))
        done = subprocess.run(
            [UV, "pip", "compile", "--quiet", "--python-version", "3.11", "pyproject.toml", *wanted,
             theirs, "-o", Path(folder) / "both.txt"],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
    print(
        f"pins: kensaku-search[{extras}] beside {', '.join(pins)}", "✗" if done.returncode else "✓"
    )
    if done.returncode:
        print(done.stderr[-1_500:])
    return not done.returncode
