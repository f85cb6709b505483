"""Test the tests: change the source at random places and see whether a test notices.

    python scripts/mutants.py                             200 places all over src, seed 1
    python scripts/mutants.py --only guard,fence          every place in these modules
    python scripts/mutants.py --only src/kensaku/text -n 50 --seed 7 -j 4

The tests run in copies of the tree, each with an environment of its own (so that processes which
tests start use the copy, too). Which tests run a function is measured once, by coverage, and kept
in `.mutants/`; a test file that has changed since is measured again. Code that runs only in worker
processes, which coverage does not see, is tested by the tests of its folder.

Exit status 1 when fewer are caught than the floor says. Changes that make no difference, each
with the reason, are in `equivalent_mutants.toml` and left out of the share.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutate import Change, changes, functions

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/kensaku")
CACHE = ROOT / ".mutants"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
LEFT_OUT = (".git", ".venv*", ".mutants", ".*_cache", "__pycache__", "site", "results")
FLOOR = 0.90
SECONDS_PER_TEST, SECONDS_PER_RUN = 90, 1_200  # then it hangs: caught
MOST_TESTS = 300  # for one change; the nearest first, so that the share is a lower bound
# Where every change must be caught, and the names for --only.
STRICT = {
    "guard": ["fetch/guard.py"],
    "fence": ["tools/fence.py"],
    "secrets": ["config/secret.py", "providers/_classify.py"],
    "cache": ["search/cache.py"],
    "route": ["search/route.py", "search/retry.py"],
}
# Run together with everything, or slow, and about the project rather than about the code.
SKIPPED = ("tests/typing/", "tests/test_project.py", "tests/adapters/others/")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to one file."""

    file: str  # relative to the package
    change: Change
    before: str
    after: str

    @property
    def diff(self) -> tuple[str, str]:
        """The first line that differs, before and after."""
        pairs = difflib.ndiff(self.before.splitlines(), self.after.splitlines())
        lines = [line for line in pairs if line[0] in "-+"]
        old = next((line[2:].strip() for line in lines if line[0] == "-"), "")
        return old, next((line[2:].strip() for line in lines if line[0] == "+"), "")


class Tree:
    """A copy of the project, and an environment in which `kensaku` is that copy."""

    def __init__(self, name: str) -> None:
        self.path = CACHE / name
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(ROOT, self.path, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        venv.create(self.path / ".venv", symlinks=True)
        bin_, here = self.path / ".venv" / "bin", Path(sys.executable).parent
        self.python = bin_ / Path(sys.executable).name
        packages = sysconfig.get_path("purelib")
        paths = sysconfig.get_path("purelib", vars={"base": str(self.path / ".venv")})
        lines = [str(self.path / "src"), packages, f"import site; site.addsitedir({packages!r})"]
        (Path(paths) / "copy.pth").write_text("\n".join(lines), encoding="utf-8")
        script = (here / "kensaku").read_text(encoding="utf-8")
        (bin_ / "kensaku").write_text(script.replace(sys.executable, str(self.python)))
        (bin_ / "kensaku").chmod(0o755)

    def write(self, file: str, text: str) -> None:
        """Replace a file of the package. Compiled files of the same second would look current."""
        path = self.path / PACKAGE / file
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink(missing_ok=True)

    def pytest(self, *arguments: str, seconds: float | None, **environment: str) -> int | None:
        """Run pytest in the copy; its exit status, or None when it took too long."""
        env = {**os.environ, **environment, "PYTHONPATH": str(self.path / "scripts")}
        command = [str(self.python), "-m", "pytest", "-p", "mutants", *arguments]
        process = subprocess.Popen(
            command, cwd=self.path, env=env, start_new_session=True,
            stdout=None if seconds is None else subprocess.DEVNULL, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and what its tests have left behind
            process.wait()


# --- in pytest: this file is its plugin


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Run the chosen tests only, in their order."""
    if chosen := os.environ.get("MUTANTS_CHOSEN"):
        order = {name: n for n, name in enumerate(json.loads(Path(chosen).read_text()))}
        items[:] = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])


_passed: list[str] = []


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" and report.passed:
        _passed.append(report.nodeid)


def pytest_sessionfinish(session: Any) -> None:
    """Write down which tests pass without any change; the others can prove nothing."""
    if (file := os.environ.get("MUTANTS_PASSED")) and not hasattr(session.config, "workerinput"):
        Path(file).write_text(json.dumps(_passed))


# --- which tests run which function


def measure(files: list[str], jobs: int) -> dict[str, Any]:
    """Test file → its digest and, for each of its tests that passes, the functions it runs."""
    known: dict[str, Any] = {}
    if (CACHE / "tests.json").exists():
        known = json.loads((CACHE / "tests.json").read_text())
    digests = {f: hashlib.sha256((ROOT / f).read_bytes()).hexdigest() for f in files}
    new = [f for f in files if known.get(f, {}).get("digest") != digests[f]]
    if new:
        print(f"measuring {len(new)} test files …", flush=True)
        ran = _run_with_coverage(Tree("measured"), new, jobs)
        known |= {f: {"digest": digests[f], "tests": ran.get(f, {})} for f in new}
        (CACHE / "tests.json").write_text(json.dumps(known))
    return {f: known[f]["tests"] for f in files}


def _run_with_coverage(tree: Tree, files: list[str], jobs: int) -> dict[str, dict[str, list[str]]]:
    from coverage import CoverageData

    passed = tree.path / "passed.json"
    options = ["-n", str(jobs), "--cov", str(PACKAGE), "--cov-context=test", "--cov-report="]
    tree.pytest(*options, *files, seconds=None, MUTANTS_PASSED=str(passed), COVERAGE_CORE="ctrace")
    ran: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for name in json.loads(passed.read_text()):
        ran[name.partition("::")[0]][name] = set()
    data = CoverageData(str(tree.path / ".coverage"))
    data.read()
    for path in data.measured_files():
        file = Path(path).relative_to(tree.path / PACKAGE).as_posix()
        names = functions(Path(path).read_text(encoding="utf-8"))
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in contexts:
                test = context.rpartition("|")[0]
                if line in names and test in ran.get(test.partition("::")[0], ()):
                    ran[test.partition("::")[0]][test].add(f"{file}:{names[line]}")
    return {f: {t: sorted(places) for t, places in tests.items()} for f, tests in ran.items()}


def tests_of(mutant: Mutant, measured: dict[str, Any]) -> list[str]:
    """The tests that run the changed code: those of the same file or folder first.

    A table of a module is tested by whatever runs a function of it, and what coverage does not see
    by its folder.
    """
    place = f"{mutant.file}:{mutant.change.function}"
    exact = mutant.change.function != ""
    module = Path("tests") / mutant.file
    own = str(module.with_name(f"test_{module.name.lstrip('_')}"))
    found: list[tuple[int, int, str]] = []
    for file, tests in measured.items():
        near = 0 if file == own else 1 if Path(file).parent == module.parent else 2
        for name, places in tests.items():
            ran = place in places if exact else any(p.startswith(place) for p in places)
            if ran or file == own:
                found.append((near, len(places), name))  # the most special ones first
    if not any(near or place in measured[own][name] for near, _, name in found):
        folder = f"tests/{mutant.file.rpartition('/')[0]}/"
        near_by = [n for f, tests in measured.items() if f.startswith(folder) for n in tests]
        found += [(3, 0, name) for name in near_by]
    return list(dict.fromkeys(name for *_, name in sorted(found)))[:MOST_TESTS]


# --- the run


def mutants(files: list[str]) -> list[Mutant]:
    """Every change to these files that is not known to make no difference."""
    known = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"]
    skip = {(k["file"], k["before"], k["after"]) for k in known}
    found = []
    for file in files:
        text = (ROOT / PACKAGE / file).read_text(encoding="utf-8")
        for change in changes(text):
            mutant = Mutant(file, change, text, change.apply(text))
            if (file, *mutant.diff) not in skip:
                found.append(mutant)
    return found


def is_caught(mutant: Mutant, tree: Tree, tests: list[str]) -> bool:
    """Make the change in a copy, run the tests until one fails, and take it back."""
    if not tests:
        return False
    chosen = tree.path / "chosen.json"
    chosen.write_text(json.dumps(tests))
    files = list(dict.fromkeys(t.partition("::")[0] for t in tests))
    options = ["-x", "-p", "no:cacheprovider", "-p", "no:randomly",
               "-o", f"faulthandler_timeout={SECONDS_PER_TEST}",
               "-o", "faulthandler_exit_on_timeout=true"]  # fmt: skip
    tree.write(mutant.file, mutant.after)
    try:
        status = tree.pytest(*options, *files, seconds=SECONDS_PER_RUN, MUTANTS_CHOSEN=str(chosen))
    finally:
        tree.write(mutant.file, mutant.before)
    return status not in (0, 5)  # 5: nothing was collected


def run(chosen: list[Mutant], measured: dict[str, Any], jobs: int) -> list[Mutant]:
    """Try all of them; print the survivors as they are found, and return them."""
    trees: queue.Queue[Tree] = queue.Queue()
    for n in range(jobs):
        trees.put(Tree(f"tree-{n}"))

    def attempt(mutant: Mutant) -> bool:
        tree, tests = trees.get(), tests_of(mutant, measured)
        try:
            caught = is_caught(mutant, tree, tests)
        finally:
            trees.put(tree)
        if not caught:
            old, new = mutant.diff
            where = f"{PACKAGE}/{mutant.file}:{mutant.change.line}"
            print(
                f"{where} [{mutant.change.operator}; {len(tests)} tests]\n  - {old}\n  + {new}",
                flush=True,
            )
        return caught

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(attempt, chosen))
    return [m for m, caught in zip(chosen, results, strict=True) if not caught]


def report(chosen: list[Mutant], survivors: list[Mutant]) -> bool:
    """Print the share that was caught; whether it reaches the floor."""
    strict = {f for files in STRICT.values() for f in files}
    folders = [m.file if m.file in strict else m.file.rpartition("/")[0] or "." for m in chosen]
    missed = Counter(f for f, m in zip(folders, chosen, strict=True) if m in survivors)
    for folder, count in sorted(Counter(folders).items()):
        print(f"{count - missed[folder]:5} of {count:4}  {folder}")
    caught = len(chosen) - len(survivors)
    print(f"{caught:5} of {len(chosen):4}  in all: {caught / max(1, len(chosen)):.1%}")
    return caught >= FLOOR * len(chosen) and not strict & {m.file for m in survivors}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", default="", help=f"{', '.join(STRICT)}, or paths; all their places"
    )
    parser.add_argument("-n", type=int, help="how many places (200, or all with --only)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first of the sample")
    parser.add_argument("-j", type=int, default=2, help="how many at a time")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="folders of tests to use")
    given = parser.parse_args()
    names = [p for name in filter(None, given.only.split(",")) for p in STRICT.get(name, [name])]
    wanted = [ROOT / PACKAGE / n.removeprefix(f"{PACKAGE}/") for n in names] or [ROOT / PACKAGE]
    paths = sorted(p for w in wanted for p in (w.rglob("*.py") if w.is_dir() else [w]))
    every = mutants([p.relative_to(ROOT / PACKAGE).as_posix() for p in paths])
    count = given.n or (len(every) if names else 200)
    random.Random(given.seed).shuffle(every)
    chosen = every[given.skip : given.skip + count]
    print(f"{len(chosen)} of {len(every)} places, seed {given.seed}", flush=True)
    tests = sorted(
        f.relative_to(ROOT).as_posix()
        for folder in given.tests
        for f in ([ROOT / folder] if folder.endswith(".py") else (ROOT / folder).rglob("test_*.py"))
    )
    measured = measure([t for t in tests if not t.startswith(SKIPPED)], given.j)
    return 0 if report(chosen, run(chosen, measured, given.j)) else 1


if __name__ == "__main__":
    sys.exit(main())
