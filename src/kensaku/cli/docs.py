"""Renew the `--help` pages in a Markdown file: `python -m kensaku.cli.docs docs/command-line.md`.

A block that begins with `$ kensaku … --help` holds what that command prints.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from kensaku.cli._main import COMMANDS, overview, parser_of

WIDTH = 96
_BLOCK = re.compile(r"(```console\n\$ kensaku(?: (\w+))? --help\n).*?(```\n)", re.DOTALL)


def current(text: str) -> str:
    """The page with every help text as it is now; a command that is not on it gets a section."""
    new = [
        f"\n## {name}\n\n```console\n$ kensaku {name} --help\n```\n"
        for name in COMMANDS
        if name not in shown(text)
    ]
    return _BLOCK.sub(lambda m: m[1] + help_of(m[2]) + m[3], text + "".join(new))


def shown(text: str) -> set[str]:
    """The commands whose help is on the page; "" is `kensaku --help` itself."""
    return {m[2] or "" for m in _BLOCK.finditer(text)}


def help_of(command: str | None) -> str:
    """What `--help` prints, at a width that does not depend on a terminal."""
    return parser_of(command, WIDTH).format_help() if command else overview() + "\n"


def main() -> None:
    """Renew the files that are named."""
    for name in sys.argv[1:]:
        place = Path(name)
        place.write_text(current(place.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
