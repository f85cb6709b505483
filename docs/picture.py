"""Draw the pictures of a terminal in docs/images from real runs of `kensaku` on a terminal.

    python docs/picture.py        write them (needs tmux, and rich from requirements/docs.txt)

A fake Tavily answers with the results of `tests/docs_stage.py`; in the second run of `search`
nothing listens at the providers' addresses. `chat` runs under tmux. Colours are those that the
program printed.
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
from tests.assistant.channels.terminal.tmux import Terminal
from tests.docs_stage import QUERY, environment, upstream

IMAGES = Path(__file__).parent / "images"
WIDTH = 97
NOBODY = "http://127.0.0.1:9"  # the discard port: nothing listens there
# Without the web fonts of rich's own format: a picture must not make a reader's browser call home.
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-label="LABEL">
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


def draw_search() -> str:
    """Two runs of `kensaku search`."""
    console = Console(record=True, width=WIDTH, file=StringIO(), color_system="truecolor")
    with upstream() as up, tempfile.TemporaryDirectory() as home:
        online = environment(up, Path(home))
        offline = online | {"TAVILY_BASE_URL": NOBODY, "BRAVE_BASE_URL": NOBODY}
        for env, remark in ((online, ""), (offline, "   # and without a network")):
            console.print(Text(f'$ kensaku search "{QUERY}"{remark}', style="bold"))
            console.print(Text.from_ansi(printed(["search", QUERY, "--no-cache"], env)))
    return as_svg(
        console,
        "Two runs of kensaku search: one finds two results, one says that nobody could search",
    )


def draw_chat() -> str:
    """A question in `kensaku chat`, which asks before it searches."""
    console = Console(record=True, width=WIDTH, file=StringIO(), color_system="truecolor")
    with upstream() as up, tempfile.TemporaryDirectory() as home:
        env = environment(up, Path(home)) | {"TERM": "screen-256color", "LC_ALL": "C.UTF-8"}
        env |= {"KENSAKU_ASSISTANT_FETCHES": "0", "KENSAKU_ASSISTANT_APPROVALS": "web_search=ask"}
        del env["COLUMNS"]
        terminal = Terminal(Path(home), env, WIDTH, 30)
        try:
            terminal.start("chat")
            terminal.wait_for("Ctrl-D")
            terminal.wait_for(">")
            terminal.type("When was Python 3.14 released?")
            terminal.wait_for("?", times=3)
            terminal.type("y")
            terminal.wait_for(">", times=2)
            shown = terminal.raw.rstrip()
        finally:
            terminal.close()
    console.print(Text("$ kensaku chat", style="bold"))
    console.print(Text.from_ansi(shown))
    return as_svg(
        console,
        "kensaku chat: a question, consent to a search, the answer and its sources",
    )


def draw_first_minutes() -> str:
    """From a key to an agent that searches."""
    console = Console(record=True, width=WIDTH, file=StringIO(), color_system="truecolor")
    with upstream() as up, tempfile.TemporaryDirectory() as home:
        env = environment(up, Path(home)) | {"LC_ALL": "C.UTF-8", "WEB_SEARCH_PROVIDER": "tavily"}
        del env["TAVILY_API_KEY"], env["COLUMNS"]
        notes = Path(home, "notes")
        notes.mkdir()
        (notes / "harbour.md").write_text("# Harbour\n\nThe harbour was built in 1893.\n")
        (notes / "harbour.bak").write_text("old")

        def show(command: str, text: str) -> None:
            console.print(Text(f"$ kensaku {command}", style="bold"))
            console.print(Text.from_ansi(text.replace(home, "~").strip() + "\n"))

        show("init --provider tavily", typed_key(Path(home), env))
        for command, words in (
            (f'search "{QUERY}" -n 1', ["search", QUERY, "-n", "1"]),
            ("index add notes --include '*.md' -v",
             ["index", "add", str(notes), "--include", "*.md", "-v"]),
            ('ask --route local "When was the harbour built?"',
             ["ask", "--route", "local", "When was the harbour built?"]),
            ("mcp install cursor", ["mcp", "install", "cursor"]),
        ):  # fmt: skip
            show(command, printed(words, env))
    return as_svg(console, "init, search, index add, ask and mcp install, one after the other")


def typed_key(home: Path, env: dict[str, str]) -> str:
    """What `kensaku init` shows when a key is typed."""
    terminal = Terminal(home, env | {"TERM": "screen-256color"}, WIDTH, 30)
    try:
        terminal.start("init", "--provider", "tavily")
        terminal.wait_for("Tavily key (")
        terminal.press("tvly-dev-0123456789abcdef")
        terminal.press("Enter")
        terminal.wait_for("kensaku doctor")
        lines = terminal.raw.splitlines()
        return "\n".join(line for line in lines if not line.startswith("$"))  # the shell's own
    finally:
        terminal.close()


def as_svg(console: Console, label: str) -> str:
    """What a console has recorded."""
    return console.export_svg(
        title="kensaku", theme=MONOKAI, code_format=FORMAT.replace("LABEL", label),
        unique_id="kensaku",
    )  # fmt: skip


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "terminal.svg").write_text(draw_search(), encoding="utf-8")
    (IMAGES / "chat.svg").write_text(draw_chat(), encoding="utf-8")
    (IMAGES / "first-minutes.svg").write_text(draw_first_minutes(), encoding="utf-8")
