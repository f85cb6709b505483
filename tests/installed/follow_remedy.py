"""Run a command that lacks an extra, and carry out the remedy that it prints, to the letter."""

from __future__ import annotations

import re
import subprocess
import sys


def main(command: list[str]) -> int:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )  # fmt: skip
    remedies = re.findall(r'pip install "kensaku-search\[[\w,-]+\]"', done.stdout)
    if done.returncode == 0 or len(remedies) != 1 or "Traceback" in done.stdout:
        print(done.stdout)
        return 1
    print("followed:", remedies[0], flush=True)
    return subprocess.run(["sh", "-ec", remedies[0]], stdout=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
