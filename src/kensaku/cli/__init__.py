"""The command line, `kensaku COMMAND …`: one file per command; the table is in `_main.py`."""

from __future__ import annotations

import sys


def main(words: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    words = sys.argv[1:] if words is None else words
    if words in (["--version"], ["-V"]):  # before anything is loaded: scripts call this often
        from kensaku import __version__

        print("kensaku", __version__)
        return 0
    from kensaku.cli._main import run_command

    return run_command(words)
