"""Which files of a folder are read."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from kensaku.cli import _scan
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


def test_a_scan_is_in_order_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is in one of its halves; a folder that is left out is not looked into."""
    monkeypatch.setattr(_scan, "MAX_BYTES", 5)
    for name in ("b/z.md", "b/y.txt", "a/x.md", ".git/config", "old/c.md", "c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("12345")
    (tmp_path / "large.md").write_text("123456")
    (tmp_path / "empty.md").touch()
    (tmp_path / "link.md").symlink_to(tmp_path / "c.md")
    os.mkfifo(tmp_path / "pipe.md")
    for name in ("b/z.md", "a/x.md", "c.md"):
        os.utime(tmp_path / name, ns=(1_000, 2_000))
    scan = scan_folder(tmp_path, Patterns(("*.md",), ("old",)))

    assert list(scan.files.items()) == [
        (tmp_path / name, (2_000, 5)) for name in ("c.md", "a/x.md", "b/z.md")
    ]
    assert scan.skipped == [
        (tmp_path / ".git", "hidden"),
        (tmp_path / "old", "excluded"),
        (tmp_path / "empty.md", "empty"),
        (tmp_path / "large.md", "too large"),
        (tmp_path / "link.md", "link"),
        (tmp_path / "pipe.md", "special"),
        (tmp_path / "b" / "y.txt", "not included"),
    ]
    assert _scan._stamp(tmp_path / "gone") == (None, "unreadable")


def test_a_file_below_what_is_now_a_file_is_missing(tmp_path: Path) -> None:
    """Its folder was replaced."""
    (tmp_path / "folder").write_text("text")

    assert missing_files([tmp_path / "folder" / "a.md"]) == [tmp_path / "folder" / "a.md"]


@pytest.mark.parametrize(
    ("patterns", "relative", "excluded", "wanted"),
    [
        (Patterns(), "a/b.md", False, True),
        (Patterns(("*.md",)), "a/b.md", False, True),
        (Patterns(("*.MD",)), "a/b.md", False, False),
        (Patterns(("a/*",)), "a/b.md", False, True),
        (Patterns(("a/*",)), "b.md", False, False),
        (Patterns((), ("b.md",)), "a/b.md", True, True),
        (Patterns((), ("a/",)), "a", True, True),
        (Patterns((), ("c/b.md",)), "a/b.md", False, True),
    ],
)
def test_a_pattern_is_of_names_unless_it_has_a_slash(
    patterns: Patterns, relative: str, excluded: bool, wanted: bool
) -> None:
    """Then it is of paths below the folder."""
    assert (patterns.excludes(relative), patterns.wants(relative)) == (excluded, wanted)
