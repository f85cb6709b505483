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


def pin(*sources: str | Path, to: Path) -> None:
    """Choose the packages: the newest that go together, with hashes and without addresses.

    The sources are files, and options of `uv pip compile` such as `--extra`.
    """
    subprocess.run(
        [UV, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--upgrade",
         "--generate-hashes", "--no-header", "--no-annotate",
         "--no-emit-package", "kensaku-search", *sources, "-o", to],
        cwd=ROOT, check=True,
    )  # fmt: skip


def build(where: Path, pinned: Path, more: Sequence[str] = ()) -> Path:
    """Return the interpreter of the environment; build it if what is pinned is new.

    `more` are requirements without hashes; the versions of the pinned file win.
    """
    stamp, python = where / "pinned", where / "bin" / "python"
    wanted = hashlib.sha256(
        pinned.read_bytes() + "\n".join(more).encode() + sys.version.encode()
    ).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    shutil.rmtree(where, ignore_errors=True)
    where.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, where], check=True)
    install = [UV, "pip", "install", "--quiet", "--python", python]
    subprocess.run([*install, "--require-hashes", "-r", pinned], check=True)
    if more:
        subprocess.run([*install, "--no-verify-hashes", "-c", pinned, *more], check=True)
    stamp.write_text(wanted)
    return python


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
