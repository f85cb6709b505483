"""Run every recipe as its page has it: installed by its own line, from the wheel, and alone.

    python -m tests.installed.recipes                all of them
    python -m tests.installed.recipes crewai dspy    these

    pip line → environment in .venv-installed/recipes/NAME → the page's Python blocks, unmodified

The model is scripted, and the searches are answered by `python -m kensaku.testing` of the same
environment. Both are on loopback and are made known by environment variables. Needs a package
index; environments are kept until the wheel or the line changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import ROOT
from tests.adapters.model_server import QUIET, ModelServer
from tests.environments import UV

HOME = ROOT / ".venv-installed"
RECIPES = ROOT / "docs" / "recipes"
RUNNER = ROOT / "tests" / "docs_run.py"  # read here, and run there without the clone
SAID = "outcome: found"  # the first words of a search's text, which the model repeats
ASKS_NOBODY = {"dspy"}  # its page ends before the question
TIMEOUT = 600


def cases() -> dict[str, str]:
    """Return the recipes that install something, with the words after `pip install`."""
    pages = {page.stem: page.read_text(encoding="utf-8") for page in sorted(RECIPES.glob("*.md"))}
    found = {name: re.search(r"^\$ pip install (.+)$", text, re.M) for name, text in pages.items()}
    return {name: line[1] for name, line in found.items() if line}


def build_wheel() -> Path:
    """Build the wheel and return it."""
    folder = HOME / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(where: Path, line: str, wheel: Path) -> Path:
    """Return the interpreter of an environment that was made by this line."""
    stamp, python = where / "made-by", where / "bin" / "python"
    made_by = f"{line}\n{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n{sys.version}"
    if stamp.exists() and stamp.read_text() == made_by:
        return python
    shutil.rmtree(where, ignore_errors=True)
    where.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, where], check=True)
    subprocess.run(
        [UV, "pip", "install", "--quiet", "--python", python, "--find-links", wheel.parent,
         "--refresh-package", "kensaku-search", *shlex.split(line)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    stamp.write_text(made_by)
    return python


@contextmanager
def stage(python: Path, home: Path) -> Iterator[dict[str, str]]:
    """The environment variables of a machine whose model and web are on loopback."""
    env = {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "PYTHONWARNINGS": "ignore",
        **QUIET,
    }
    web = subprocess.Popen(
        [python, "-m", "kensaku.testing"], env=env, cwd=home, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with web, ModelServer("web_search", {"query": "otter"}) as model:
        assert web.stdin
        assert web.stdout
        for line in iter(web.stdout.readline, "\n"):  # an empty line when it is ready
            if not line:
                raise RuntimeError("python -m kensaku.testing did not start")
            name, _, value = line.rstrip("\n").partition("=")
            env[name] = value
        env |= dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "none")
        env |= {
            "OPENAI_BASE_URL": model.openai_url,
            "OPENAI_API_BASE": model.openai_url,  # as LlamaIndex and others call it
            "ANTHROPIC_BASE_URL": model.anthropic_url,
            "GOOGLE_GEMINI_BASE_URL": model.gemini_url,
        }
        yield env
        web.stdin.close()


def run(name: str, wheel: Path) -> str:
    """Run a recipe. Returns what went wrong, or nothing."""
    try:
        python = install(HOME / "recipes" / name, cases()[name], wheel)
    except subprocess.CalledProcessError as error:
        return f"cannot be installed: {(error.stderr or '').strip()[-600:]}"
    page = (RECIPES / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    with tempfile.TemporaryDirectory() as home, stage(python, Path(home)) as env:
        try:
            done = subprocess.run(
                [python, "-c", RUNNER.read_text(encoding="utf-8")], input=json.dumps(blocks),
                env=env, cwd=home, capture_output=True, text=True, timeout=TIMEOUT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"not done after {TIMEOUT} s"
    if done.returncode:
        return done.stderr.strip()[-600:]
    if name not in ASKS_NOBODY and SAID not in done.stdout:
        return f"{SAID!r} is not in what it printed: {done.stdout[-600:]}"
    return ""


def main(names: list[str]) -> int:
    """Run these recipes, or all; print one line each."""
    known = cases()
    if unknown := [n for n in names if n not in known]:
        print(f"there is no recipe {unknown[0]!r} that installs something")
        return 2
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    wheel = build_wheel()
    failed = 0
    for name in names or known:
        began = time.monotonic()
        wrong = run(name, wheel)
        failed += bool(wrong)
        print(f"{name}: {wrong or 'ok'} ({time.monotonic() - began:.0f} s)", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
