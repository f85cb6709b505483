"""`kensaku index`: what it prints, word by word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kensaku.index import Index

from .conftest import Cli

DAMAGE = {
    "bad": {
        "documents": 2,
        "problem": "1 document is damaged",
        "remedy": "export what is left",
        "damaged": ["u:1\n", "u:" + "x" * 300],
    },
    "good": {"documents": 1, "problem": "", "remedy": "", "damaged": []},
}


def test_damage_is_told_with_its_remedy(cli: Cli, library: Path, monkeypatch: Any) -> None:
    """Every damaged document is named, on one line; the status is 1."""
    asked = []

    async def check(self: Index, collection: str | None = None) -> dict[str, Any]:
        asked.append(collection)
        return DAMAGE

    monkeypatch.setattr(Index, "check", check)
    done = cli("index", "check", "--collection", "default")

    assert done.status == 1
    assert done.out == "bad: 2 documents read, damaged\ngood: 1 document read, good\n"
    assert done.err == f"1 document is damaged; export what is left\n  u:1\n  u:{'x' * 198}\n"
    shown = cli("index", "check", "--json")
    assert (shown.status, shown.json, shown.err) == (1, DAMAGE, "")
    assert asked == ["default", None]


def test_what_a_salvaging_export_leaves_out_is_listed(
    cli: Cli, library: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """Without --salvage nobody asks for it."""
    saved = []

    async def export(
        self: Index, path: Path, collection: str | None = None, *, salvage: Any = None
    ) -> int:
        saved.append((path, collection, salvage is not None))
        if salvage is not None:
            salvage("u:1\n" + "x" * 300)
        return 1

    monkeypatch.setattr(Index, "export_jsonl", export)
    file = tmp_path / "a.jsonl"
    done = cli("index", "export", file, "--salvage")
    plain = cli("index", "export", file, "--collection", "default", "--json")

    assert done.out == "1 document exported\n"
    assert done.err == f"damaged: u:1 {'x' * 196}\n"
    assert (plain.json, plain.err) == ({"exported": 1, "file": str(file)}, "")
    assert saved == [(file, None, True), (file, "default", False)]


def test_the_problem_of_a_collection_is_told_beside_the_table(
    cli: Cli, library: Path, monkeypatch: Any
) -> None:
    """The figures that are known are there all the same."""
    usual: dict[str, Any] = {
        "documents": 1_234,
        "passages": 5_678,
        "disk": 9_876_543_210,
        "languages": ["en", "ja"],
        "model": "m",
        "foreign": False,
        "problem": "",
    }
    lame = {**usual, "disk": None, "languages": [], "model": "", "problem": "it does not open"}

    async def stats(self: Index) -> dict[str, Any]:
        return {"a": usual, "b": lame, "c": {**usual, "foreign": True}}

    monkeypatch.setattr(Index, "stats", stats)
    done = cli("index", "stats")

    assert [" ".join(line.split()) for line in done.out.splitlines()] == [
        "collection documents passages disk languages model",
        "a 1,234 5,678 9,876.5 MB en, ja m",
        "b 1,234 5,678 – – –",
        "c 1,234 5,678 9,876.5 MB en, ja (foreign)",
    ]
    assert done.err == "it does not open\n"
    assert cli("index", "stats", "--collection", "b", "--json").json == {"b": lame}
    assert cli("index", "stats", "--collection", "d").status == 2


def test_optimizing_is_reported(cli: Cli, notes: Path, library: Path) -> None:
    """All collections, or one."""
    cli("index", "add", notes, "--collection", "notes")
    done = cli("index", "optimize")

    assert (done.status, done.out) == (0, "2 collections optimized\n")
    assert done.err == "optimizing default: 0 %\noptimizing notes: 50 %\n"
    assert cli("index", "optimize", "--json").json == {"optimized": ["default", "notes"]}
    one = cli("index", "optimize", "--collection", "notes", "--json")
    assert one.json == {"optimized": ["notes"]}
