"""Processes that this one has started, as the system knows them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children() -> set[int]:
    """Their ids; those that have ended and were waited for are not among them."""
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # it has ended meanwhile
            found |= {int(pid) for pid in (thread / "children").read_text().split()}
    return found


def about(pid: int, name: str) -> str:
    """A file of the system about a process."""
    return Path(f"/proc/{pid}/{name}").read_text()
