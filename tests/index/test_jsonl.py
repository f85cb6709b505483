"""Export and import, through an index in memory and one on the disk."""

from __future__ import annotations

import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kensaku.errors import IndexFault, KensakuError
from kensaku.index import AddResult, Index
from kensaku.models import Document, ProgressEvent
from tests.index.animals import ALL, HERONS, OTTERS, SEARCH


@pytest.fixture
async def memory() -> AsyncIterator[Index]:
    """An index in this process: most of this needs no worker."""
    pytest.importorskip("qdrant_client")
    async with Index(url=":memory:") as opened:
        yield opened


def row(name: str, **more: Any) -> dict[str, Any]:
    return {"url": f"doc:{name}", "title": "ラッコ", "text": name, **more}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_a_document_comes_back_to_the_letter(index, memory, tmp_path):
    """Export and import lose nothing: text, spaces, dates, metadata."""
    text = "  \n# A\n\n" + "Sentence one. Sentence two!\n\n\n" * 400 + "\t end \n"
    whole = Document(
        "https://e.org/w", "W", text, "2024-01-01", "en", {"tags": ["a", "b"], "depth": 3}
    )
    await index.add([whole, *ALL], collection="docs")
    await index.add([OTTERS], collection="more")
    file, again = tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    file.write_text("what was there before")

    assert await index.export_jsonl(file) == 6
    assert await memory.import_jsonl(file) == AddResult(added=6)
    assert await memory.import_jsonl(file) == AddResult(unchanged=6)
    assert await memory.export_jsonl(again) == 6

    def by_address(path: Path) -> list[dict[str, Any]]:
        return sorted(lines(path), key=lambda line: (line["collection"], line["url"]))

    assert by_address(again) == by_address(file)
    [stored] = [line for line in lines(file) if line["url"] == whole.url]
    assert (stored["text"], stored["metadata"]) == (text, whole.metadata)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert SEARCH.title in file.read_text(encoding="utf-8")  # people read it, and search in it
    assert {path.name for path in tmp_path.glob("*.jsonl*")} == {file.name, again.name}


async def test_one_collection_is_exported_alone(memory, tmp_path):
    """The others are not in the file; a collection of many pages is whole."""
    many = [Document(f"doc:{n}", "", f"word{n}") for n in range(1_100)]
    await memory.add(many, "many")
    await memory.add(ALL, "docs")

    assert await memory.export_jsonl(tmp_path / "out.jsonl", "many") == 1_100

    written = lines(tmp_path / "out.jsonl")
    assert {line["collection"] for line in written} == {"many"}
    assert {line["url"] for line in written} == {d.url for d in many}


@pytest.mark.parametrize("salvage", [None, [].append])
async def test_an_export_that_fails_leaves_the_old_file(memory, tmp_path, salvage):
    """And nothing beside it."""
    await memory.add([HERONS], "docs")
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    with pytest.raises(KensakuError):
        await memory.export_jsonl(path, "dogs", salvage=salvage)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


async def test_a_place_that_cannot_be_written_or_read_is_named(memory, tmp_path):
    """As an error of the index."""
    with pytest.raises(IndexFault, match=r"the export .*out\.jsonl"):
        await memory.export_jsonl(tmp_path / "no" / "out.jsonl")
    with pytest.raises(IndexFault, match=r"the import .*none\.jsonl"):
        await memory.import_jsonl(tmp_path / "none.jsonl")


async def test_lines_go_to_the_collections_that_they_name(memory, tmp_path):
    """Empty lines do not count; fields that an index does not know are passed over.

    Text that was cut between two surrogates comes out of other people's files.
    """
    path = tmp_path / "in.jsonl"
    known = {"published": "2026-01-02", "language": "en", "metadata": {"a": 1}}
    rows = [
        {"collection": "a", **row("1", **known, more=5)},
        {"collection": "b", **row("3")},
        {"collection": "a", **row("2", published=None)},
        {"collection": "", **row("4")},
        row("5") | {"text": "half a character: \ud83e"},
    ]
    path.write_text("\n \n".join(map(json.dumps, rows)) + "\n")

    assert await memory.import_jsonl(path) == AddResult(added=5)
    await memory.export_jsonl(tmp_path / "out.jsonl")

    stored = lines(tmp_path / "out.jsonl")
    assert {(line["collection"], line["url"]) for line in stored} == {
        ("a", "doc:1"), ("a", "doc:2"), ("b", "doc:3"), ("default", "doc:4"), ("default", "doc:5")
    }  # fmt: skip
    [first] = [line for line in stored if line["url"] == "doc:1"]
    assert first == {"collection": "a", **row("1", **known)}
    assert await memory.import_jsonl(path, "all") == AddResult(added=5)
    assert (await memory.stats())["all"]["documents"] == 5


async def test_a_large_file_is_read_500_lines_at_a_time(memory, tmp_path):
    """It may be larger than memory."""
    path, seen = tmp_path / "in.jsonl", list[ProgressEvent]()
    path.write_text("".join(json.dumps(row(str(n))) + "\n" for n in range(501)))

    await memory.import_jsonl(path, progress=seen.append)

    assert seen == [ProgressEvent("importing", 500), ProgressEvent("importing", 501)]


@pytest.mark.parametrize("line", ["{", "[]", "5", '{"title": "T"}', "null"])
async def test_a_line_that_is_no_document_is_named(memory, tmp_path, line):
    """By its number in the file, empty lines counted, with what to write."""
    path = tmp_path / "in.jsonl"
    path.write_text(f"{json.dumps(row('1'))}\n\n{line}\n")

    with pytest.raises(IndexFault, match="line 3 of") as refused:
        await memory.import_jsonl(path)

    assert '"url"' in refused.value.remedy


@pytest.mark.parametrize(("depth", "taken"), [(60, True), (70, False), (10**5, False)])
@pytest.mark.parametrize(("opens", "closes"), [("[0,", "]"), ('{"b":"x","a":', "}")])
async def test_a_line_that_is_nested_too_deeply_is_named(
    memory, tmp_path, depth, taken, opens, closes
):
    """With its number, and without a RecursionError, whatever the parser makes of it."""
    deep = '{"a":' + opens * depth + "1" + closes * depth + "}"
    file = tmp_path / "deep.jsonl"
    file.write_text(
        f'{json.dumps(row("1"))}\n{{"url": "doc:2", "text": "x", "metadata": {deep}}}\n'
    )

    if taken:
        assert await memory.import_jsonl(file) == AddResult(added=2)
    else:
        with pytest.raises(IndexFault, match="line 2 of"):
            await memory.import_jsonl(file)
