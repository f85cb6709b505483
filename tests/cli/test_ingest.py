"""Adding many files and pages: nothing is lost between batches, and everything ends somewhere."""

from __future__ import annotations

from pathlib import Path

from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import page


def test_more_files_and_pages_than_one_batch_are_all_added(
    up: FakeUpstream, tmp_path: Path, cli: Cli
) -> None:
    """Progress is told; the same again is unchanged."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for n in range(205):
        (folder / f"{n}.txt").write_text(f"Text {n}\n\nOf otters.")
    urls = [up.serves(f"/p{n}", page(f"Page {n}", f"Of kelp {n}.")) for n in range(21)]
    first = cli("index", "add", folder, *urls)

    assert first.out == "default: 226 added, 0 updated, 0 unchanged\n"
    assert "reading: 100 %" in first.err.splitlines()
    assert len(cli("index", "documents", "--json").json) == 226
    assert cli("index", "add", folder).out == "default: 0 added, 0 updated, 205 unchanged\n"


def test_every_source_ends_somewhere(up: FakeUpstream, tmp_path: Path, cli: Cli) -> None:
    """Added, passed over with a reason, or failed: what was named and has no text has failed."""
    folder, named = tmp_path / "folder", tmp_path / "named.txt"
    folder.mkdir()
    for name, text in {"a.txt": b"Otters.", "b.bin": bytes(99)}.items():
        (folder / name).write_bytes(text)
    named.write_bytes(bytes(99))
    url, gone = up.serves("/otters", page("Otters")), f"{up.url}/gone"
    told = cli("index", "add", folder, named, url, gone, "--json").json

    assert (told["added"], told["updated"], told["unchanged"], told["removed"]) == (2, 0, 0, 0)
    assert told["skipped"] == {"binary": 2}
    assert {failed["what"] for failed in told["failed"]} == {str(named), gone}
    assert all(failed["error"] for failed in told["failed"])
