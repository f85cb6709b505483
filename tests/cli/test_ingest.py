"""What adding files and pages does: counts, reasons, titles, and batches that are not too large."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from kensaku.cli import _ingest
from kensaku.cli._ingest import (
    CollectionWriter,
    IngestResult,
    Sources,
    _document,
    _is_full,
    document_urls,
)
from kensaku.errors import FetchError, PageUnavailable, TooLarge, Unparsable
from kensaku.index import AddResult
from kensaku.models import Document, Page, ProgressEvent
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


class FakeIndex:
    """Documents by collection, in memory; `batches` has the size of each write."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}
        self.batches: list[int] = []

    async def add(self, documents: list[Any], collection: str) -> AddResult:
        self.batches.append(len(documents))
        known = self.stored.setdefault(collection, {})
        new = [d for d in documents if d.url not in known]
        same = [d for d in documents if known.get(d.url) == d]
        known.update((d.url, d) for d in documents)
        return AddResult(len(new), len(documents) - len(new) - len(same), len(same))

    async def collections(self) -> list[str]:
        return list(self.stored)

    async def delete(self, urls: list[str], collection: str) -> int:
        return sum(self.stored[collection].pop(url, None) is not None for url in urls)

    async def export_jsonl(self, file: Path, collection: str) -> None:
        file.write_text("".join(json.dumps({"url": u}) + "\n" for u in self.stored[collection]))


class FakeKensaku:
    """A client with an index in memory; its pages are those of `pages`."""

    def __init__(self) -> None:
        self.index = FakeIndex()
        self.events: list[ProgressEvent] = []
        self.progress: Any = self.events.append
        self.pages: dict[str, Page] = {}
        self.calls: list[int] = []

    async def extract(self, urls: list[str]) -> Any:
        self.calls.append(len(urls))
        failed = [(url, PageUnavailable("404")) for url in urls if url not in self.pages]
        found = [self.pages[url] for url in urls if url in self.pages]
        return SimpleNamespace(results=found, failed=failed)


class FakePool:
    """Reads texts; what begins with an error's name fails with it."""

    asked: ClassVar[list[tuple[str, str]]] = []

    async def __aenter__(self) -> FakePool:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def extract(self, data: bytes, name: str, content_type: str) -> Page:
        self.asked.append((Path(name).name, content_type))
        text = data.decode()
        errors = {"unparsable": Unparsable, "large": TooLarge, "fetch": FetchError}
        if text in errors:
            raise errors[text]("no")
        return Page(name, "", text, content_type=content_type)


@pytest.fixture
def k(monkeypatch: pytest.MonkeyPatch) -> FakeKensaku:
    monkeypatch.setattr(_ingest, "ParsePool", FakePool)
    monkeypatch.setattr(FakePool, "asked", [])
    return FakeKensaku()


def put(folder: Path, **texts: str) -> list[Path]:
    """Files `name_suffix="text"`."""
    folder.mkdir(exist_ok=True)
    paths = [folder / name.replace("_", ".") for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


async def test_every_file_ends_somewhere(k: FakeKensaku, tmp_path: Path) -> None:
    """Added, skipped with a reason, or failed."""
    paths = put(
        tmp_path / "f", a_txt="Otters.", b_md="unparsable", c_html="large", d_py="fetch", e_csv=" \n"
    )  # fmt: skip
    gone = tmp_path / "f" / "gone.txt"
    result = await CollectionWriter(k, "c").add_files([*paths, gone])

    folder = tmp_path / "f"
    result.failed.sort()  # they are read side by side
    result.without_text.sort()
    assert result == IngestResult(
        added=1,
        skipped=Counter({"binary": 1, "too large": 1, "without text": 1, "unreadable": 1}),
        failed=[(str(folder / "d.py"), "no"), (str(gone), "No such file or directory")],
        without_text=[folder / "b.md", folder / "c.html", folder / "e.csv"],
    )
    assert sorted(FakePool.asked) == [
        ("a.txt", "text/plain"), ("b.md", "text/markdown"), ("c.html", "text/html"),
        ("d.py", "text/plain"), ("e.csv", "text/csv"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.markdown", "text/markdown"), ("a.HTM", "text/html"), ("a.xhtml", "text/html"),
        ("a.tsv", "text/tab-separated-values"), ("a.json", "application/json"), ("a", "text/plain"),
    ],
)  # fmt: skip
async def test_the_kind_of_a_file_is_that_of_its_ending(
    name: str, kind: str, k: FakeKensaku, tmp_path: Path
) -> None:
    """Where its first bytes do not show it."""
    (tmp_path / name).write_text("Otters.")
    await CollectionWriter(k, "c").add_files([tmp_path / name])

    assert FakePool.asked == [(name, kind)]


async def test_files_are_read_four_at_a_time_and_written_in_batches(
    k: FakeKensaku, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Progress is told where there are more than four."""
    monkeypatch.setattr(_ingest, "BATCH_DOCUMENTS", 5)
    paths = put(tmp_path / "f", **{f"f{n}_txt": f"Text {n}" for n in range(10)})
    writer = CollectionWriter(k, "c")
    result = await writer.add_files(paths)

    assert result == IngestResult(added=10)
    assert k.index.batches == [8, 2]
    assert k.events == [ProgressEvent("reading", done, 10) for done in (4, 8, 10)]
    k.events.clear()
    await writer.add_files(paths[:4])
    assert k.events == []
    await writer.add_files(paths[:5])
    assert k.events == [ProgressEvent("reading", 4, 5), ProgressEvent("reading", 5, 5)]
    k.progress = None
    assert await writer.add_files(paths[:5]) == IngestResult(unchanged=5)
    assert await writer.add_files([]) == IngestResult()


async def test_pages_are_added_twenty_at_a_time(k: FakeKensaku) -> None:
    """What cannot be had, and what has no text of its own, has failed."""
    urls = [f"https://a.example/{n}" for n in range(45)]
    k.pages = {url: Page(url, "", "Text.") for url in urls}
    k.pages[urls[1]] = Page(urls[1], text="Loading…", needs_browser=True, notes=("a", "b"))
    k.pages[urls[2]] = Page(urls[2])
    del k.pages[urls[3]]
    result = await CollectionWriter(k, "c").add_urls(urls)

    assert result == IngestResult(
        added=42, failed=[(urls[3], "404"), (urls[1], "a; b"), (urls[2], "it has no text")]
    )
    assert k.calls == [20, 20, 5]
    assert k.index.batches == [17, 20, 5]
    k.pages.clear()
    assert (await CollectionWriter(k, "c").add_urls(urls[:1])).failed == [(urls[0], "404")]
    assert len(k.index.batches) == 3  # nothing is written for nothing


async def test_a_collection_holds_what_the_folder_holds(k: FakeKensaku, tmp_path: Path) -> None:
    """What is gone is deleted, and what was emptied; nothing of another folder."""
    folder, other = tmp_path / "f", tmp_path / "f2"
    put(folder, a_txt="A", b_txt="B", c_txt="C")
    put(other, x_txt="X")
    writer = CollectionWriter(k, "c")
    await writer.sync_folder(other)
    first, files = await writer.sync_folder(folder)
    assert first == IngestResult(added=3)
    assert list(files) == [folder / f"{name}.txt" for name in "abc"]

    (folder / "a.txt").unlink()
    (folder / "b.txt").write_text("unparsable")
    (folder / ".hidden").touch()
    (other / "x.txt").unlink()
    second, files = await writer.sync_folder(folder)
    assert second == IngestResult(
        unchanged=1, removed=2, skipped=Counter({"hidden": 1, "binary": 1}),
        without_text=[folder / "b.txt"], passed_over=[(str(folder / ".hidden"), "hidden")],
    )  # fmt: skip
    assert list(k.index.stored["c"]) == [
        (other / "x.txt").as_uri(),
        (folder / "c.txt").as_uri(),
    ]


async def test_only_what_changed_since_the_last_scan_is_read(
    k: FakeKensaku, tmp_path: Path
) -> None:
    """The index is not asked what it holds."""
    folder = tmp_path / "f"
    put(folder, a_txt="A", b_txt="B", c_txt="C")
    writer = CollectionWriter(k, "c")
    _, before = await writer.sync_folder(folder)
    FakePool.asked.clear()
    (folder / "a.txt").write_text("Another")
    (folder / "b.txt").unlink()
    put(folder, d_txt="D")
    k.index.export_jsonl = None  # type: ignore[method-assign, assignment]
    result, _ = await writer.sync_folder(folder, before)

    assert result == IngestResult(added=1, updated=1, removed=1)
    assert sorted(name for name, _ in FakePool.asked) == ["a.txt", "d.txt"]


async def test_nothing_is_deleted_from_a_collection_that_is_not_there(
    k: FakeKensaku, tmp_path: Path
) -> None:
    """The first time, a folder without any text makes none."""
    put(tmp_path / "f", a_txt="unparsable")
    result, _ = await CollectionWriter(k, "c").sync_folder(tmp_path / "f")

    assert (result.removed, k.index.stored) == (0, {})


async def test_folders_files_and_pages_are_added_together(k: FakeKensaku, tmp_path: Path) -> None:
    """A file that was named and has no text has failed; in a folder it is passed over."""
    put(tmp_path / "f", a_txt="A", b_txt="unparsable")
    (named,) = put(tmp_path / "g", c_txt="unparsable")
    k.pages = {"https://a.example/": Page("https://a.example/", text="Text.")}
    sources = Sources([tmp_path / "f"], [named], ["https://a.example/"])
    result = await CollectionWriter(k, "c").add(sources)

    assert result == IngestResult(
        added=2, skipped=Counter(binary=2), failed=[(str(named), "no text can be had from it")]
    )


def test_the_addresses_under_a_folder_are_read_in_order(tmp_path: Path) -> None:
    """The folder itself, what is in it, and not what only begins like it."""
    file = tmp_path / "e.jsonl"
    urls = ["file:///b/2", "file:///b", "file:///bc/1", "file:///b/1", "file:///a"]
    file.write_text("".join(json.dumps({"url": url}) + "\n" for url in urls))

    assert _ingest._read_urls(file, "") == sorted(urls)
    assert _ingest._read_urls(file, "file:///b") == ["file:///b", "file:///b/1", "file:///b/2"]


async def test_an_unknown_collection_has_no_documents(k: FakeKensaku) -> None:
    """Nothing is exported."""
    assert await document_urls(k.index, "c") == []  # type: ignore[arg-type]
