"""Which files of a folder are read."""

from __future__ import annotations

from pathlib import Path

from kensaku.cli._scan import missing_files, scan_folder


def test_what_is_on_disk_is_known_by_time_and_size(notes: Path) -> None:
    """The stamp of a file changes when its text does."""
    before, skipped = scan_folder(notes)
    (notes / "otters.md").write_text("# Otters\n\nOther words.\n")
    after, _ = scan_folder(notes)

    assert before.keys() == after.keys()
    assert [p.name for p in before if before[p] != after[p]] == ["otters.md"]
    assert skipped == {"hidden": 2, "empty": 1, "link": 1, "special": 1}


def test_a_file_that_cannot_be_looked_at_is_not_missing(notes: Path) -> None:
    """Deleted and empty files are; a path that the system refuses is not."""
    refused = notes / ("x" * 300)  # longer than a name may be
    paths = [notes / "otters.md", notes / "gone.md", notes / "nothing.txt", refused]

    assert missing_files(paths) == [notes / "gone.md", notes / "nothing.txt"]
