"""Pages and documents → what is indexed."""

from __future__ import annotations

from kensaku.index.results import (
    AddResult,
    ResultRow,
    to_document,
    to_hit,
    to_passage,
)
from kensaku.models import Document, Explain, Hit, LocalMatch, Page, Passage, Source


async def test_a_page_is_indexed_with_its_headings(index):
    """Its Markdown says which lines are headings, and the address is the canonical one."""
    page = Page(
        "https://e.org/p?utm=1",
        title="Guide",
        text="Install\n\nUse pip.\n\nRun\n\nUse python.",
        markdown="# Install\n\nUse pip.\n\n# Run\n\nUse python.",
        canonical_url="https://e.org/p",
    )
    await index.add([page])

    hit = (await index.search("pip"))[0]

    assert hit.url == "https://e.org/p"
    assert hit.explain.local.heading == "Install"


async def test_half_a_character_does_not_stop_a_batch(index):
    """Text that was cut between two surrogates comes out of other people's JSON."""
    await index.add([Document("doc:1", "", "An otter \ud83e"), Document("doc:2", "", "A heron")])

    assert [hit.content for hit in await index.search("otter")] == ["An otter ?"]


ROW: ResultRow = {
    "url": "https://e.org/x",
    "title": "T",
    "published": "2024",
    "language": "en",
    "metadata": '{"a": 1}',
    "text": "Otters.",
    "start": 3,
    "end": 10,
    "heading": "H",
    "score": 0.5,
    "collection": "docs",
    "bm25": 10.0,
    "strength": 1.5,
    "cosine": 0.25,
    "highlights": ["Otters."],
    "revision": "r",
    "copies": ["https://b.example/"],
    "document": "Whole.",
}


def test_a_row_is_a_hit_and_a_passage():
    """With all that is known of it."""
    local = LocalMatch("docs", 10.0, 0.25, 3, 10, "H", "en", ("Otters.",), {"a": 1}, "r", 1.5)
    assert to_hit(ROW, 2) == Hit(
        "https://e.org/x", "T", "Otters.", 0.5, "2024", "local", raw_content="Whole.",
        sources=(Source("local", 2, 0.5, "local"),), explain=Explain(local=local, copies=("https://b.example/",)),
    )  # fmt: skip
    assert to_passage(ROW) == Passage("https://e.org/x", "Otters.", 3, 10, "T", "H", 0.5)
    bare = to_hit({**ROW, "metadata": None, "highlights": []}, 1)
    assert bare.explain is not None
    assert bare.explain.local is not None
    assert (bare.explain.local.metadata, bare.explain.local.highlights) == ({}, ())


def test_what_is_indexed_of_a_page():
    """Its text and its headings; its canonical address, else its own."""
    page = Page("https://e.org/p", "T", "Text", "# Text", "Ann", "2024", "en", "https://e.org/c")
    assert to_document(page) == Document(
        "https://e.org/c", "T", "Text", "2024", "en", headings=((0, 1, "Text"),)
    )
    assert to_document(Page("https://e.org/p", "T", "Text")) == Document(
        "https://e.org/p", "T", "Text"
    )
    broken = Document("doc:\ud83e", "\ud83e", "x", "2024", "en", {"a": 1})
    assert to_document(broken) == Document("doc:?", "?", "x", "2024", "en", {"a": 1})


def test_counts_are_added():
    """Of several batches."""
    both = AddResult(1, 2, 3) + AddResult(10, 20, 30)
    assert both == AddResult(11, 22, 33)
    assert both.total == 66
