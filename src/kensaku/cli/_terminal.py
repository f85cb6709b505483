"""What a terminal shows: colour and links there, plain text in a pipe; news on stderr.

Nothing that others wrote reaches a terminal with an escape sequence in it.
"""

from __future__ import annotations

import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from kensaku.dialects.plain import Style
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

BAR = 24
REDRAW_SECONDS = 0.1


def fancy(stream: TextIO, environ: Mapping[str, str] | None = None) -> bool:
    """Whether colour and links may be used. These two variables are every terminal program's,
    and no settings of ours."""
    env = os.environ if environ is None else environ
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM", "") != "dumb"


def tell(text: str, stream: TextIO | None = None) -> None:
    """One line on stderr: everything but results."""
    stream = stream or sys.stderr
    line = one_line(text)
    print(_faint(line) if fancy(stream) else line, file=stream)


def show(text: str) -> None:
    """A result on stdout, with exactly one newline at its end if it has none."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def show_json(value: Any) -> None:
    """JSON on stdout: indented on a terminal, one line in a pipe."""
    from kensaku.dialects.json import dumps

    show(dumps(value, indent=2 if sys.stdout.isatty() else None))


def table(rows: list[list[str]]) -> str:
    """Rows in columns as wide as they need to be. Wide characters count twice."""
    if not rows:
        return ""
    wide = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell + " " * (w - _width(cell)) for cell, w in zip(row, wide, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


class Painted(Style):
    """The plain dialect, in colour and with links."""

    def head(self, text: str) -> str:
        """Bold."""
        return f"\x1b[1m{text}\x1b[0m"

    def title(self, text: str, url: str) -> str:
        """Bold, and to be clicked on (OSC 8)."""
        return linked(f"\x1b[1;36m{text}\x1b[0m", url)

    def url(self, text: str) -> str:
        """Green, as search engines have it."""
        return linked(f"\x1b[32m{text}\x1b[0m", text)

    def faint(self, text: str) -> str:
        """Not in the way."""
        return _faint(text)


def linked(text: str, url: str) -> str:
    """The text as a link; only web addresses lead anywhere, and only in printable ASCII."""
    if not url.startswith(("https://", "http://")):
        return text
    target = re.sub(r"[^!-~]", lambda m: "".join(f"%{b:02X}" for b in m.group().encode()), url)
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


class Progress:
    """Tells of long work: a bar on a terminal, at most five lines elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._drawn = 0.0
        self._said = ""

    def __call__(self, message: str, done: int, total: int) -> None:
        share = min(1.0, done / total) if total > 0 else 0.0
        if not self._terminal:
            line = f"{one_line(message)}: {int(share * 4) * 25} %" if total else one_line(message)
            if line != self._said:
                self._said = line
                print(line, file=self._stream)
        elif share >= 1:
            self.end()
        elif time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._drawn = time.monotonic()
            filled = int(share * BAR)
            bar = "█" * filled + "░" * (BAR - filled)
            self._stream.write(f"\r\x1b[K{one_line(message)} {bar} {done:,}/{total:,}")
            self._stream.flush()

    def end(self) -> None:
        """Take the bar away."""
        if self._drawn:
            self._drawn = 0.0
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _faint(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m"


def _width(text: str) -> int:
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
