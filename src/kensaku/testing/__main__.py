"""`python -m kensaku.testing`: run the fake upstream as a process until stdin closes.

It prints one `NAME=value` line for each variable, then an empty line when it is ready.
"""

from __future__ import annotations

import sys

from kensaku.testing.upstream import FakeUpstream


def main() -> None:
    """Serve every provider's sample on a free port."""
    with FakeUpstream.in_thread(keep=0) as up:
        for name, value in up.environment().items():
            print(f"{name}={value}")
        print(flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
