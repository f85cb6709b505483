"""`docs/frameworks.md` is true: its code runs, and it names every framework and option."""

from __future__ import annotations

import os

from kensaku.adapters import ADAPTERS
from kensaku.tools.registry import TOOLS, ToolOptions
from tests import ROOT
from tests.blocks import python_blocks, run_block

PAGE = "frameworks.md"


def test_the_code_of_the_page_runs(tmp_path):
    """Whoever copies it gets tools."""
    (block,) = python_blocks(PAGE)

    done = run_block(block, {**os.environ, "KENSAKU_HOME": str(tmp_path)}, tmp_path)

    assert done.returncode == 0, done.stderr


def test_every_framework_tool_and_option_is_named():
    """What the page does not name does not exist for anybody."""
    page = (ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    names = [*ADAPTERS, *TOOLS, *ToolOptions.__annotations__]

    assert [n for n in names if f"`{n}`" not in page] == []


def test_every_example_is_named():
    """An example that nobody finds helps nobody."""
    page = (ROOT / "docs" / PAGE).read_text(encoding="utf-8")

    assert [p.name for p in (ROOT / "examples").glob("*.py") if f"`{p.name}`" not in page] == []
