"""Install Kensaku beside what each author has installed, and run it in his program.

    make test-authors                          all of them
    make test-authors args=grace               one of them
    KENSAKU_AUTHORS=~/clones make test-authors …  in their programs as well, from clones in a folder

Environments are kept in .venv-authors/ until the wheel or the row changes. A clone is copied, and
the copy is what runs: nothing is written into the folder. Only package indexes are asked for
anything.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.authors.rows import AUTHORS, Author  # noqa: E402
from tests.environments import UV, Checks, build_wheels, run_pytest  # noqa: E402

HERE = Path(__file__).parent
HOME = ROOT / ".venv-authors"
# Nobody listens there: an author's tests may ask the web, and here only this machine is asked.
NO_WEB = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"),
    **dict.fromkeys(("TAVILY_BASE_URL", "DUCKDUCKGO_BASE_URL"), "http://127.0.0.1:9"),
    "NO_PROXY": "127.0.0.1,localhost",
}
TIMEOUT = 1_800


def main(names: list[str]) -> int:
    """Run these authors, or all; print a line for each thing that ran."""
    known = [author.name for author in AUTHORS]
    if unknown := [n for n in names if n not in known]:
        print(f"there is no author {unknown[0]!r}; choose from {', '.join(known)}")
        return 2
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    (wheel,) = build_wheels(HOME / "dist").glob("*.whl")
    good = [met(a, wheel) for a in AUTHORS if a.name in (names or known)]
    return int(not all(good))


def met(author: Author, wheel: Path) -> bool:
    """Whether everything that can run here for an author passes."""
    if author.needs and subprocess.run(author.needs, shell=True, capture_output=True).returncode:
        print(f"{author.name}: skipped, here this does not work: {author.needs}", flush=True)
        return True
    try:
        python = install(HOME / author.name, author.line, wheel)
    except subprocess.CalledProcessError as error:
        print(f"{author.name}: cannot be installed: {(error.stderr or '').strip()[-1_500:]}")
        return False
    good = True
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        if author.tests:
            good &= said(author, "ours", ours(author, python, home))
        clone = copy(author, home / "clone")
        if clone is None and not author.published:
            print(f"{author.name}: skipped, no clone of {author.repository} in KENSAKU_AUTHORS")
            return good
        if (HERE / author.name / "drive.py").exists():
            good &= said(author, "drive", drive(author, python, home, clone))
        if clone and author.theirs and not runs(python, author.theirs_need):
            print(f"{author.name}: his tests are skipped, this fails: {author.theirs_need}")
        elif clone and author.theirs:
            good &= said(author, "theirs", theirs(author, python, home, clone), author.differs)
    return good


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


def runs(python: Path, code: str) -> bool:
    """Whether this code runs in the environment."""
    return not subprocess.run([python, "-c", code], capture_output=True).returncode


def copy(author: Author, to: Path) -> Path | None:
    """Return a copy of the author's clone, without its history; None where there is no clone."""
    clones = os.environ.get("KENSAKU_AUTHORS", "")
    clone = Path(clones).expanduser() / author.repository.partition("/")[2]
    if not clones or not clone.is_dir():
        return None
    return Path(shutil.copytree(clone, to, ignore=shutil.ignore_patterns(".git", "node_modules")))


def environment(home: Path, *paths: Path, **more: str) -> dict[str, str]:
    """The variables of a machine with an empty home and no keys."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "KENSAKU_HOME": str(home / "kensaku"),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONWARNINGS": "ignore",
        **more,
    }


def ours(author: Author, python: Path, home: Path) -> Checks:
    """Our own tests; `kensaku` is the wheel's, for `src` is not on the path."""
    tests = [f"tests/{path}" for path in author.tests]
    return run_pytest(python, tests, env=environment(home, ROOT), cwd=ROOT, timeout=TIMEOUT)


def drive(author: Author, python: Path, home: Path, clone: Path | None) -> Checks:
    """The driver, where the author's program runs: in his folder, his modules on the path."""
    where = clone or home
    options = ["-c", ROOT / "pyproject.toml", "--rootdir", ROOT, HERE / author.name / "drive.py"]
    paths = [ROOT, *(where / path for path in author.paths)]
    env = environment(home, *paths, AUTHORS_CLONE=str(clone or ""))
    return run_pytest(python, options, env=env, cwd=where, timeout=TIMEOUT)


def theirs(author: Author, python: Path, home: Path, clone: Path) -> Checks:
    """His tests, by his settings of pytest, with our surface in the place of his."""
    # His package of tests has the name of ours, so the plug-in is a module of its own.
    options = ["-p", "swap", *author.theirs]
    paths = [HERE / author.name, *(clone / path for path in author.paths)]
    env = environment(home, *paths, **NO_WEB)
    env["KENSAKU_AUTHORS"] = os.environ["KENSAKU_AUTHORS"]
    return run_pytest(python, options, env=env, cwd=clone, timeout=TIMEOUT)


def said(author: Author, what: str, checks: Checks, differs: dict[str, str] | None = None) -> bool:
    """Print how many passed; say whether all did that should."""
    bad = {name: why for name, why in checks.items() if why not in ("ok", "skipped")}
    known = {
        name: why for end, why in (differs or {}).items() for name in bad if name.endswith(end)
    }
    passed = sum(why == "ok" for why in checks.values())
    print(f"{author.name}: {what} {passed} of {len(checks)}", flush=True)
    for name in bad:
        print(f"  {'differs' if name in known else 'FAILED'}: {name}: {known.get(name, bad[name])}")
    return bool(passed) and not bad.keys() - known.keys()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
