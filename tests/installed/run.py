"""Install Kensaku in every way that docs/install.md names, with each extra, and use it.

    make test-installed                                      all of them
    make test-installed args="pip extra-valkey recipe-agno"  these
    make test-installed args="extras recipes"                all of extras.py, all of recipes.py
    make test-installed args=--lock         choose the tools anew (pipx, uv, …), then all of them

The wheel and the sdist of this clone lie in a folder that pip and uv are told of by their
environment, so that the commands are those of the page, to the letter. Each case has a home of its
own in .venv-installed/, which is made anew when the wheel or the command changes. Searches ask a
fake upstream on loopback; only package indexes are asked for anything else.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.docs_stage import upstream  # noqa: E402
from tests.environments import build, build_wheels, pin  # noqa: E402
from tests.installed import extras, recipes  # noqa: E402
from tests.installed.cases import CASES, CLONE, Case  # noqa: E402

HERE = Path(__file__).parent
HOME = ROOT / ".venv-installed"
PINNED = ROOT / "requirements" / "installed.txt"
PYTHON = Path(sys.base_prefix) / "bin" / "python3"
TIMEOUT = 1_200
AT_ONCE = 4  # cases: most of the time they wait for a package index or a disk
GROUPS = {"extras": "extra-", "recipes": "recipe-"}
# How this machine reaches package indexes.
NETWORK = ("PIP_", "UV_", "SSL_", "NODE_", "npm_config_", "HTTP_", "HTTPS_", "http_", "https_")


def main(words: list[str]) -> int:
    everything = [*CASES, *extras.cases(), *recipes.cases()]
    try:
        chosen = choose([w for w in words if w != "--lock"], everything)
    except LookupError as unknown:
        print(unknown)
        return 2
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    # `uv init` would add what it creates here to the clone's own pyproject.toml.
    (HOME / "pyproject.toml").write_text('[tool.uv.workspace]\nexclude = ["**"]\n')
    if "--lock" in words:
        pin(PINNED.with_suffix(".in"), to=PINNED)
    make_tools()
    wheels = named_by_bytes(build_wheels(HOME / "dist"))
    with upstream() as up:
        provider = {n: v for n, v in up.environment(rate="9999/s").items() if "_API_KEY" not in n}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda case: tried(case, wheels, provider), chosen))
    return int("failed" in results)


def choose(words: Sequence[str], among: Sequence[Case]) -> list[Case]:
    """Return the cases of these names and groups, or all. Raises `LookupError`."""
    names = [case.name for case in among]
    if unknown := [w for w in words if w not in {*names, *GROUPS}]:
        choices = ", ".join([*GROUPS, *names])
        raise LookupError(f"there is no case {unknown[0]!r}; choose from {choices}")
    begins = tuple(GROUPS[w] for w in words if w in GROUPS)
    return [c for c in among if not words or c.name in words or c.name.startswith(begins)]


def named_by_bytes(made: Path) -> Path:
    """Return the folder of what was built, named by its bytes: uv caches by the path."""
    digest = hashlib.sha256(b"".join(f.read_bytes() for f in sorted(made.iterdir())))
    folder = HOME / f"dist-{digest.hexdigest()[:12]}"
    for old in HOME.glob("dist-*"):
        shutil.rmtree(old)
    return made.rename(folder)


def make_tools() -> None:
    """Put the programs that people install with into one folder, and our helpers beside them."""
    python = build(HOME / "tools", PINNED)
    folder = HOME / "bin"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("uv", "uvx", "pipx", "hadolint", "skillsaw"):
        (folder / name).symlink_to(python.parent / name)
    for name in ("python3", "python"):
        (folder / name).symlink_to(PYTHON)
    helpers = {
        "ask-mcp": HERE / "ask_mcp.py",
        "ask-bundle": f"{HERE / 'ask_mcp.py'} --bundle",
        "ask-server": HERE / "ask_server.py",
        "ask-channel": HERE / "ask_channel.py",
        "prove-extra": HERE / "prove_extra.py",
        "run-recipe": HERE / "recipes.py",
        "carry-out-dockerfile": HERE / "container.py",
    }
    for name, words in helpers.items():
        helper = folder / name
        helper.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        helper.chmod(0o755)


def environment(case: Case, wheels: Path, provider: dict[str, str]) -> dict[str, str]:
    """A machine with an empty home, one key and nothing of the clone on its paths."""
    home = HOME / case.name
    links = " ".join(filter(None, [str(wheels), os.environ.get("PIP_FIND_LINKS", "")]))
    path = [home / "env/bin"] if case.venv else []
    path += [home / ".local/bin", HOME / "bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"]
    return {
        **{n: v for n, v in os.environ.items() if n.startswith(NETWORK)},
        **provider,
        "PATH": os.pathsep.join(map(str, path)),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "SOURCE": str(ROOT),
        "TAVILY_API_KEY": "tvly-none",
        "WEB_SEARCH_PROVIDER": "tavily",
        "NO_PROXY": "127.0.0.1",
        "PIP_FIND_LINKS": links,
        "PIP_CACHE_DIR": str(HOME / "cache/pip"),
        "UV_FIND_LINKS": str(wheels),
        "UV_CACHE_DIR": str(HOME / "cache/uv"),
        "UV_PYTHON": str(PYTHON),
        "UV_PYTHON_DOWNLOADS": "never",
        "PIPX_DEFAULT_PYTHON": str(PYTHON),
        "npm_config_cache": str(HOME / "cache/npm"),
        "DOCKER_CONFIG": os.environ.get("DOCKER_CONFIG", str(home / ".docker")),
        # What is cloned by its public address is this clone.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{ROOT.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": CLONE.rpartition(" ")[2],
    }


def tried(case: Case, wheels: Path, provider: dict[str, str]) -> str:
    """Install and run one case; print how it went."""
    started = time.monotonic()
    env = environment(case, wheels, provider)
    if case.needs and shell(case.needs, env, ROOT).returncode:
        print(f"{case.name}: skipped, here this does not work: {case.needs}", flush=True)
        return "skipped"
    wrong = installed(case, wheels, env) or used(case, env)
    took = f"{time.monotonic() - started:.0f} s"
    print(f"{case.name}: {'failed, ' if wrong else 'ok, '}{took}", flush=True)
    if wrong:
        print(wrong[-6_000:], file=sys.stderr)
    return "failed" if wrong else "ok"


def installed(case: Case, wheels: Path, env: dict[str, str]) -> str:
    """Carry out `install` in an empty home, unless it was; return what went wrong."""
    home = HOME / case.name
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    parts = [case.install, sys.version, commit.stdout if CLONE in case.install else wheels.name]
    stamp = home / ".installed"
    wanted = "\n".join(parts)
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    script = f"{PYTHON} -m venv env\n" if case.venv else ""
    done = shell(script + case.install, env, home)
    if done.returncode:
        return f"$ {case.install}\n{done.stdout}"
    stamp.write_text(wanted)
    return ""


def used(case: Case, env: dict[str, str]) -> str:
    """Carry out `run` in an empty folder; return what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        state = {"KENSAKU_HOME": f"{folder}/kensaku-home"}
        done = shell(case.run, env | state, Path(folder))
    missing = [text for text in case.seen if text not in done.stdout]
    if done.returncode or missing:
        return f"$ {case.run}\n{done.stdout}\nstatus {done.returncode}; not seen: {missing}"
    return ""


def shell(script: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as a person would type it, and stop at the first line that fails."""
    try:
        return subprocess.run(
            ["sh", "-ec", script], env=env, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        return subprocess.CompletedProcess(shlex.split("sh -ec"), 124, f"{said}\nnot done in time")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
