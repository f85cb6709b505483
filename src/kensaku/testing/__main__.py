"""`python -m kensaku.testing`: run the fake upstream as a process.

It prints one `NAME=value` line for each variable, then an empty line when it is ready. It ends with
Ctrl-C, and when the program that holds its stdin open, by a pipe, ends.
"""

from __future__ import annotations

import os
import stat
import sys
import threading

from kensaku.testing.upstream import FakeUpstream


def main() -> None:
    """Serve every provider's sample on a free port."""
    with FakeUpstream.in_thread(keep=0) as up:
        for name, value in up.environment().items():
            print(f"{name}={value}")
        print(flush=True)
        try:
            if not _is_fed():
                threading.Event().wait()
            sys.stdin.read()
        except KeyboardInterrupt:
            return


def _is_fed() -> bool:
    """Whether stdin is a pipe or a terminal, and not closed or /dev/null, as in the background."""
    try:
        return sys.stdin.isatty() or stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return False


if __name__ == "__main__":
    main()
