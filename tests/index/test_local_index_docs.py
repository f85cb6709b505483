"""The page about the local index: its examples run and print what it says."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests import ROOT

PAGE = (ROOT / "docs" / "local-index.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.usefixtures("documentation")
@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_prints_what_the_page_says(code, tmp_path):
    """Whoever copies it gets the lines in its last comments."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    shown = re.findall(r"^# (.*)", code, re.MULTILINE)
    assert done.stdout.splitlines() == shown
