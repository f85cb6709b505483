"""Environments of their own, for what does not go together with the tests' packages."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests import ROOT

UV = Path(sys.executable).parent / "uv"
Checks = dict[str, str]  # the name of a test → "ok", "skipped", or what went wrong


def pin(*sources: str | Path, to: Path, python: str = "3.11") -> None:
    """Choose the packages: the newest that go together, with hashes and without addresses.

    The sources are files, and options of `uv pip compile` such as `--extra`; `python` is the oldest
    version that they are for.
    """
    subprocess.run(
        [UV, "pip", "compile", "--quiet", "--universal", "--python-version", python, "--upgrade",
         "--generate-hashes", "--no-header", "--no-annotate",
         "--no-emit-package", "kensaku-search", *sources, "-o", to],
        cwd=ROOT, check=True,
    )  # fmt: skip


def build_wheels(folder: Path) -> Path:
    """Build the wheel and the sdist of this clone, alone in a folder; return it."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def build(
    where: Path,
    pinned: Path,
    more: Sequence[str] = (),
    *,
    first: Sequence[str] = (),
    python: str = sys.executable,
) -> Path:
    """Return the interpreter of the environment; build it if what is pinned is new.

    `more` are requirements without hashes; the versions of the pinned file win. `first` are
    installed by pip, before the others, from wherever pip is told to look. `python` is a version,
    or the path of an interpreter.
    """
    stamp, own = where / "pinned", where / "bin" / "python"
    words = "\n".join(more) + sys.version + "\n".join(first)
    words += python if python != sys.executable else ""
    wanted = hashlib.sha256(pinned.read_bytes() + words.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return own
    shutil.rmtree(where, ignore_errors=True)
    where.parent.mkdir(parents=True, exist_ok=True)
    seed = ["--seed"] if first else []
    subprocess.run([UV, "venv", "--quiet", "--python", python, *seed, where], check=True)
    if first:
        subprocess.run([own, "-m", "pip", "install", "--quiet", *first], check=True)
    install = [UV, "pip", "install", "--quiet", "--python", own]
    # The pinned file is whole, but for what pip has installed and what only that needs.
    whole = ["--no-deps", "--require-hashes", "-r", pinned]
    subprocess.run([*install, *whole], check=True)
    if more:
        subprocess.run([*install, "--no-verify-hashes", "-c", pinned, *more], check=True)
    stamp.write_text(wanted)
    return own


def run_pytest(
    python: Path,
    options: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path,
    timeout: float,
) -> Checks:
    """Run tests with another interpreter, and return what came of each."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.xml"
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   "-o", "filterwarnings=ignore", f"--junitxml={out}", *options]  # fmt: skip
        try:
            done = subprocess.run(
                command, env=env, cwd=cwd, capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return {"it": f"not done after {timeout} s"}
        if done.returncode:
            print(done.stdout[-6_000:], done.stderr[-2_000:], file=sys.stderr)
        if not out.exists():
            return {"it": done.stderr.strip().rpartition("\n")[2] or "it said nothing"}
        cases = list(ElementTree.parse(out).iter("testcase"))
    return {f"{c.get('classname')}::{c.get('name')}": c[0].tag if len(c) else "ok" for c in cases}
