"""Drive the services' own clients in an environment of their own, and write down what came of it.

    make test-sdks                      all of them
    make test-sdks args="exa you"       these
    make test-sdks args="--lock exa"    choose the packages anew, then drive it

The environment is kept in .venv-sdks/. The script writes `readings/` and touches nothing else;
`test_sdks.py` then compares our providers with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from tests.environments import build, pin  # noqa: E402

HERE = Path(__file__).parent
PINNED = ROOT / "requirements" / "sdks.txt"
HOME = ROOT / ".venv-sdks"
# Clients that are in no package index, or do not go together with the others: driven when they are
# named and have been installed by hand.
BY_HAND = {"baidu", "kagi"}
NAMES = sorted({path.stem for path in (HERE / "readings").glob("*.json")} - BY_HAND)
TIMEOUT = 120


def main(words: list[str]) -> int:
    chosen = [w for w in words if w != "--lock"] or NAMES
    if unknown := [w for w in chosen if not (HERE / f"{w}.py").exists()]:
        print(f"there is no client {unknown[0]!r}; choose from {', '.join(NAMES)}")
        return 2
    if "--lock" in words:
        pin(PINNED.with_suffix(".in"), to=PINNED)
    python = build(HOME, PINNED)
    failed = [name for name in chosen if not driven(name, python)]
    of_server = ROOT / "tests" / "server" / "test_sdk_clients.py"
    tests = [sys.executable, "-m", "pytest", "-q", HERE / "test_sdks.py", of_server]
    compared = subprocess.run(tests, cwd=ROOT, check=False).returncode
    return int(bool(failed or compared))


def driven(name: str, python: Path) -> bool:
    """Drive one client; say how it went."""
    with tempfile.TemporaryDirectory() as home:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "KENSAKU_HOME": home,
            "NO_PROXY": "127.0.0.1",
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PYTHONWARNINGS": "ignore",
        }
        command = [python, "-m", "tests.providers.sdk.drive", name, HERE / "readings"]
        try:
            done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True,
                                  timeout=TIMEOUT)  # fmt: skip
        except subprocess.TimeoutExpired:
            print(f"{name}: not done after {TIMEOUT} s")
            return False
    if done.returncode:
        print(done.stderr[-4_000:], file=sys.stderr)
    print(f"{name}: {'failed' if done.returncode else 'written down'}", flush=True)
    return not done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
