"""Pages and documents → what is indexed."""

from __future__ import annotations

from kensaku.models import Document, Page


async def test_a_page_is_indexed_with_its_headings(index):
    """Its Markdown says which lines are headings, and the address is the canonical one; its date and
    its language are those of filters."""
    page = Page(
        "https://e.org/p?utm=1",
        title="Guide",
        text="Install\n\nUse pip.\n\nRun\n\nUse python.",
        markdown="# Install\n\nUse pip.\n\n# Run\n\nUse python.",
        canonical_url="https://e.org/p",
        published="2024-05-06",
        language="de",
    )
    await index.add([page])

    hit = (await index.search("pip"))[0]

    assert (hit.url, hit.title, hit.published) == ("https://e.org/p", "Guide", "2024-05-06")
    assert hit.explain.local.language == "de"
    assert hit.explain.local.heading == "Install"


async def test_half_a_character_does_not_stop_a_batch(index):
    """Text that was cut between two surrogates comes out of other people's JSON."""
    await index.add([Document("doc:1", "", "An otter \ud83e"), Document("doc:2", "", "A heron")])

    assert [hit.content for hit in await index.search("otter")] == ["An otter ?"]
