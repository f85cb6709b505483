"""Which tests run which function: measured by coverage, kept in `.mutants/tests.json`.

    test file → digest, {test → ["search/cache.py:Cache.fresh", …]}

Functions rather than lines: what was measured holds while lines move. A test file that has
changed is measured again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

from changes import functions
from tree import CACHE, PACKAGE, ROOT, Tree

MOST_TESTS = 300  # for one change; the nearest first, so that the share is a lower bound
# About the project as a whole, or run elsewhere.
SKIPPED = ("tests/typing/", "tests/test_project.py", "tests/adapters/others/")
IN_WORKERS = ("extract/", "index/")  # run by processes of their own, most of the time

Measured = dict[str, dict[str, list[str]]]  # test file → test → the functions that it runs


def measure(folders: list[str], jobs: int) -> Measured:
    """The functions that each passing test of these folders runs."""
    store = CACHE / "tests.json"
    known: dict[str, Any] = json.loads(store.read_text()) if store.exists() else {}
    files = [f for folder in folders for f in _test_files(folder)]
    digests = {f: hashlib.sha256((ROOT / f).read_bytes()).hexdigest() for f in files}
    new = [f for f in files if known.get(f, {}).get("digest") != digests[f]]
    if new:
        print(f"measuring {len(new)} test files …", flush=True)
        tree = Tree(f"measured-{os.getpid()}")
        ran = _run_with_coverage(tree, new, jobs)
        tree.remove()
        known |= {f: {"digest": digests[f], "tests": ran.get(f, {})} for f in new}
        store.write_text(json.dumps(known))
    return {f: known[f]["tests"] for f in files}


def _test_files(folder: str) -> list[str]:
    path = ROOT / folder
    found = [path] if path.is_file() else sorted(path.rglob("test_*.py"))
    names = [f.relative_to(ROOT).as_posix() for f in found]
    return [n for n in names if not n.startswith(SKIPPED)]


def _run_with_coverage(tree: Tree, files: list[str], jobs: int) -> Measured:
    from coverage import CoverageData

    passed = tree.path / "passed.json"
    options = ["-n", str(jobs), "--cov", str(PACKAGE), "--cov-context=test", "--cov-report="]
    tree.measure(*options, *files, MUTANTS_PASSED=str(passed), COVERAGE_CORE="ctrace")
    ran: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for name in json.loads(passed.read_text()):  # what fails without a change proves nothing
        ran[name.partition("::")[0]][name] = set()
    data = CoverageData(str(tree.path / ".coverage"))
    data.read()
    for path in data.measured_files():
        file = Path(path).relative_to(tree.path / PACKAGE).as_posix()
        names = functions(Path(path).read_text(encoding="utf-8"))
        for line, contexts in data.contexts_by_lineno(path).items():
            for test in {context.rpartition("|")[0] for context in contexts}:
                tests = ran.get(test.partition("::")[0], {})
                if line in names and test in tests:
                    tests[test].add(f"{file}:{names[line]}")
    return {f: {t: sorted(places) for t, places in tests.items()} for f, tests in ran.items()}


def tests_of(file: str, function: str, measured: Measured) -> list[str]:
    """The tests that run a function: those of the same file or folder first, special ones first.

    Coverage sees neither who reads a table or a class attribute nor what worker processes run: for
    these, whatever runs a function of the module counts, and then the other tests of its folder.
    """
    place, module = f"{file}:{function}", Path("tests") / file
    own = str(module.with_name(f"test_{module.name.lstrip('_')}"))
    found: list[tuple[int, int, str]] = []
    seen = False
    for test_file, tests in measured.items():
        near = 0 if test_file == own else 1 if Path(test_file).parent == module.parent else 2
        for name, places in tests.items():
            ran = place in places if function else any(p.startswith(place) for p in places)
            seen |= ran
            if ran or not near:
                found.append((near, len(places), name))
    if not seen or not function or file.startswith(IN_WORKERS):
        found += [(3, 0, name) for name in _near_by(module.parent, measured)]
    return list(dict.fromkeys(name for *_, name in sorted(found)))[:MOST_TESTS]


def _near_by(folder: Path, measured: Measured) -> list[str]:
    """The tests of a folder, or of the nearest one above it that has any."""
    inside = f"{folder.as_posix()}/"
    found = [n for f, tests in measured.items() if f.startswith(inside) for n in tests]
    return found if found or folder == folder.parent else _near_by(folder.parent, measured)
