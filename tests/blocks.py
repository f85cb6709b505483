"""The Python blocks of a page, and a run of one of them as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests import ROOT


def python_blocks(page: str) -> list[str]:
    """Return the Python blocks of `docs/<page>`."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def run_block(code: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a block in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=cwd, capture_output=True, text=True, timeout=300
    )
