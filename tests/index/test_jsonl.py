"""Export and import."""

from __future__ import annotations

import stat

import pytest

from kensaku.errors import IndexFault
from kensaku.index import AddResult, Index
from kensaku.models import Document
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
