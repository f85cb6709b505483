"""What starting costs: the CPU of `import kensaku`, and of `kensaku --version`.

    python bench/start.py [--runs 15]

Both are compared with the bare interpreter, started in turns; the medians are reported.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys

CASES = {
    "python -c pass": ["-c", "pass"],
    "import kensaku": ["-c", "import kensaku"],
    "from kensaku import Kensaku": ["-c", "from kensaku import Kensaku"],
    "kensaku --version": ["-c", "from kensaku.cli import main; main()", "--version"],
}


def cpu(arguments: list[str]) -> float:
    """The CPU seconds, user and system, of one run of the interpreter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> int:
    """Print the figures; 1 when one of them is too high."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    for arguments in CASES.values():
        cpu(arguments)  # the first run compiles
    took: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(runs):
        for name, arguments in CASES.items():
            took[name].append(cpu(arguments))
    median = {name: statistics.median(times) for name, times in took.items()}
    bare = median["python -c pass"]
    for name, seconds in median.items():
        print(f"{name:30} {seconds * 1000:7.1f} ms CPU  {seconds / bare:5.2f} x")
    imports = (median["import kensaku"] - bare) * 1000
    version = median["kensaku --version"] / bare
    print(f"import kensaku above the interpreter: {imports:.1f} ms (at most 30)")
    print(f"kensaku --version to python -c pass: {version:.2f} x (at most 2)")
    return 0 if imports <= 30 and version <= 2 else 1


if __name__ == "__main__":
    sys.exit(main())
