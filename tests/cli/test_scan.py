"""Which files of a folder are read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kensaku.cli._scan import Patterns, missing_files, scan_folder


def test_what_is_on_disk_is_known_by_time_and_size(notes: Path) -> None:
    """The stamp of a file changes when its text does."""
    scan = scan_folder(notes)
    before, skipped = scan.files, Counter(reason for _, reason in scan.skipped)
    (notes / "otters.md").write_text("# Otters\n\nOther words.\n")
    after = scan_folder(notes).files

    assert before.keys() == after.keys()
    assert [p.name for p in before if before[p] != after[p]] == ["otters.md"]
    assert skipped == {"hidden": 2, "empty": 1, "link": 1, "special": 1}


def test_a_file_that_cannot_be_looked_at_is_not_missing(notes: Path) -> None:
    """Deleted and empty files are; a path that the system refuses is not."""
    refused = notes / ("x" * 300)  # longer than a name may be
    paths = [notes / "otters.md", notes / "gone.md", notes / "nothing.txt", refused]

    assert missing_files(paths) == [notes / "gone.md", notes / "nothing.txt"]


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        (("*.md",), (), ["a.md", "docs/b.md", "docs/old/c.md"]),
        ((), ("*.md",), ["docs/code.py"]),
        ((), ("docs",), ["a.md"]),
        ((), ("docs/old/",), ["a.md", "docs/b.md", "docs/code.py"]),
        (("docs/*.md",), ("old",), ["docs/b.md"]),
    ],
)
def test_patterns_choose_files(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], left: list[str]
) -> None:
    """By name, or by the path below the folder; what was passed over is named."""
    for name in ("a.md", "docs/b.md", "docs/code.py", "docs/old/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    scan = scan_folder(tmp_path, Patterns(include, exclude))

    assert sorted(p.relative_to(tmp_path).as_posix() for p in scan.files) == left
    assert {reason for _, reason in scan.skipped} <= {"excluded", "not included"}
    assert scan.skipped
