"""The project around the code: its notices, its names, and what the Makefile does with its input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import ROOT

WORDS = "src/kensaku/search/intent/words"


def test_every_data_file_of_others_is_in_the_notice():
    """A file that is not code came from somewhere."""
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    ours = {"py.typed", "own_tables.sql", "existing_tables.sql", "weights.json"}
    for file in (ROOT / "src").rglob("*"):
        if file.is_file() and file.suffix not in (".py", ".pyc", ".pyi") and file.name not in ours:
            path = file.relative_to(ROOT)
            # the page's templates, styles and scripts; our own messages and lists of words
            if any(map(path.is_relative_to, ("src/kensaku/server", "src/kensaku/locale", WORDS))):
                continue
            assert str(path) in notice or str(path.parent / "*.json") in notice, path


def test_the_supported_pythons_are_tested():
    """What the classifiers claim, the workflow runs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    for classifier in project["classifiers"]:
        name, _, version = classifier.rpartition(" :: ")
        if name.endswith(":: Python") and "." in version:
            assert f'"{version}"' in workflow, version


def _shell() -> dict[str, str]:
    """The environment without what a `make test` around us has put into it."""
    ours = ("MAKE", "MFLAGS", "VENV", "PYTHON", "args")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def _made_environment(folder: Path) -> Path:
    """An environment in which everything is installed, and `kensaku` prints its arguments."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "kensaku"
    program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    program.chmod(0o755)
    (folder / "bin" / "uv").touch()
    (folder / ".run").touch()
    (folder / ".serve").touch()
    return folder


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("given", ["argument", "environment"])
@pytest.mark.parametrize(
    "query",
    [
        'x"; touch hit; "',
        "$(touch hit)",
        "`touch hit`",
        "$(shell touch hit)",
        "costs $HOME",
        "it's",
    ],
)
def test_make_search_passes_the_query_on_as_it_is(query, given, tmp_path):
    """Neither make nor the shell may run what somebody searches for."""
    words = ["make", "-s", "-f", ROOT / "Makefile", "-C", ROOT, "search"]
    words += [f"VENV={_made_environment(tmp_path)}"]
    env = _shell()
    if given == "argument":
        words += [f"q={query}"]
    else:
        env["q"] = query

    done = subprocess.run(words, env=env, capture_output=True, text=True)

    assert done.stdout.splitlines() == ["search", "--", query], done.stderr
    assert not (ROOT / "hit").exists()


@pytest.mark.usefixtures("processes")
def test_make_serve_passes_its_arguments_on(tmp_path):
    """Another port or route needs no other command than `make serve args=…`."""
    words = ["make", "-s", "-C", ROOT, "serve", f"VENV={_made_environment(tmp_path)}"]
    done = subprocess.run(
        [*words, "args=--port 0 --route local"],
        env=_shell(),
        capture_output=True,
        text=True,
    )

    assert done.stdout.splitlines() == ["serve", "--port", "0", "--route", "local"], done.stderr


def _pins(name: str) -> set[str]:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return set(re.findall(r"^[\w.-]+==[^\s;]+", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["run", "serve", "container", "build"])
def test_what_is_installed_is_what_was_tested(name):
    """`make lock` pins the same versions for those who search or serve as for the tests."""
    assert _pins(name)
    assert sorted(_pins(name) - _pins("test")) == []


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("python", "folder"),
    [
        ("python3", ".venv"),
        ("python3.13", ".venv-3.13"),
        ("/usr/bin/python3.12", ".venv-3.12"),
        (sys.executable, f".venv-{sys.version_info[0]}.{sys.version_info[1]}"),
    ],
)
def test_another_python_has_another_environment(python, folder):
    """`make test PYTHON=python3.13` works beside the environment of another version."""
    done = subprocess.run(
        ["make", "-n", "-C", ROOT, "test", f"PYTHON={python}"],
        env=_shell(),
        capture_output=True,
        text=True,
    )

    assert f"{folder}/bin/python -m pytest" in done.stdout


def _texts() -> dict[Path, str]:
    """Every text of the project that a person may read, but for the log of changes."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    read = {".py", ".md", ".toml", ".yml", ".yaml", ".json", ".html", ".in", ".js", ""}
    return {
        f: f.read_text(encoding="utf-8", errors="replace")
        for f in files
        if f.suffix in read and f.is_file() and f.name != "CHANGELOG.md"
    }


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone")
def test_no_text_names_the_package_of_another_author():
    """PyPI's `kensaku` is somebody else's; ours is `kensaku-search`."""
    wrong = re.compile(
        r"(?<![\w./-])kensaku\[[a-z{…]"  # an extra of another distribution
        r"|(?!uv run kensaku)(?:pip|uv|pipx|uvx)3?(?: (?:pip|tool|add|install|run|-\S+))+ [\"']?kensaku(?![\w-])"
        r"|uvx kensaku(?![\w-])"
    )
    found = [
        f"{file.relative_to(ROOT)}: {match.group()}"
        for file, text in _texts().items()
        if file != Path(__file__)
        for match in wrong.finditer(text)
    ]

    assert found == []
