"""How the documentation of Python sources is read: which files, which names, which words."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kensaku.errors import IndexFault
from kensaku.index import pydocs
from kensaku.index.pydocs import read_source
from kensaku.models import Document

CORE = '''
"""Tasks that can be ended."""

class TaskGroup(Base, other.Mixin):
    """See pkg._core.TaskGroup and run."""

    def __init__(self, name: str, *, limit=3):
        """Not a name for readers."""

    async def cancel(self, msg=None) -> bool:
        """Ask the task to end."""

    @classmethod
    def make(cls):
        """Make one of these."""

    def short(self):
        """Three words only."""

    class Inner:
        """A class within another."""

def _helper():
    """Nobody is to see."""

def run(*tasks: Task):
    """Run all of them."""

VALUE = 1
'''
EXPORTS = '''"""About the whole package."""
from ._core import *
from .listed import *
from .made import *
from .gone import *
from .bad import *
from .sub.deep import *
from .other import Shown, Old as New, _hidden
from . import direct
from ..above import Up
from json import dumps
import os
'''
FUNCTION = 'def {}():\n    """Some words about it."""\n'


def put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write Python files by their names without the ending."""
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def documented(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, '"""A module of words."""')


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where a Python has its library."""
    root = tmp_path_factory.mktemp("python")
    standard = put(root / "std", documented("json", "pkg/z"))
    put(standard, documented("this", "antigravity", "test_a", "__init__", "tests/x", "vendor/x"))
    put(standard, documented("config-3.11/x", "pkg/_vendor/x"))
    put(
        standard,
        {
            "pkg/__init__": EXPORTS,
            "pkg/_core": CORE,
            "pkg/listed": "__all__ = ['b', 'c']\n" + FUNCTION.format("b") + FUNCTION.format("d"),
            "pkg/made": "__all__ = ['b'] + x",
            "pkg/bad": "def (",
            "pkg/sub/deep": FUNCTION.format("dive"),
            "pkg/other": FUNCTION.format("Old") + FUNCTION.format("Shown"),
            "pkg/nul": "\0",
            "pkg/plain": "from ._core import run\n",
        },
    )
    (standard / "notes.txt").write_text("Some words about it.")
    put(standard, documented("site-packages/one", "site-packages/two/__init__"))
    return {"stdlib": standard}


@pytest.fixture
def paths(python: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Path]]:
    """This process runs in that Python."""
    used = dict(python)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(used[name]))
    return used


@pytest.mark.usefixtures("processes")
def test_documents_have_the_names_that_people_use(paths):
    """Those that a package re-exports, once each; names in camel case also as words."""
    own = {d.title: d for d in pydocs.documents() if d.title.startswith("pkg")}

    assert sorted(own) == [
        "pkg", "pkg.New", "pkg.Shown", "pkg.TaskGroup", "pkg.TaskGroup.Inner",
        "pkg.TaskGroup.cancel", "pkg.TaskGroup.make", "pkg.b", "pkg.dive", "pkg.listed.d",
        "pkg.run", "pkg.z",
    ]  # fmt: skip
    assert own["pkg"] == Document("pydoc:pkg", "pkg", "About the whole package.", language="en")
    assert own["pkg.TaskGroup"].text.startswith(
        "class pkg.TaskGroup(name: str, *, limit=3)  # Base, other.Mixin\n\nSee pkg.TaskGroup and run."
    )
    assert own["pkg.TaskGroup.cancel"] == Document(
        "pydoc:pkg.TaskGroup.cancel",
        "pkg.TaskGroup.cancel",
        "async def pkg.TaskGroup.cancel(msg=None) -> bool\n\nAsk the task to end."
        "\n\n(pkg._core.Task Group.cancel)",
        language="en",
    )
    assert own["pkg.run"].text == "def pkg.run(*tasks: Task)\n\nRun all of them."
    assert own["pkg.TaskGroup.make"].text.startswith("def pkg.TaskGroup.make()\n")


def test_only_the_standard_library_is_read(paths):
    """No tests, no demonstrations, no copies of others; no installed packages."""
    assert {name for _, name in pydocs.sources()} == {
        "json", "pkg", "pkg._core", "pkg.bad", "pkg.listed", "pkg.made", "pkg.nul", "pkg.other",
        "pkg.plain", "pkg.z", "pkg.sub.deep",
    }  # fmt: skip


def test_long_documentation_and_long_signatures_are_cut(tmp_path):
    """So is a file that is a generated table."""
    put(tmp_path, {"long": f'def f({"a" * 500}):\n    """{"word " * 2_000}"""\n'})
    put(tmp_path, {"table": '"""A module of words."""\n#' + "x" * 1_000_000})
    [(_, signature, words)], _ = read_source((str(tmp_path / "long.py"), "long"))

    assert len(signature) < 450
    assert len(words) <= 6_000
    assert read_source((str(tmp_path / "table.py"), "table")) == ([], {})
    assert read_source((str(tmp_path / "gone.py"), "gone")) == ([], {})


@pytest.mark.usefixtures("processes")
async def test_a_reader_that_fails_is_an_error(index, monkeypatch, tmp_path):
    """Never a collection that lacks a part."""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))

    with pytest.raises(IndexFault, match="ended with status 1"):
        await pydocs.build(index, max_files=5)
