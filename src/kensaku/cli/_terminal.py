"""Print to the terminal: results on stdout, everything else on stderr.

Colour, links and progress bars are for terminals only. Text from the web is printed without
control characters.
"""

from __future__ import annotations

import os
import sys
import time
from math import inf
from typing import TYPE_CHECKING, Any, TextIO

from kensaku.dialects.json import dumps
from kensaku.dialects.plain import Style
from kensaku.locale import translator
from kensaku.messages import Translatable, msg
from kensaku.text import width as text_width
from kensaku.text.clean import one_line
from kensaku.text.links import link_target
from kensaku.text.wrap import wrap as wrap_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kensaku.errors import KensakuError
    from kensaku.models import ProgressEvent

BAR_WIDTH = 24
REDRAW_SECONDS = 0.1


def supports_color(stream: TextIO, environ: Mapping[str, str] | None = None) -> bool:
    """Whether colour and links may be used.

    `NO_COLOR` and `TERM` belong to every terminal program and are no settings of ours.
    """
    env = os.environ if environ is None else environ
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM", "") != "dumb"


def supports_movement(stream: TextIO, environ: Mapping[str, str] | None = None) -> bool:
    """Whether lines that were printed can be changed."""
    env = os.environ if environ is None else environ
    return stream.isatty() and env.get("TERM", "") not in ("", "dumb")


def terminal_language(environ: Mapping[str, str] | None = None) -> str:
    """Return the language of the locale. Its variables are no settings of ours either."""
    env = os.environ if environ is None else environ
    chosen = (env.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, chosen), "")  # ja_JP.UTF-8; on Windows Japanese_Japan.932
    return "ja" if name.lower().startswith("japanese") else name


def t(one: str, many: str = "", /, *, context: str = "", **values: Any) -> str:
    """Say a message in the language of the locale."""
    return translator(terminal_language())(one, many, context=context, **values)


def error_text(error: KensakuError) -> str:
    """Return an error and its remedy in the language of the locale."""
    return t(str(error))


def print_message(text: str) -> None:
    """Print one line on stderr, wrapped on a terminal. An indent of two spaces is kept."""
    text = t(text) if isinstance(text, Translatable) else text
    indent = "  " if text.startswith("  ") else ""
    line = _wrapped(indent + one_line(text), sys.stderr)
    print(_dim(line) if supports_color(sys.stderr) else line, file=sys.stderr)


def print_result(text: str, *, wrap: bool = True) -> None:
    """Print a result on stdout; a terminal gets it wrapped. A newline ends it."""
    text = _wrapped(text, sys.stdout) if wrap else text
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def format_table(rows: list[list[str]]) -> str:
    """Align the columns of a table, or turn it into blocks where the terminal is narrow.

    Cells that are messages, such as headings, are translated.
    """
    rows = [[t(cell) if isinstance(cell, Translatable) else cell for cell in row] for row in rows]
    return text_width.format_table(rows, terminal_width(sys.stdout))


def terminal_width(stream: TextIO) -> int | None:
    """The columns of a terminal; None for a pipe or a file."""
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _wrapped(text: str, stream: TextIO) -> str:
    width = terminal_width(stream)
    return text if width is None else wrap_text(text, width)


def print_json(value: Any) -> None:
    """Print JSON on stdout: indented on a terminal, on one line in a pipe."""
    print_result(dumps(value, indent=2 if sys.stdout.isatty() else None), wrap=False)


def format_duration(seconds: float) -> str:
    """Return `45 s`, `5 min`, `1 h`, `1.5 h` or `30 days`, in the language of the locale."""
    if seconds < 90:
        return t("{n:.0f} s", n=seconds)
    if seconds < 3_600:
        return t("{n:.0f} min", n=seconds / 60)
    if seconds < 3 * 86_400:
        return t("{n} h", n=f"{seconds / 3_600:.1f}".removesuffix(".0"))
    return t("{n:.0f} days", n=seconds / 86_400)


def format_counts(counts: Mapping[str, int]) -> str:
    """Return `3 added, 1 updated, …`."""
    return t(", ", context="between the names of a list").join(
        t(COUNTS[name], n=f"{n:,}") for name, n in counts.items()
    )


COUNTS = {
    "added": msg("{n} added"),
    "updated": msg("{n} updated"),
    "unchanged": msg("{n} unchanged"),
    "removed": msg("{n} removed"),
}


class TerminalStyle(Style):
    """The plain dialect with colour and links."""

    def head(self, text: str) -> str:
        """Bold."""
        return f"\x1b[1m{text}\x1b[0m"

    def title(self, text: str, url: str) -> str:
        """A bold link."""
        return hyperlink(f"\x1b[1;36m{text}\x1b[0m", url)

    def url(self, text: str) -> str:
        """A green link."""
        return hyperlink(f"\x1b[32m{text}\x1b[0m", text)

    def faint(self, text: str) -> str:
        """Dim."""
        return _dim(text)


def hyperlink(text: str, url: str) -> str:
    """Make the text a link (OSC 8) to a web address."""
    target = link_target(url)
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\" if target else text


class ProgressBar:
    """Report long work on stderr: a bar on a terminal, at most five lines elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._drawn_at = -inf
        self._last_line = ""

    def __call__(self, event: ProgressEvent) -> None:
        message, done, total = t(event.stage), event.done, event.total or 0
        share = min(1.0, done / total) if total > 0 else 0.0
        if not self._is_terminal:
            line = f"{one_line(message)}: {int(share * 4) * 25} %" if total else one_line(message)
            if line != self._last_line:
                self._last_line = line
                print(line, file=self._stream)
        elif share >= 1:
            self.clear()
        elif time.monotonic() - self._drawn_at > REDRAW_SECONDS:
            self._drawn_at = time.monotonic()
            filled = int(share * BAR_WIDTH)
            bar = "█" * filled + "░" * (BAR_WIDTH - filled)
            self._stream.write(f"\r\x1b[K{one_line(message)} {bar} {done:,}/{total:,}")
            self._stream.flush()

    @property
    def is_drawn(self) -> bool:
        """Whether the bar is on the screen."""
        return self._drawn_at > -inf

    def clear(self) -> None:
        """Erase the bar."""
        if self._drawn_at > -inf:
            self._drawn_at = -inf
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m"
