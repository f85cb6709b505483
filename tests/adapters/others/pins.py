"""What applications pin, and whether our extra can be installed beside it.

The first four are the applications that Kensaku's specifications were written for; the others are
what their frameworks ask of each other. Needs a package index, and installs nothing.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests import ROOT
from tests.environments import UV

# extras → what stands beside them
BESIDE = [
    ("strands,slack", ["litellm>=1.0.0", "slack-bolt>=1.18.0", "sqlmodel>=0.0.30"]),
    ("pydantic-ai,claude", ["pydantic-ai-slim<2", "claude-agent-sdk", "tavily-python>=0.7.4"]),
    ("langchain,sql", ["langchain>=0.3.24,<1.0", "langchain-google-genai>=2.0.10,<2.1.0"]),
    ("google", ["google-genai==1.52.0", "pydantic==2.11.7", "qdrant-client==1.15.1"]),
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


def _resolves(extras: str, pins: list[str]) -> bool:
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
