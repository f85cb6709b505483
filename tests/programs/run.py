"""Run programs that people use, unmodified, against `kensaku serve`, and write down what works.

    make test-programs                                  all of them
    make test-programs args="gpt-researcher codex"      these
    make test-programs args="--lock litellm"            choose its packages anew, then run it
    KENSAKU_PROGRAMS=~/clones make test-programs …      also those that are run from a clone

Each has an environment of its own in .venv-programs/NAME, which is built anew when its pinned
packages change. Between it and the server stands a tap; what it saw is in .venv-programs/NAME.jsonl.
A request that the server refuses, and the vendor would not, fails the run. The command writes the
table in docs/programs.md and touches nothing else.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.environments import build, pin  # noqa: E402
from tests.programs.page import write_row  # noqa: E402
from tests.programs.program import ENVIRONMENTS, HERE, Place, Program, programs  # noqa: E402
from tests.programs.stage import Stage, clean, set_stage  # noqa: E402
from tests.programs.tap import Seen  # noqa: E402

PINNED = ROOT / "requirements" / "programs"
NPM = ["npm", "--no-audit", "--no-fund", "--loglevel=error", "--omit-lockfile-registry-resolved"]


def main(words: list[str]) -> int:
    known = programs()
    names = [w for w in words if w != "--lock"] or list(known)
    if unknown := [n for n in names if n not in known]:
        print(f"there is no program {unknown[0]!r}; choose from {', '.join(known)}")
        return 2
    ENVIRONMENTS.mkdir(exist_ok=True)
    (ENVIRONMENTS / ".gitignore").write_text("*\n")
    good = True
    for program in [known[n] for n in names]:
        if "--lock" in words:
            lock(program)
        good = met(program) and good
    return int(not good)


def lock(program: Program) -> None:
    """Choose the packages: the newest that go together."""
    if program.is_node:
        command = [*NPM, "install", "--package-lock-only", "--ignore-scripts"]
        subprocess.run(command, cwd=HERE / program.name, check=True)
    else:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("".join(f"{name} ; python_version < '3'\n" for name in program.without))
            file.flush()
            source, to = PINNED / f"{program.name}.in", PINNED / f"{program.name}.txt"
            pin(source, "--override", file.name, to=to, python=program.python or "3.11")


def met(program: Program) -> bool:
    """Install and run one program; print and write down how it went."""
    print(program.name, flush=True)
    if program.by == "checkout" and not program.checkout:
        print(f"  skipped: there is no clone of {program.package} in $KENSAKU_PROGRAMS")
        return True
    try:
        python = install(program)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        print(f"  cannot be installed: {error}")
        return False
    log = ENVIRONMENTS / f"{program.name}.jsonl"
    with set_stage(program, log) as stage:
        checks = drive(program, python, stage)
    refused = [s for s in stage.tap.seen if s.refused and not expected(program, s)]
    for seen in refused:
        print(f"  refused: {seen} {seen.note}")
    print(f"  {len(stage.tap.seen)} requests, {len(refused)} refused that the vendor would answer")
    write_row(program, version(program, python), checks, len(stage.tap.seen), len(refused))
    return not refused and bool(checks) and set(checks.values()) == {"ok"}


def expected(program: Program, seen: Seen) -> bool:
    return any(
        (r.method, r.status) == (seen.method, seen.status) and seen.path.endswith(r.path)
        for r in program.refusals
    )


def install(program: Program) -> Path:
    """Return the interpreter that runs the checks, once the program is installed."""
    if program.is_node:
        install_npm(program)
        return Path(sys.executable)
    pinned, python = PINNED / f"{program.name}.txt", program.python or sys.executable
    return build(program.environment, pinned, first=program.first, python=python)


def install_npm(program: Program) -> None:
    source, where = HERE / program.name, program.environment
    files = [source / "package.json", source / "package-lock.json"]
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    stamp = where / "pinned"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir()
    for file in files:
        shutil.copy(file, where)
    scripts = [] if program.scripts else ["--ignore-scripts"]
    subprocess.run([*NPM, "ci", *scripts], cwd=where, check=True)
    stamp.write_text(wanted)


def drive(program: Program, python: Path, stage: Stage) -> dict[str, str]:
    """Run the checks in a process of their own; return what came of each."""
    with tempfile.TemporaryDirectory() as folder:
        home, place, out = (
            Path(folder, "home"),
            Path(folder, "place.json"),
            Path(folder, "out.json"),
        )
        home.mkdir()
        site = stage.upstream.url
        where = Place(stage.tap.url, stage.key, site, stage.model.url, program.environment, home)
        place.write_text(json.dumps(asdict(where), default=str))
        log = ENVIRONMENTS / f"{program.name}.log"
        command = [python, "-m", "tests.programs.drive", program.name, place, out]
        env = clean(home) | {"PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1,localhost"}
        env |= {"KENSAKU_PROGRAMS": str(program.checkout.parent)} if program.checkout else {}
        with log.open("w") as errors:
            try:
                subprocess.run(command, env=env, cwd=home, stderr=errors, timeout=program.timeout)
            except subprocess.TimeoutExpired:
                print(f"  not done after {program.timeout:.0f} s")
        checks = json.loads(out.read_text()) if out.exists() else {}
    missing = {name: "it did not run" for name in program.checks if name not in checks}
    if missing or set(checks.values()) != {"ok"}:
        print(f"  see {log.relative_to(ROOT)}")
    return checks | missing


def version(program: Program, python: Path) -> str:
    """Return the version that ran."""
    if program.by == "npm":
        package = program.environment / "node_modules" / program.package / "package.json"
        return str(json.loads(package.read_text())["version"])
    if program.checkout:
        command = ["git", "-C", program.checkout, "log", "-1", "--format=%h of %cs"]
    else:
        code = f"import importlib.metadata as m; print(m.version({program.package!r}))"
        command = [python, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
