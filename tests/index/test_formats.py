"""Collections that an earlier release wrote: they open, or one sentence says what to do."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from kensaku.errors import IndexFault
from kensaku.index.collections import Collections
from kensaku.index.engines.embedded import EmbeddedEngine
from kensaku.index.integrity import check
from kensaku.index.meta import FORMAT, CollectionMeta
from kensaku.index.request import SearchRequest
from kensaku.index.search import search
from kensaku.models import Document

# Three documents, written by the code that had format 2: without counts. (The holes are packed.)
FORMAT_2 = Path(__file__).parent / "data" / "format-2.tar.xz"
NEW = Document("https://e.org/badgers", "Badgers", "Badgers dig.")


@pytest.fixture
def old(tmp_path):
    with tarfile.open(FORMAT_2) as archive:
        archive.extractall(tmp_path, filter="data")
    collections = Collections(EmbeddedEngine(tmp_path))
    yield collections
    collections.close()


def _urls(collections: Collections, text: str) -> list[str]:
    return [row["url"] for row in search(collections, SearchRequest(text, ("docs",)))["rows"]]


def test_a_collection_of_format_2_is_searched_and_checked_as_it_is(old):
    """Nothing is converted by reading."""
    assert _urls(old, "otters") == ["https://e.org/otters"]
    assert old.stats("docs")["documents"] == 3
    assert check(old, "docs")["problem"] is None
    assert old.meta("docs").format == 2


def test_a_collection_of_format_2_is_counted_when_it_is_optimised(old):
    """From then on a loss is noticed."""
    old.add("docs", [NEW])
    old.delete("docs", ["https://e.org/chat"])
    old.optimize("docs")
    meta = old.meta("docs")

    assert (meta.format, meta.documents) == (FORMAT, 3)
    assert meta.passages == old.engine.count_passages("docs")
    assert check(old, "docs") | {"damaged": []} == {
        "documents": 3, "expected": 3, "damaged": [], "problem": None, "remedy": "",
    }  # fmt: skip
    assert _urls(old, "badgers") == [NEW.url]
    assert _urls(old, "herons") == ["https://e.org/herons"]


def test_a_collection_of_a_later_format_is_refused_with_what_to_do(tmp_path):
    """A newer release wrote it; guessing would lose documents."""
    collections = Collections(EmbeddedEngine(tmp_path))
    collections.add("docs", [NEW])
    collections.engine.write("docs", [CollectionMeta(format=FORMAT + 1).to_entry()])

    with pytest.raises(IndexFault, match="another version of Kensaku") as error:
        Collections(collections.engine).meta("docs")
    assert "export it there and import it here" in error.value.remedy
    collections.close()
