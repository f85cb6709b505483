"""`make new`: what it writes works, in a copy of the repository, by the tests that it names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

KINDS = ("provider", "wire", "channel", "command")


def python(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy, whose packages come before ours."""
    env = {**os.environ, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}"}
    return subprocess.run(
        [sys.executable, *words], cwd=copy, env=env, capture_output=True, text=True, timeout=600
    )


@pytest.fixture(scope="module")
def copy(processes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as it is now, with what is compiled of it."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone")
    made = tmp_path_factory.mktemp("copy")
    compiled = (c.relative_to(ROOT) for c in (ROOT / "src").rglob("__pycache__/*.pyc"))
    for name in filter(
        lambda name: (ROOT / name).is_file(), [*listed.stdout.splitlines(), *compiled]
    ):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, made / name)  # with its time: Python compares it
    return made


@pytest.mark.parametrize("words", [["provider", "tavily"], ["wire", "Two Words"], ["thing", "x"]])
def test_nothing_is_overwritten_or_guessed(copy: Path, words: list[str]) -> None:
    """One sentence says why."""
    done = python(copy, "scripts/new", *words)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_what_is_new_passes_the_tests_that_it_names(copy: Path) -> None:
    """One of each kind; names of two words, as the rows and classes have to take them apart."""
    made = [python(copy, "scripts/new", kind, f"blue_{kind}") for kind in KINDS]
    assert not any(new.returncode for new in made), "".join(new.stderr for new in made)
    said = "".join(new.stdout for new in made)
    named = [args.partition(" -k ") for args in re.findall(r'make test args="(.+)"', said)]
    whole = {file for file, _, words in named if not words}
    some = {file for file, _, words in named if words} - whole
    for words in ([*whole], [*some, "-k", "blue"]):
        done = python(copy, *"-m pytest -q --tier fast -p no:cacheprovider".split(), *words)
        assert done.returncode == 0, done.stdout[-3_000:]
    style = python(copy, "-m", "ruff", "check", "src", "tests")
    form = python(copy, "-m", "ruff", "format", "--check", "src", "tests")

    assert (style.returncode, form.returncode) == (0, 0), style.stdout + form.stdout
    assert "acme" not in "".join(
        (copy / path).read_text(encoding="utf-8").lower()
        for path in re.findall(r"^wrote (.+blue_.+)$", said, re.MULTILINE)
    )
