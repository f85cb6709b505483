"""What adding files and pages does: counts, reasons, titles, and batches that are not too large."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kensaku.cli import _ingest
from kensaku.cli._ingest import IngestResult, _document, _is_full
from kensaku.index import AddResult
from kensaku.models import Document, Page
from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import page


def test_results_add_up_and_are_json() -> None:
    """Every count, every reason, everything that failed."""
    total = IngestResult(added=1, updated=2, unchanged=3, removed=4, skipped=Counter(hidden=1))
    total.count(AddResult(10, 20, 30))
    total += IngestResult(
        added=100, updated=200, unchanged=300, removed=400, skipped=Counter(hidden=1, link=2),
        failed=[("/a", "no")], passed_over=[("/b", "link")],
    )  # fmt: skip

    assert total.to_dict() == {
        "added": 111, "updated": 222, "unchanged": 333, "removed": 404,
        "skipped": {"hidden": 2, "link": 2}, "failed": [{"what": "/a", "error": "no"}],
    }  # fmt: skip
    assert total.passed_over == [("/b", "link")]


@pytest.mark.parametrize(
    ("result", "changed"),
    [
        (IngestResult(), False),
        (IngestResult(unchanged=1, failed=[("/a", "no")]), False),
        (IngestResult(added=1), True),
        (IngestResult(updated=1), True),
        (IngestResult(removed=1), True),
    ],
)
def test_a_change_is_what_the_index_has_otherwise(result: IngestResult, changed: bool) -> None:
    """What stayed as it was is none."""
    assert result.changed is changed


@pytest.mark.parametrize(
    ("texts", "full"),
    [
        ([], False),
        (["x"] * 199, False),
        (["x"] * 200, True),
        (["x" * 1_999_999], False),
        (["x" * 1_999_999, "y"], True),
    ],
)
def test_a_batch_is_bounded_by_documents_and_by_characters(texts: list[str], full: bool) -> None:
    """200 documents, or two million characters."""
    assert _is_full([Document(url="u", text=text) for text in texts]) is full


@pytest.mark.parametrize(
    ("name", "kind", "title", "expected"),
    [
        ("a.txt", "text/plain", "First line", "First line"),
        ("README", "text/plain", "First line", "First line"),
        ("a.RST", "text/plain", "First line", "First line"),
        ("a.py", "text/plain", "#!/usr/bin/env python", "a.py"),
        ("a.html", "text/html", "Title", "Title"),
        ("a.html", "text/html", "", "a.html"),
    ],
)
def test_the_first_line_of_a_program_is_no_title(
    name: str, kind: str, title: str, expected: str
) -> None:
    """That of a text is; what has no title has its name."""
    made = Page(url="", title=title, text="plain", markdown="", content_type=kind,
                published="2026-01-02", language="en")  # fmt: skip
    document = _document(Path("/notes") / name, made)

    assert document == Document(
        url=f"file:///notes/{name}", title=expected, text="plain", published="2026-01-02",
        language="en",
    )  # fmt: skip


def test_pages_are_fetched_in_batches_and_shells_are_named(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are added, however many a call takes."""
    monkeypatch.setattr(_ingest, "BATCH_URLS", 2)
    urls = [up.serves(f"/p{n}", page(f"Page {n}")) for n in range(3)]
    told = cli("index", "add", *urls, f"{up.url}/gone", "--json")

    assert told.status == 0
    assert (told.json["added"], [f["what"] for f in told.json["failed"]]) == (3, [f"{up.url}/gone"])


def test_files_are_read_in_groups_and_written_in_batches(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document of each, and progress where there are more than a few."""
    monkeypatch.setattr(_ingest, "BATCH_DOCUMENTS", 2)
    folder = tmp_path / "texts"
    folder.mkdir()
    for n in range(9):
        (folder / f"{n}.txt").write_text(f"Text {n}\n\nOf otters.")
    done = cli("index", "add", folder)

    assert done.out == "default: 9 added, 0 updated, 0 unchanged\n"
    assert len(cli("index", "documents", "--json").json) == 9
    assert cli("index", "add", folder).out == "default: 0 added, 0 updated, 9 unchanged\n"


def test_what_was_passed_over_is_named_on_demand(notes: Path, cli: Cli) -> None:
    """Each with its reason; by default the reasons are counted."""
    done = cli("index", "add", notes, "-v")

    assert "passed over: 2 binary, 1 empty, 2 hidden, 1 link, 1 special" in done.err.splitlines()
    named = {line.strip() for line in done.err.splitlines() if line.startswith("  ")}
    assert {
        f"link: {notes / 'out'}",
        f"special: {notes / 'pipe'}",
        f"hidden: {notes / '.secret'}",
    } <= named
    assert not [
        line for line in cli("index", "add", notes).err.splitlines() if line.startswith("  ")
    ]


def test_the_figures_of_a_collection_are_a_table(library: Path, cli: Cli) -> None:
    """Documents, passages, its size, languages and model."""
    head, row = (line.split() for line in cli("index", "stats").out.splitlines())

    assert head == ["collection", "documents", "passages", "disk", "languages", "model"]
    assert row[:3] == ["default", "1", "1"]
    assert (row[4:], row[-2:]) == (["MB", *row[5:]], ["en", "–"])
    assert cli("index", "drop", "--collection", "default", "--json").json == {"removed": 1}


@pytest.mark.parametrize(
    ("seconds", "status"), [("0.01", 0), ("86400", 0), ("0.009", 2), ("86400.1", 2)]
)
def test_the_interval_of_a_watch_is_bounded(
    seconds: str, status: int, tmp_path: Path, cli: Cli
) -> None:
    """A hundredth of a second to a day."""
    (tmp_path / "docs").mkdir()
    done = cli("index", "watch", tmp_path / "docs", "--once", "--interval", seconds)

    assert done.status == status
    assert ("it must be from 0.01 to 86,400 s" in done.err) == (status == 2)
