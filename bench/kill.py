"""Kill the assistant's process with −9 at random moments of a run, and let the next one finish it.

    python bench/kill.py [--times 50] [--seed 1]

Each run asks three questions side by side, at an upstream on loopback that counts. A first run
without a kill says how long one takes; the moments are spread evenly over that time. A search
counts as paid twice when it was sent twice, also if its reply never arrived. One that was in flight
is not sent again: the run searches on in other words, as after a search that failed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.assistant.killing import FACTS, Killing, Trial, killing


def run_length(trials: Killing) -> float:
    """Return the seconds that a run takes in a process that is warm."""
    for number in range(4):
        trials.run(number)
    return min(trials.lengths[1:])


def was_killed(trial: Trial) -> bool:
    """Whether the signal came before the run had ended."""
    return not trial.last.startswith("end")


def main() -> int:
    """Print a line for each kill, and the sum. Exit status 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice, done = random.Random(options.seed), []
    with tempfile.TemporaryDirectory() as home, killing(Path(home)) as trials:
        seconds = run_length(trials)
        print(f"a run takes {seconds:.2f} s; {options.times} kills, seed {options.seed}")
        for number in itertools.count(4):
            if sum(map(was_killed, done)) == options.times:
                break
            at = dice.uniform(0, seconds)
            trial = trials.run(number, after=at)
            done.append(trial)
            print(
                f"{at:6.3f} s  after {trial.last:<12} stored {len(trial.kept)}  "
                f"sent afterwards {sum(trial.again.values())}  answers {len(trial.texts)}"
                f"{'' if trial.is_right else f'  WRONG: {trial}'}",
                flush=True,
            )
    return report(done)


def report(done: list[Trial]) -> int:
    """Print the sum of all trials."""
    sent = sum((t.asked for t in done), Counter())
    print(f"killed before the end: {sum(map(was_killed, done))} of {len(done)}")
    right = sum(trial.is_right for trial in done)
    print(f"runs with exactly one answer, and all facts in it: {right} of {len(done)}")
    print(f"searches sent: {sent.total()}; without a kill: {len(FACTS) * len(done)}")
    print(f"searches paid twice: {sum(len(t.paid_twice) for t in done)}")
    return 0 if right == len(done) else 1


if __name__ == "__main__":
    sys.exit(main())
