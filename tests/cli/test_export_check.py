"""An export is checked as a whole: a damaged line is named before anything is imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kensaku.cli._export_check import check_export
from kensaku.errors import UsageError

WHOLE = {
    "url": "u:1", "title": "t", "text": "x", "published": "2026-01-31", "language": "en",
    "collection": "c", "metadata": {"a": 1},
}  # fmt: skip


def export(file: Path, *rows: Any) -> Path:
    file.write_text("".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in rows))
    return file


def test_the_documents_of_an_export_are_counted(tmp_path: Path) -> None:
    """Empty lines are none; only the address is needed; None is as good as nothing."""
    bare = dict.fromkeys(WHOLE, None) | {"url": "u:2"}
    file = export(tmp_path / "e.jsonl", WHOLE, "", {"url": "u:3"}, "  ", bare, {"url": "u", "x": 1})

    assert check_export(file) == 4
    assert check_export(export(tmp_path / "none.jsonl")) == 0


@pytest.mark.parametrize(
    "row",
    [
        "no JSON",
        ["u:1"],
        {"title": "no address"},
        {"url": ""},
        {"url": None},
        *({**WHOLE, name: 5} for name in WHOLE),
        {**WHOLE, "metadata": ["a"]},
    ],
)
def test_a_damaged_line_is_named(row: Any, tmp_path: Path) -> None:
    """By its number, empty lines included."""
    file = export(tmp_path / "e.jsonl", WHOLE, "", row, WHOLE)
    with pytest.raises(UsageError) as refused:
        check_export(file)

    said = f"line 3 of {file} is not a document: the export is damaged, or is none"
    assert (refused.value.message, refused.value.remedy) == (said, "nothing was imported")


def test_bytes_that_are_no_text_are_named_by_their_line(tmp_path: Path) -> None:
    """It is the one after the last that could be read."""
    file = tmp_path / "e.jsonl"
    file.write_bytes(json.dumps(WHOLE).encode() + b"\n" + b"x" * 10_000 + b"\xff\n")
    with pytest.raises(UsageError, match="is not a document"):
        check_export(file)
    file.write_bytes(b"\xff\n")
    with pytest.raises(UsageError, match=r"^line 1 of "):
        check_export(file)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """With the system's reason."""
    with pytest.raises(UsageError) as refused:
        check_export(tmp_path)
    assert refused.value.message == f"cannot read {tmp_path}: Is a directory"
