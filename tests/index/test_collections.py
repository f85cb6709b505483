"""Collections: what is replaced, deleted, dropped, and how lengths are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.errors import UnknownName
from kensaku.index import AddResult
from kensaku.models import Document
from tests.index.animals import ALL, HERONS, OTTERS, urls


async def test_the_same_document_again_changes_nothing(index):
    """A crawl that runs every night only pays for what has changed."""
    await index.add(ALL)

    assert await index.add(ALL) == AddResult(unchanged=4)


async def test_a_document_replaces_the_one_with_its_address(index):
    """There is one version of a page, the last one, even within one call."""
    await index.add([OTTERS])
    newer = replace(OTTERS, text="Badgers dig.")

    assert await index.add([replace(OTTERS, text="Moles."), newer]) == AddResult(updated=1)

    assert urls(await index.search("badgers")) == [OTTERS.url]
    assert await index.search("carnivorous moles") == []
    assert (await index.stats())["default"]["documents"] == 1


async def test_a_shorter_version_leaves_no_old_passage_behind(index):
    """A long page that became short must not be found for what it no longer says."""
    long = "\n\n".join(f"Paragraph {n} about zebras and giraffes. " * 20 for n in range(20))
    await index.add([Document("https://e.org/long", "Long", long)])
    assert (await index.stats())["default"]["passages"] > 5

    await index.add([Document("https://e.org/long", "Long", "Only lions.")])

    assert (await index.stats())["default"] | {"average_terms": 0} == {
        "documents": 1, "passages": 1, "languages": ["en"], "model": None, "average_terms": 0,
        "foreign": False,
    }  # fmt: skip
    assert await index.search("zebras") == []


async def test_a_deleted_document_is_gone(index):
    """And deleting what is not there counts nothing."""
    await index.add(ALL)

    assert await index.delete([OTTERS.url, "https://nowhere.example"]) == 1

    assert OTTERS.url not in urls(await index.search("otters fish"))


async def test_a_collection_that_is_not_there_is_named(index):
    """Nothing found and nowhere to look are different answers."""
    await index.add([OTTERS], collection="animals")

    with pytest.raises(UnknownName) as caught:
        await index.search("fish", collections="animal")

    assert caught.value.name == "animal"
    assert "animals" in caught.value.remedy


async def test_a_dropped_collection_is_gone(index):
    """And can be made anew."""
    await index.add([OTTERS], collection="docs")

    await index.drop("docs")

    assert await index.collections() == []
    await index.add([HERONS], collection="docs")
    assert urls(await index.search("fish")) == [HERONS.url]


async def test_lengths_are_compared_with_the_collection_as_it_became(index):
    """BM25's average length follows the collection: the first document does not fix it."""
    await index.add([Document("https://e.org/first", "", "short")])
    long = [Document(f"https://e.org/{n}", "", f"word{n} " * 400) for n in range(200)]
    await index.add(long)

    average = (await index.stats())["default"]["average_terms"]

    assert average > 150
    assert urls(await index.search("short")) == ["https://e.org/first"]
