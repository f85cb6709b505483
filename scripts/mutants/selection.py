"""Which tests run which function: measured once, kept in `.mutants/measured.json`.

    test file → digest, {test → seconds, CPU seconds, ["search/cache.py:Cache.fresh", …]}

Functions rather than lines: what was measured holds while lines move. Only a test file that has
changed is measured again, so a second run starts at once; and those of a folder when a module is
added to it, which the tests of its table then run, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import defaultdict
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, TypedDict

from changes import Change
from readers import readers
from tree import CACHE, PACKAGE, ROOT, Tree

# For one change. The nearest and fastest first, so that the share is a lower bound. The seconds are
# those of the CPU, which are the same on a busy machine.
MOST_TESTS, MOST_SECONDS = 600, 30
# About the project as a whole, or run elsewhere.
SKIPPED = ("tests/typing/", "tests/test_project.py", "tests/adapters/others/")


class Test(TypedDict):
    """A test that passes without any change."""

    seconds: float
    cpu: float
    places: list[str]  # the functions that it runs, in its own process and in children


Measured = dict[str, dict[str, Test]]  # test file → test


def measure(folders: list[str], jobs: int) -> Measured:
    """The functions that each passing test of these folders runs."""
    store = CACHE / "measured.json"
    known: dict[str, Any] = json.loads(store.read_text()) if store.exists() else {}
    files = [f for folder in folders for f in _test_files(folder)]
    digests = {f: _digest(f) for f in files}
    new = [f for f in files if known.get(f, {}).get("digest") != digests[f]]
    if new:
        print(f"measuring {len(new)} test files …", flush=True)
        tree = Tree(f"measured-{os.getpid()}")
        # A folder at a time: when the run is interrupted, what was measured is kept.
        for _, folder in groupby(new, key=lambda f: Path(f).parent.parts[:2]):
            part = list(folder)
            ran = _run_traced(tree, part, jobs)
            known |= {f: {"digest": digests[f], "tests": ran.get(f, {})} for f in part}
            store.write_text(json.dumps(known))
        tree.remove()
    return {f: known[f]["tests"] for f in files}


def _digest(file: str) -> str:
    whole = hashlib.sha256((ROOT / file).read_bytes())
    folder = ROOT / PACKAGE / Path(file).parts[1]  # of a test at the top there is none
    whole.update(" ".join(sorted(path.name for path in folder.rglob("*.py"))).encode())
    return whole.hexdigest()


def _test_files(folder: str) -> list[str]:
    path = ROOT / folder
    found = [path] if path.is_file() else sorted(path.rglob("test_*.py"))
    names = [f.relative_to(ROOT).as_posix() for f in found]
    return [n for n in names if not n.startswith(SKIPPED)]


def _run_traced(tree: Tree, files: list[str], jobs: int) -> Measured:
    passed = tree.path / "passed.json"
    folder = tree.trace()
    tree.measure("-n", str(jobs), *files, MUTANTS_PASSED=str(passed))
    places: dict[str, set[str]] = defaultdict(set)
    cpu: dict[str, float] = defaultdict(float)
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # cut off: the process was killed
                name, ran, used = json.loads(line)
                places[name] |= set(map(_function, ran))
                cpu[name] += used
    found: Measured = defaultdict(dict)
    for name, seconds in json.loads(passed.read_text()).items():
        found[name.partition("::")[0]][name] = Test(
            seconds=round(seconds, 3), cpu=round(cpu[name], 3), places=sorted(places[name])
        )
    return found


def _function(place: str) -> str:
    """`f.py:C.m.<locals>.g.<locals>.<lambda>` → `f.py:C.m.g`, as `places.functions` names it."""
    return re.sub(r"\.<\w+>", "", place)


def tests_of(file: str, change: Change, measured: Measured) -> tuple[list[str], bool]:
    """The tests that may notice a change, those of its file and folders first; are there any?

    In a function: the tests that run it. Outside, in a table or a class: those that run a function
    which reads the name, and of these first those that run anything of the module: an attribute
    has the name of many others. When there are none, the folder's tests are tried.
    """
    module = Path("tests") / file
    own = str(module.with_name(f"test_{module.name.lstrip('_')}"))
    above = {module.parent, *module.parent.parents} - {Path("tests"), Path()}
    places = {f"{file}:{change.function}"} if change.function else readers(file, change.name)
    found: list[tuple[int, float, int, str]] = []
    covered = False
    for test_file, tests in measured.items():
        near = 0 if test_file == own else 1 if Path(test_file).parent in above else 2
        # Tables are written out in the documentation, which is compared with them.
        documents = not change.function and test_file.endswith("test_docs.py")
        for name, test in tests.items():
            runs = not places.isdisjoint(test["places"])
            covered |= runs
            if runs:
                touches = change.function or any(p.startswith(f"{file}:") for p in test["places"])
                rank = near if touches else near + 3
            elif not near:  # its own file: a table is tested there without its readers
                rank = 1
            elif documents:
                rank = 3
            else:
                continue
            found.append((rank, round(test["cpu"], 1), len(test["places"]), name))
    if not covered:
        found += [(6, 0, 0, name) for name in _near_by(module.parent, measured)]
    cpu = {n: t["cpu"] for tests in measured.values() for n, t in tests.items()}
    return _affordable(dict.fromkeys(name for *_, name in sorted(found)), cpu), covered


def _affordable(names: dict[str, None], cpu: dict[str, float]) -> list[str]:
    chosen: list[str] = []
    total = 0.0
    for name in names:
        if total + cpu[name] > MOST_SECONDS and chosen:
            continue  # a faster one may follow
        total += cpu[name]
        chosen.append(name)
    return chosen[:MOST_TESTS]


def _near_by(folder: Path, measured: Measured) -> list[str]:
    """The tests of a folder, or of the nearest one above it that has any."""
    inside = f"{folder.as_posix()}/"
    found = [n for f, tests in measured.items() if f.startswith(inside) for n in tests]
    return found if found or folder == folder.parent else _near_by(folder.parent, measured)
