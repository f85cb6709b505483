"""What `kensaku chat` takes to its prompt, and `kensaku ask` beside its search.

    python bench/chat_start.py [--runs 7]

`kensaku chat` runs on a terminal (pty) until the prompt is drawn: wall clock and CPU. `kensaku ask`
answers from a provider on loopback; what its own search took is subtracted. Both stand beside
`python -c pass`, measured in turns; the medians are reported.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.docs_stage import QUERY, environment, upstream

TICKS = os.sysconf("SC_CLK_TCK")
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


def nothing(_: dict[str, str]) -> tuple[float, float]:
    """The bare interpreter: wall clock and CPU."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.perf_counter() - began, cpu


def chat(env: dict[str, str]) -> tuple[float, float]:
    """Start `kensaku chat`, and wait for its prompt."""
    began = time.perf_counter()
    pid, screen = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, "-m", "kensaku.cli", "chat"], env)
    shown = b""
    while not re.search(rb"\n\r?>", _ESCAPES.sub(b"", shown)):
        shown += os.read(screen, 65_536)
    wall = time.perf_counter() - began
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(screen)
    return wall, (int(fields[11]) + int(fields[12])) / TICKS


def ask(env: dict[str, str]) -> tuple[float, float]:
    """Run `kensaku ask`; return what it adds to its own searches, and its CPU."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "kensaku.cli", "ask", QUERY, "--json", "--no-cache"]
    done = subprocess.run(words, env=env, capture_output=True, check=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    searched = sum(step["elapsed_ms"] for step in json.loads(done.stdout)["steps"]) / 1000
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall - searched, cpu


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    cases = {"python -c pass": nothing, "kensaku chat, to its prompt": chat,
             "kensaku ask, beside its search": ask}  # fmt: skip
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    with upstream() as up, tempfile.TemporaryDirectory() as home:
        env = environment(up, Path(home)) | {"TERM": "xterm-256color"}
        env |= {"KENSAKU_ASSISTANT_FETCHES": "0"}
        for n in range(runs + 1):
            for name, measure in cases.items():
                figures = measure(env)
                if n:  # the first run compiles
                    took[name].append(figures)
    for name, figures in took.items():
        wall, cpu = (statistics.median(part) for part in zip(*figures, strict=True))
        print(f"{name:32} {wall:6.2f} s  {cpu:6.2f} s CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
