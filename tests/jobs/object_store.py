"""Build the environment of `test_object_store.py`, and run it.

    make test-s3                  with the packages of requirements/s3.txt
    make test-s3 args=--lock      choose them anew first

The environment is kept in .venv-s3/.
"""

from __future__ import annotations

import subprocess
import sys

from tests import ROOT
from tests.environments import build, pin

PINNED = ROOT / "requirements" / "s3.txt"


def main(words: list[str]) -> int:
    if "--lock" in words:
        extras = ("--extra", "bulk", "--extra", "server")
        pin("pyproject.toml", *extras, PINNED.with_suffix(".in"), to=PINNED)
    build(ROOT / ".venv-s3", PINNED)
    test = "tests/jobs/test_object_store.py"
    return subprocess.run([sys.executable, "-m", "pytest", "-q", test], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
