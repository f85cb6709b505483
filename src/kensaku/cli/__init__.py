"""The command line: `kensaku COMMAND …`. One file per command; the table is in `start.py`."""

from __future__ import annotations

import sys


def main(words: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    words = sys.argv[1:] if words is None else words
    if words in (["--version"], ["-V"]):  # before anything else is loaded: scripts ask often
        from kensaku import __version__

        print("kensaku", __version__)
        return 0
    from kensaku.cli._main import start

    return start(words)
