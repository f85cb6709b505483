"""Use an extra that is missing, install it by the line that is printed, and use it again.

python prove_extra.py NAME           a row of extras.py, in an empty folder
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.adapters.model_server import QUIET  # noqa: E402
from tests.installed.beside import BESIDE  # noqa: E402
from tests.installed.extras import EXTRAS, Extra  # noqa: E402
from tests.installed.run import shell  # noqa: E402

SENTENCE = re.compile(
    r"is not installed; install (?:it|all that .+ needs?) with: (pip install .+)$"
)
SETTINGS = {
    "PIP_NO_COMPILE": "1",  # most of what is installed is not imported
    # Hits lead to pages of the web; here only this machine is asked.
    "KENSAKU_EGRESS": "private",
    "KENSAKU_FETCH_ALLOW": "127.0.0.1",
    "KENSAKU_FETCH_PORTS": "any",
}


def main(name: str) -> int:
    (extra,) = [extra for extra in EXTRAS if extra.name == name]
    with ExitStack() as stack:
        running = {n: stack.enter_context(BESIDE[n]()) for n in BESIDE if f"${n}" in extra.use}
        wrong = proved(extra, make_environment(Path.cwd()) | SETTINGS | running)
    print(wrong or "used before and after")
    return int(bool(wrong))


def make_environment(folder: Path) -> dict[str, str]:
    """Install the wheel alone; return the variables of a shell in which that is activated."""
    python = folder / "env/bin/python"
    subprocess.run(["uv", "venv", "--quiet", "--seed", "env"], cwd=folder, check=True)
    install = ["uv", "pip", "install", "--quiet", "--python", python, "kensaku-search"]
    subprocess.run(install, check=True)
    # The scripted model keeps frameworks quiet by variables, one of which switches tracing off.
    env = {name: value for name, value in os.environ.items() if name not in QUIET}
    return env | {"PATH": f"{python.parent}{os.pathsep}{env['PATH']}"}


def proved(extra: Extra, env: dict[str, str]) -> str:
    """Return what went wrong."""
    folder = Path.cwd()
    before = shell(extra.use, env, folder)
    missed = extra.without in before.stdout if extra.without else refused(before) == extra.remedy
    if not missed or "Traceback" in before.stdout or seen(extra, before.stdout):
        return f"without it, status {before.returncode}:\n{before.stdout}"
    followed = shell(
        extra.remedy + (f"\npip install {extra.more}" if extra.more else ""), env, folder
    )
    print(f"followed: {extra.remedy}", flush=True)
    if followed.returncode:
        return followed.stdout
    after = shell(extra.use, env, folder)
    print(after.stdout)
    if after.returncode or "Traceback" in after.stdout or not seen(extra, after.stdout):
        return f"with it, status {after.returncode}; wanted {extra.seen}"
    return ""


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the line that a refusal names; nothing where it is none, or says more than one."""
    named = [found[1] for line in done.stdout.splitlines() if (found := SENTENCE.search(line))]
    return named[0] if done.returncode and len(named) == 1 else ""


def seen(extra: Extra, output: str) -> bool:
    return all(text in output for text in extra.seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
