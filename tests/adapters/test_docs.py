"""`docs/frameworks.md` is true: its code runs, and it names every framework and option."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from kensaku.adapters import ADAPTERS
from kensaku.tools.registry import TOOLS, ToolOptions
from tests import ROOT
from tests.blocks import python_blocks, run_block

PAGE = "frameworks.md"


@pytest.mark.usefixtures("documentation")
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


@pytest.mark.parametrize("framework", [f for f, a in ADAPTERS.items() if a.extra])
def test_an_adapter_names_the_module_it_imports_and_the_extra_that_brings_it(framework):
    """The sentence about a missing framework tells people what to install."""
    adapter = ADAPTERS[framework]
    source = ROOT / "src" / Path(*adapter.module.split(".")).with_suffix(".py")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert re.search(rf"(from|import) {re.escape(adapter.needs)}\b", source.read_text("utf-8"))
    assert adapter.extra in project["optional-dependencies"]
