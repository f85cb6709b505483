"""Draw docs/images/terminal.svg from two real runs of `kensaku` on a terminal.

    python docs/picture.py              write it (needs rich, from requirements/docs.txt)

The first run is answered by a fake Tavily with the results of `tests/docs_stage.py`; in the second
one nothing listens at the providers' addresses. Colours are those that the program printed.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.docs_stage import QUERY, environment, upstream

PICTURE = Path(__file__).parent / "images" / "terminal.svg"
WIDTH = 97
NOBODY = "http://127.0.0.1:9"  # the discard port: nothing listens there
# Without the web fonts of rich's own format: a picture must not make a reader's browser call home.
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-label="Two runs of kensaku search: one finds two results, one says that nobody could search">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" \
height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def printed(words: list[str], env: dict[str, str]) -> str:
    """What a command prints on a terminal, escape sequences and all."""
    ours, theirs = pty.openpty()
    with open(ours, "rb", buffering=0) as screen:
        command = [sys.executable, "-m", "kensaku.cli", *words]
        subprocess.run(command, env=env | {"TERM": "xterm-256color"}, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while piece := screen.read(65_536):
                shown += piece
        except OSError:  # how Linux reports the end of a terminal
            pass
    return shown.decode().replace("\r\n", "\n")


def draw() -> str:
    """The picture."""
    console = Console(record=True, width=WIDTH, file=StringIO(), color_system="truecolor")
    with upstream() as up, tempfile.TemporaryDirectory() as home:
        online = environment(up, Path(home))
        offline = online | {"TAVILY_BASE_URL": NOBODY, "BRAVE_BASE_URL": NOBODY}
        for env, remark in ((online, ""), (offline, "   # and without a network")):
            console.print(Text(f'$ kensaku search "{QUERY}"{remark}', style="bold"))
            console.print(Text.from_ansi(printed(["search", QUERY, "--no-cache"], env)))
    return console.export_svg(
        title="kensaku", theme=MONOKAI, code_format=FORMAT, unique_id="kensaku"
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(), encoding="utf-8")
