"""Test the tests: change the source at random places and see whether a test notices.

    python scripts/mutants                                200 places all over src, seed 1
    python scripts/mutants --only guard,fence             every place in these modules
    python scripts/mutants --only text,index -n 50 --seed 7 -j 4

    source → changes.py → 200 of them → selection.py: the tests that run them → tree.py: caught?

The tests run in copies of the tree, never in the tree itself. Exit status 1 when fewer are caught
than the floor says. Changes that make no difference, each with the reason, are in
`equivalent.toml` and left out of the share.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import sys
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from changes import Change, changes
from selection import Measured, measure, tests_of
from tree import PACKAGE, ROOT, Tree

FLOOR = 0.90
SECONDS_PER_TEST, SECONDS_PER_RUN = 90, 1_200  # after that it hangs, and is caught
NEAREST = 40  # tests that are tried first: most changes are caught by one of them
# The names for --only. In these modules every change must be caught.
STRICT = {
    "guard": ["fetch/guard.py"],
    "fence": ["tools/fence.py"],
    "secrets": ["config/secret.py", "providers/_classify.py", "text/redact.py"],
    "cache": ["search/cache.py"],
    "route": ["search/route.py", "search/retry.py"],
}


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
        lines = zip(self.before.splitlines(), self.after.splitlines(), strict=False)
        old, new = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
        return old.strip(), new.strip()

    def __str__(self) -> str:
        old, new = self.diff
        where = f"{PACKAGE}/{self.file}:{self.change.line}"
        return f"{where} [{self.change.operator}]\n  - {old}\n  + {new}"


def mutants(files: list[str]) -> list[Mutant]:
    """Every change to these files that is not known to make no difference."""
    path = Path(__file__).with_name("equivalent.toml")
    known = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    equivalent = {(k["file"], k["before"], k["after"]) for k in known}
    found = []
    for file in files:
        text = (ROOT / PACKAGE / file).read_text(encoding="utf-8")
        made = [Mutant(file, change, text, change.apply(text)) for change in changes(text)]
        found += [m for m in made if (file, *m.diff) not in equivalent]
    return found


def is_caught(mutant: Mutant, tree: Tree, tests: list[str]) -> bool:
    """Make the change in a copy, run the tests until one fails, and take it back."""
    tree.write(mutant.file, mutant.after)
    try:
        return any(_fails(tree, part) for part in (tests[:NEAREST], tests[NEAREST:]) if part)
    finally:
        tree.write(mutant.file, mutant.before)


def _fails(tree: Tree, tests: list[str]) -> bool:
    (tree.path / "chosen.json").write_text(json.dumps(tests))
    files = list(dict.fromkeys(t.partition("::")[0] for t in tests))
    options = [
        *("-x", "-p", "no:cacheprovider"),
        *("-o", f"faulthandler_timeout={SECONDS_PER_TEST}"),
        *("-o", "faulthandler_exit_on_timeout=true"),
    ]
    status = tree.pytest(*options, *files, seconds=SECONDS_PER_RUN)
    return status not in (0, 5)  # 5: nothing was collected


def survivors_of(chosen: list[Mutant], measured: Measured, jobs: int) -> list[Mutant]:
    """Try all of them. Print those that survive as they are found, and return them."""
    trees: queue.Queue[Tree] = queue.Queue()
    for n in range(jobs):
        trees.put(Tree(f"tree-{os.getpid()}-{n}"))

    usual = tests_of(chosen[0].file, chosen[0].change.function, measured) if chosen else []
    if any(_fails(tree, usual[:NEAREST]) for tree in trees.queue):
        sys.exit("the tests fail without any change")

    def survives(mutant: Mutant) -> bool:
        tests = tests_of(mutant.file, mutant.change.function, measured)
        tree = trees.get()
        try:
            caught = is_caught(mutant, tree, tests)
        finally:
            trees.put(tree)
        if not caught:
            print(mutant, f"  ({len(tests)} tests)", sep="\n", flush=True)
        return not caught

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(survives, chosen))
    for tree in trees.queue:
        tree.remove()
    return [m for m, alive in zip(chosen, results, strict=True) if alive]


def report(chosen: list[Mutant], survivors: list[Mutant]) -> bool:
    """Print the share that was caught; whether it reaches the floor."""
    strict = {file for files in STRICT.values() for file in files}

    def group(mutant: Mutant) -> str:
        return mutant.file if mutant.file in strict else mutant.file.rpartition("/")[0] or "."

    missed = Counter(map(group, survivors))
    for name, count in sorted(Counter(map(group, chosen)).items()):
        print(f"{count - missed[name]:5} of {count:4}  {name}")
    caught = len(chosen) - len(survivors)
    print(f"{caught:5} of {len(chosen):4}  in all: {caught / max(1, len(chosen)):.1%}")
    return caught >= FLOOR * len(chosen) and not strict & {m.file for m in survivors}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help=f"{', '.join(STRICT)}, or paths in src/kensaku")
    parser.add_argument("-n", type=int, help="how many places (200, or all with --only)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first of the sample")
    parser.add_argument("-j", type=int, default=2, help="how many at a time")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="tests to use")
    given = parser.parse_args()
    names = [p for name in filter(None, given.only.split(",")) for p in STRICT.get(name, [name])]
    wanted = [ROOT / PACKAGE / name for name in names or ["."]]
    paths = sorted(p for w in wanted for p in (w.rglob("*.py") if w.is_dir() else [w]))
    every = mutants([p.relative_to(ROOT / PACKAGE).as_posix() for p in paths])
    random.Random(given.seed).shuffle(every)
    count = given.n or (len(every) if names else 200)
    chosen = every[given.skip : given.skip + count]
    print(f"{len(chosen)} of {len(every)} places, seed {given.seed}", flush=True)
    measured = measure(given.tests, given.j)
    return 0 if report(chosen, survivors_of(chosen, measured, given.j)) else 1


if __name__ == "__main__":
    sys.exit(main())
