"""Export and import."""

from __future__ import annotations

import json
import stat
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import kensaku.index.salvage
from kensaku.errors import IndexFault
from kensaku.index import AddResult, Index
from kensaku.index.jsonl import FROM_FILES, export_jsonl, import_jsonl, is_deep
from kensaku.models import Document, ProgressEvent
from tests.index.animals import ALL, SEARCH


async def test_a_document_comes_back_to_the_letter(index, tmp_path):
    """Export and import lose nothing: text, spaces, dates, metadata."""
    text = "  \n# A\n\n" + "Sentence one. Sentence two!\n\n\n" * 400 + "\t end \n"
    whole = Document(
        "https://e.org/w", "W", text, "2024-01-01", "en", {"tags": ["a", "b"], "depth": 3}
    )
    await index.add([whole, *ALL], collection="docs")
    file = tmp_path / "out.jsonl"

    assert await index.export_jsonl(file) == 5
    async with Index(tmp_path / "other", idle_timeout=0) as other:
        assert await other.import_jsonl(file) == AddResult(added=5)
        assert await other.import_jsonl(file) == AddResult(unchanged=5)
        again = tmp_path / "again.jsonl"
        await other.export_jsonl(again, "docs")

    assert sorted(again.read_text().splitlines()) == sorted(file.read_text().splitlines())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert SEARCH.title in file.read_text(encoding="utf-8")  # people read it, and search in it


@pytest.mark.parametrize("depth", [100, 900, 100_000])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
async def test_a_line_that_is_nested_too_deeply_is_named(index, tmp_path, depth, opens, closes):
    """With its number, and without a RecursionError, whatever the parser makes of it."""
    deep = opens * depth + "1" + closes * depth
    file = tmp_path / "deep.jsonl"
    good = '{"url": "https://e.org/a", "title": "A", "text": "Otters.", "metadata": {"a": [[1]]}}'
    file.write_text(f'{good}\n{{"url": "https://e.org/b", "text": "x", "metadata": {deep}}}\n')

    with pytest.raises(IndexFault, match="line 2 of"):
        await index.import_jsonl(file)


# --- by themselves


class Client:
    """In the place of the worker: pages of documents, by collection and position."""

    def __init__(self, **pages: list[Any]) -> None:
        """A page is (documents, damaged ones), or an error."""
        self.pages, self.calls = pages, list[dict[str, Any]]()

    async def call(self, method: str, **arguments: Any) -> Any:
        if method == "collections":
            return list(self.pages)
        assert method == "documents"
        self.calls.append(arguments)
        pages, at = self.pages[arguments["collection"]], arguments["after"] or 0
        if isinstance(pages[at], Exception):
            raise pages[at]
        documents, damaged = pages[at]
        after = at + 1 if at + 1 < len(pages) else None
        return {"documents": documents, "damaged": damaged, "after": after}


def row(name: str, **more: Any) -> dict[str, Any]:
    return {"url": f"doc:{name}", "title": "ラッコ", "text": name, **more}


def no_shard(_: str) -> None:
    return None


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_every_page_of_every_collection_is_written(tmp_path):
    """One line each, with its collection first; the file is there when it is complete."""
    client = Client(
        a=[([row("1")], []), ([row("2"), row("3", day=date(2026, 1, 2))], [])], b=[([], [])]
    )
    path = tmp_path / "out.jsonl"
    path.write_text("what was there before")

    assert await export_jsonl(client, path, None, None, no_shard) == 3

    assert lines(path) == [
        {"collection": "a", **row("1")},
        {"collection": "a", **row("2")},
        {"collection": "a", **row("3", day="2026-01-02")},
    ]
    assert path.read_text(encoding="utf-8").startswith(
        '{"collection": "a", "url": "doc:1", "title": "ラッコ"'
    )
    assert client.calls == [
        {"collection": "a", "after": None, "salvage": False},
        {"collection": "a", "after": 1, "salvage": False},
        {"collection": "b", "after": None, "salvage": False},
    ]
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_one_collection_is_exported_alone(tmp_path):
    """The others are not read."""
    client = Client(a=[([row("1")], [])], b=[([row("2")], [])])

    assert await export_jsonl(client, tmp_path / "out.jsonl", "b", None, no_shard) == 1
    assert [call["collection"] for call in client.calls] == ["b"]


async def test_what_cannot_be_read_is_said_and_the_rest_is_written(tmp_path):
    """When somebody saves what can be saved."""
    client, said = Client(a=[([row("1")], ["doc:x", "doc:y"])]), []

    assert await export_jsonl(client, tmp_path / "out.jsonl", None, said.append, no_shard) == 1
    assert said == ["a: doc:x", "a: doc:y"]
    assert client.calls[0]["salvage"] is True


@pytest.mark.parametrize("salvage", [False, True])
async def test_an_export_that_fails_leaves_the_old_file(tmp_path, salvage):
    """And nothing beside it; there are no files to read the documents from."""
    client = Client(a=[([row("1")], []), IndexFault("it is damaged")])
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    said: list[str] = []

    with pytest.raises(IndexFault, match="it is damaged"):
        await export_jsonl(client, path, None, said.append if salvage else None, no_shard)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    assert said == []


async def test_a_collection_that_does_not_open_is_read_from_its_files(tmp_path, monkeypatch):
    """What was written of it before is taken back; what is lost is named."""
    client = Client(
        a=[([row("1")], [])], b=[([row("2")], []), IndexFault("b is damaged")], c=[([row("4")], [])]
    )
    path, said, read = tmp_path / "out.jsonl", [], []

    def salvaged(shard):
        read.append(shard)
        yield Document("doc:2", "T", "two", metadata={"a": 1})
        yield "doc:lost"
        yield Document("doc:3", "T", "three")

    monkeypatch.setattr(kensaku.index.salvage, "salvage_documents", salvaged)
    written = await export_jsonl(client, path, None, said.append, lambda name: tmp_path / name)

    assert written == 4
    assert [(line["collection"], line["url"]) for line in lines(path)] == [
        ("a", "doc:1"), ("b", "doc:2"), ("b", "doc:3"), ("c", "doc:4"),
    ]  # fmt: skip
    assert lines(path)[1] == {
        "collection": "b",
        **asdict(Document("doc:2", "T", "two", metadata={"a": 1})),
    }
    assert said == [f"b is damaged; {FROM_FILES}", "b: doc:lost"]
    assert read == [tmp_path / "b"]
    with pytest.raises(IndexFault, match="b is damaged"):
        await export_jsonl(client, path, None, None, lambda name: tmp_path / name)


async def test_a_place_that_cannot_be_written_is_named(tmp_path):
    """Before anything is read."""
    client = Client(a=[([], [])])

    with pytest.raises(IndexFault, match="the export"):
        await export_jsonl(client, tmp_path / "no" / "out.jsonl", None, None, no_shard)
    assert client.calls == []


class Added:
    """In the place of the index: what was added, batch by batch."""

    def __init__(self) -> None:
        self.batches: list[tuple[str, list[Document]]] = []

    async def add(self, documents: list[Document], *, collection: str) -> AddResult:
        self.batches.append((collection, documents))
        return AddResult(added=len(documents))


async def test_lines_are_added_in_batches_of_one_collection(tmp_path):
    """Empty lines do not count; fields that an index does not know are passed over."""
    path, index, seen = tmp_path / "in.jsonl", Added(), []
    known = {"published": "2026-01-02", "language": "en", "metadata": {"a": 1}}
    rows = [
        {"collection": "a", **row("1", **known, more=5)},
        {"collection": "a", **row("2", published=None)},
        {"collection": "b", **row("3")},
        {"collection": "", **row("4")},
        row("5"),
    ]
    path.write_text("\n \n".join(map(json.dumps, rows)) + "\n")

    done = await import_jsonl(index, path, None, seen.append)

    assert done == AddResult(added=5)
    assert index.batches == [
        ("a", [Document("doc:1", "ラッコ", "1", **known), Document("doc:2", "ラッコ", "2")]),
        ("b", [Document("doc:3", "ラッコ", "3")]),
        ("default", [Document("doc:4", "ラッコ", "4"), Document("doc:5", "ラッコ", "5")]),
    ]
    assert seen == [ProgressEvent("importing", 5)]
    named = Added()
    await import_jsonl(named, path, "all", None)
    assert {name for name, _ in named.batches} == {"all"}


async def test_a_large_file_is_read_500_lines_at_a_time(tmp_path):
    """It may be larger than memory."""
    path, index, seen = tmp_path / "in.jsonl", Added(), []
    path.write_text("".join(json.dumps(row(str(n))) + "\n" for n in range(501)))

    await import_jsonl(index, path, None, seen.append)

    assert [len(documents) for _, documents in index.batches] == [500, 1]
    assert seen == [ProgressEvent("importing", 500), ProgressEvent("importing", 501)]


@pytest.mark.parametrize("line", ["{", "[]", "5", '{"title": "T"}', "null"])
async def test_a_line_that_is_no_document_is_named(tmp_path, line):
    """By its number in the file, empty lines counted."""
    path = tmp_path / "in.jsonl"
    path.write_text(f"{json.dumps(row('1'))}\n\n{line}\n")

    with pytest.raises(IndexFault) as refused:
        await import_jsonl(Added(), path, None, None)
    assert refused.value.message == f"line 3 of {path} is not a document"
    assert refused.value.remedy == 'write one JSON object a line, with "url", "title" and "text"'


async def test_a_file_that_is_not_there_is_named(tmp_path):
    """As an error of the index."""
    with pytest.raises(IndexFault, match=r"the import .*none\.jsonl"):
        await import_jsonl(Added(), tmp_path / "none.jsonl", None, None)


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize(("depth", "deep"), [(63, False), (64, False), (65, True)])
def test_nesting_is_counted(kind, depth, deep):
    """Whatever stands beside what is nested."""
    value: Any = 1
    for _ in range(depth):
        value = [0, value] if kind is list else {"a": value, "b": "x"}

    assert is_deep(value) is deep
    assert not is_deep("x")
    assert not is_deep([])


async def test_half_a_character_is_written_and_read_again(tmp_path):
    """Text that was cut between two surrogates comes out of other people's files."""
    path, index = tmp_path / "out.jsonl", Added()
    await export_jsonl(Client(a=[([row("\ud83e")], [])]), path, None, None, no_shard)

    await import_jsonl(index, path, None, None)

    assert index.batches[0][1][0].text == "\ud83e"
