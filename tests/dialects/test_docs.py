"""docs/dialects.md: the examples are real output, and the code runs. `make docs` updates it."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku.dialects import dialect_module, dialect_names
from kensaku.testing import FakeUpstream
from tests import ROOT

PAGE = (ROOT / "docs" / "dialects.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"<!-- (\S+) (\S+) -->\n`{4}text\n")


def test_every_dialect_is_shown_with_every_outcome() -> None:
    """A new dialect is not finished before people can see what it really writes."""
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    shown = {(dialect.partition(":")[0], what) for dialect, what in EXAMPLE.findall(PAGE)}

    assert generate["dialects"]() == PAGE
    assert {
        (d, what) for d in dialect_names() for what in ("found", "empty", "unavailable")
    } <= shown


@pytest.mark.usefixtures("documentation")
def test_every_block_is_an_example_or_code_that_runs(tmp_path: Path) -> None:
    """docs/generate.py writes the examples."""
    code = re.findall(r"^```python\n(.*?)^```\n", PAGE, re.DOTALL | re.MULTILINE)
    fences = re.findall(r"^`{3,}\w+$", PAGE, re.MULTILINE)

    assert len(fences) == len(code) + len(EXAMPLE.findall(PAGE))
    with FakeUpstream.in_thread() as up:
        env = {**os.environ, **up.environment("tavily"), "KENSAKU_HOME": str(tmp_path)}
        env["WEB_SEARCH_PROVIDER"] = "tavily"
        for block in code:
            done = subprocess.run(
                [sys.executable, "-c", block], env=env, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            assert "Results for" in done.stdout
            assert "検索結果" in done.stdout


def test_every_dialect_and_option_is_in_the_table() -> None:
    """The options are those of the functions."""
    import inspect

    for name in dialect_names():
        row = re.search(rf"^\| `{name}` \|.*$", PAGE, re.MULTILINE)
        assert row is not None
        for option in list(inspect.signature(dialect_module(name).write).parameters)[1:]:
            assert option == "style" or f"`{option}" in row[0], (name, option)
