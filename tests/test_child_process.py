"""Child processes run our code, with few variables and nothing from the working directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import kensaku
from kensaku._child_process import (
    PACKAGE_ROOT,
    child_environment,
    drop_working_directory,
    is_working_directory,
    module_path,
    python_command,
)


def test_the_command_keeps_the_working_directory_out():
    """`-P` comes before the module."""
    assert python_command("a.b", "1", "2") == [sys.executable, "-P", "-m", "a.b", "1", "2"]


def test_a_child_gets_what_it_needs_and_no_key(monkeypatch):
    """Locale and time zone; neither keys nor proxies nor what loads code."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    given = {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC", "OMP_NUM_THREADS": "1"}
    for name, value in (given | {"TAVILY_API_KEY": "k", "HTTPS_PROXY": "p", "PYTHONPATH": "x",
                                 "LD_PRELOAD": "x", "PYTHONSTARTUP": "x"}).items():  # fmt: skip
        monkeypatch.setenv(name, value)

    assert child_environment() == {
        **given, "PYTHONPATH": os.pathsep.join(module_path()), "PYTHONUTF8": "1",
    }  # fmt: skip


def test_the_module_path_is_ours_without_the_working_directory(monkeypatch, tmp_path):
    """However it is written; our own package is always there."""
    here, there = tmp_path / "here", tmp_path / "there"
    for directory in (here, there):
        directory.mkdir()
    (tmp_path / "link").symlink_to(here)
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", ["", ".", str(here), str(tmp_path / "link"), str(there), "x"])

    assert module_path() == [str(there), PACKAGE_ROOT]
    monkeypatch.setattr(sys, "path", [PACKAGE_ROOT, str(there)])
    assert module_path() == [PACKAGE_ROOT, str(there)]
    assert Path(PACKAGE_ROOT) == Path(kensaku.__file__).parents[1]


@pytest.mark.parametrize(
    ("path", "is_it"), [("", True), (".", True), ("/", False), ("/no/such/path", False)]
)
def test_the_working_directory_is_known_by_any_name(monkeypatch, tmp_path, path, is_it):
    """The empty name is one of them."""
    monkeypatch.chdir(tmp_path)

    assert is_working_directory(path) is is_it
    assert is_working_directory(str(tmp_path))


def test_it_is_dropped_unless_we_live_there(monkeypatch, tmp_path):
    """Then nothing else would be found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), "/lib"])
    drop_working_directory()
    assert sys.path == ["/lib"]

    monkeypatch.chdir(PACKAGE_ROOT)
    monkeypatch.setattr(sys, "path", ["", PACKAGE_ROOT, "/lib"])
    drop_working_directory()
    assert sys.path == [PACKAGE_ROOT, "/lib"]
