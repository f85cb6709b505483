"""Test the tests where a mistake is dangerous: change the source and see whether a test notices.

    python scripts/mutants                                every place of the modules in STRICT
    python scripts/mutants --only guard,fence             … of these
    python scripts/mutants --only text,index -n 50 --seed 7 -j 4
    python scripts/mutants --again                        those that survived the last run

    source → changes.py → places → selection.py: the tests that run them → verdict.py: caught?

The tests run in copies of the tree, never in the tree itself. Exit status 1 when a change of a
module in STRICT is not caught. Changes that make no difference, each with the reason, are in
`equivalent.toml` and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from mutant import Mutant, mutants
from selection import Measured, measure, tests_of
from tree import CACHE, PACKAGE, ROOT, Tree
from verdict import Judge, Verdict

SURVIVORS = CACHE / "survivors.json"
# The names for --only. In these modules every change must be caught.
STRICT = {
    "guard": ["transport/guard.py"],
    "fence": ["text/fence.py"],
    "secrets": ["config/secret.py", "providers/_classify.py", "text/redact.py"],
    "cache": ["search/cache.py", "_single_flight.py"],
    "route": ["search/route.py"],
    "retry": ["search/retry.py"],
    "budget": ["search/budget.py"],
    "keys": ["database/keys.py", "database/key_cache.py", "server/auth.py"],
    "tenants": ["index/namespace.py"],
}


def verdicts_on(chosen: list[Mutant], measured: Measured, jobs: int) -> list[Verdict]:
    """Try all of them. Print those that survive as they are found."""
    judge = Judge({n: t["seconds"] for tests in measured.values() for n, t in tests.items()})
    trees: queue.Queue[Tree] = queue.Queue()
    for n in range(jobs):
        trees.put(Tree(f"tree-{os.getpid()}-{n}"))

    def verdict_on(mutant: Mutant) -> Verdict:
        tests, covered = tests_of(mutant.file, mutant.change, measured)
        tree = trees.get()
        try:
            if judge.catches(mutant, tree, tests):
                return Verdict.CAUGHT
        finally:
            trees.put(tree)
        verdict = Verdict.SURVIVED if covered else Verdict.UNCOVERED
        print(mutant, f"  {verdict} ({len(tests)} tests)", sep="\n", flush=True)
        return verdict

    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(jobs) as pool:
        for verdict in pool.map(verdict_on, chosen):
            verdicts.append(verdict)
            if len(verdicts) % 25 == 0:
                print(f"{len(verdicts)} tried", file=sys.stderr, flush=True)
    for tree in trees.queue:
        tree.remove()
    return verdicts


def report(chosen: list[Mutant], verdicts: list[Verdict]) -> bool:
    """Print how many were caught; whether all were where they must be."""
    strict = {file for files in STRICT.values() for file in files}
    survivors = [m for m, v in zip(chosen, verdicts, strict=True) if v is not Verdict.CAUGHT]
    SURVIVORS.write_text(json.dumps([m.key for m in survivors]))

    def group(mutant: Mutant) -> str:
        return mutant.file if mutant.file in strict else mutant.file.rpartition("/")[0] or "."

    missed = Counter(map(group, survivors))
    for name, count in sorted(Counter(map(group, chosen)).items()):
        print(f"{count - missed[name]:5} of {count:4}  {name}")
    caught = len(chosen) - len(survivors)
    share = f"in all: {caught / max(1, len(chosen)):.1%}"
    print(f"{caught:5} of {len(chosen):4}  {share}, {verdicts.count(Verdict.UNCOVERED)} uncovered")
    return not strict & {m.file for m in survivors}


def _chosen(given: argparse.Namespace) -> list[Mutant]:
    given_names = list(filter(None, given.only.split(","))) or list(STRICT)
    names = [path for name in given_names for path in STRICT.get(name, [name])]
    wanted = [ROOT / PACKAGE / name for name in names]
    paths = sorted(p for w in wanted for p in (w.rglob("*.py") if w.is_dir() else [w]))
    every = mutants([p.relative_to(ROOT / PACKAGE).as_posix() for p in paths])
    if given.again:
        keys = json.loads(SURVIVORS.read_text())
        return [m for m in every if m.key in keys]
    random.Random(given.seed).shuffle(every)
    chosen = every[given.skip : given.skip + (given.n or len(every))]
    print(f"{len(chosen)} of {len(every)} places, seed {given.seed}", flush=True)
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help=f"{', '.join(STRICT)}, or paths in src/kensaku")
    parser.add_argument("-n", type=int, help="how many places (all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first of the sample")
    parser.add_argument("--again", action="store_true", help="those that survived the last run")
    parser.add_argument("-j", type=int, default=2, help="how many at a time")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="tests to use")
    given = parser.parse_args()
    chosen = _chosen(given)
    measured = measure(given.tests, given.j)
    return 0 if report(chosen, verdicts_on(chosen, measured, given.j)) else 1


if __name__ == "__main__":
    sys.exit(main())
