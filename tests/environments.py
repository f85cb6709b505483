"""Environments of their own, for what does not go together with the tests' packages."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests import ROOT

UV = Path(sys.executable).parent / "uv"


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
