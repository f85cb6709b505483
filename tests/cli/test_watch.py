"""`kensaku index watch`: a collection follows a folder."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from .conftest import Cli, Spawn


def test_one_look_of_watch_is_like_add(notes: Path, cli: Cli) -> None:
    """`--once`, for those who have a timer of their own."""
    first = cli("index", "watch", notes, "--once")
    (notes / "otters.md").unlink()
    second = cli("index", "watch", notes, "--once", "--json").json

    assert first.out == "default: 3 added, 0 updated, 0 unchanged\n"
    assert "watching" not in first.err
    assert (second["unchanged"], second["removed"]) == (2, 1)


def let_it_look(pid: int) -> None:
    """Wait until a process has been awake and has waited again a few times."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return

    def waits() -> int:
        (line,) = [n for n in status.read_text().splitlines() if n.startswith("voluntary_ctxt")]
        return int(line.split()[1])

    before = waits()
    while waits() < before + 20:
        time.sleep(0.01)


def test_watch_keeps_up_until_ctrl_c(notes: Path, cli: Cli, spawn: Spawn) -> None:
    """New, changed and removed files, a line for each look that found something; exit 0.

    A folder that is away was moved or unmounted, and may come back: its documents stay.
    """
    watching = spawn("index", "watch", notes, "--interval", "0.02", "--json")
    assert watching.stdout is not None

    def told() -> tuple[int, int, int]:
        line = json.loads(watching.stdout.readline())
        return line["added"], line["updated"], line["removed"]

    assert told() == (3, 0, 0)
    partial = notes.parent / "seal.md"
    partial.write_text("# Seals\n\nThey bark.")
    partial.rename(notes / "seal.md")  # appears at once, as careful programs do it
    assert told() == (1, 0, 0)
    partial.write_text("# Seals\n\nThey bark at night.")
    partial.rename(notes / "seal.md")
    assert told() == (0, 1, 0)
    (notes / "seal.md").unlink()
    assert told() == (0, 0, 1)
    away = notes.rename(notes.parent / "away")
    let_it_look(watching.pid)
    (away / "walrus.md").write_text("# Walruses\n\nThey have tusks.")
    away.rename(notes)
    assert told() == (1, 0, 0)
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=120)

    assert watching.returncode == 0
    assert "no longer watching" in err
    assert "Traceback" not in err
    assert len(cli("index", "list", "--collection", "default", "--json").json) == 4
