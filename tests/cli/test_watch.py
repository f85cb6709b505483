"""`kensaku index watch`: a collection follows a folder."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kensaku.cli import _watch
from kensaku.cli._ingest import IngestResult
from kensaku.cli._scan import Patterns
from kensaku.cli._watch import watch

from .conftest import Cli


def test_one_look_of_watch_is_like_add(notes: Path, cli: Cli) -> None:
    """`--once`, for those who have a timer of their own."""
    first = cli("index", "watch", notes, "--once")
    (notes / "otters.md").unlink()
    second = cli("index", "watch", notes, "--once", "--json").json

    assert first.out == "default: 3 added, 0 updated, 0 unchanged\n"
    assert (second["unchanged"], second["removed"]) == (2, 1)


def test_watch_keeps_up_until_ctrl_c(notes: Path, cli: Cli) -> None:
    """New, changed and removed files, a line for each look that found something; exit 0."""
    words = ["index", "watch", str(notes), "--interval", "0.02", "--json"]
    watching = subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", *words],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
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
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=120)

    assert watching.returncode == 0
    assert "no longer watching" in err
    assert "Traceback" not in err
    assert len(cli("index", "list", "--collection", "default", "--json").json) == 3


class FakeWriter:
    """Gives one result for each scan; ends the watch with Ctrl-C after the last."""

    made: ClassVar[list[Any]] = []
    scans: ClassVar[list[Any]] = []
    results: ClassVar[list[IngestResult]] = []

    def __init__(self, k: Any, collection: str, patterns: Patterns) -> None:
        self.made.append((k, collection, patterns))

    async def sync_folder(self, root: Path, before: Any) -> Any:
        self.scans.append((root, before))
        if not self.results:
            raise asyncio.CancelledError
        return self.results.pop(0), {"files": len(self.scans)}


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited between scans."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(_watch, "CollectionWriter", FakeWriter)
    for name in ("made", "scans", "results"):
        monkeypatch.setattr(FakeWriter, name, [])
    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waits


async def test_only_scans_that_found_something_are_reported(
    slept: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first always; what is passed over is told once."""
    first = IngestResult(skipped=Counter(hidden=1))
    changed = IngestResult(added=1, skipped=Counter(hidden=1))
    failed = IngestResult(failed=[("a", "no")])
    FakeWriter.results += [first, IngestResult(unchanged=1), changed, failed, IngestResult()]
    reports: list[IngestResult] = []
    k: Any = "client"
    patterns = Patterns(("*.md",))
    await watch(k, tmp_path, "c", interval=0.5, patterns=patterns, report=reports.append)

    assert reports == [first, IngestResult(added=1), failed]
    assert first.skipped == {"hidden": 1}
    assert FakeWriter.made == [("client", "c", patterns)]
    assert FakeWriter.scans == [(tmp_path, None), *((tmp_path, {"files": n}) for n in range(1, 6))]
    assert slept == [0.5] * 5
    assert capsys.readouterr().err.splitlines() == [
        f"watching {tmp_path}; Ctrl-C ends it",
        "no longer watching; what was told is in the index",
    ]


async def test_a_folder_that_is_away_is_waited_for(
    slept: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been moved or unmounted: its documents stay."""
    folder = tmp_path / "f"
    folder.mkdir()
    FakeWriter.results += [IngestResult(added=1), IngestResult(added=2)]
    reports: list[IngestResult] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        (folder.rmdir if len(slept) == 1 else folder.mkdir if len(slept) == 3 else bool)()

    monkeypatch.setattr(asyncio, "sleep", sleep)
    k: Any = "client"
    await watch(k, folder, "c", interval=1.0, report=reports.append)

    assert reports == [IngestResult(added=1), IngestResult(added=2)]
    assert FakeWriter.scans == [(folder, None), (folder, {"files": 1}), (folder, {"files": 2})]
    assert len(slept) == 4


async def test_a_single_scan_says_nothing_of_watching(
    slept: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And Ctrl-C is not its good end."""
    FakeWriter.results += [IngestResult()]
    reports: list[IngestResult] = []
    k: Any = "client"
    await watch(k, tmp_path, "c", interval=None, report=reports.append)

    assert (reports, slept) == ([IngestResult()], [])
    assert FakeWriter.made == [("client", "c", Patterns())]
    with pytest.raises(asyncio.CancelledError):
        await watch(k, tmp_path, "c", interval=None, report=reports.append)
    assert capsys.readouterr().err == ""
