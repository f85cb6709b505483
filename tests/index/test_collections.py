"""Collections: what is replaced, deleted, dropped, and how lengths are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.errors import UnknownName
from kensaku.index import AddResult
from kensaku.index.meta import CollectionMeta
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

    assert (await index.stats())["default"] | {"average_terms": 0, "disk": 0} == {
        "documents": 1, "passages": 1, "languages": ["en"], "model": None, "average_terms": 0,
        "disk": 0, "foreign": False, "problem": None,
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


LENGTHS = [
    Document(f"doc:{n}", "", f"heron {'reed ' * (n % 37)}{'pond ' * (n % 5)}") for n in range(60)
]


async def test_ranking_does_not_depend_on_batches(index):
    """Documents that came one by one are compared with the same average length."""
    await index.add(LENGTHS, collection="once")
    for start in range(0, 60, 7):
        await index.add(LENGTHS[start : start + 7], collection="often")
    await index.add([replace(d, text="gone") for d in LENGTHS[:5]], collection="often")
    await index.add(LENGTHS[:5], collection="often")
    await index.add([Document("doc:x", "", "heron " * 90)], collection="often")
    await index.delete("doc:x", collection="often")
    await index.optimize("often")

    once = await index.search("heron pond", collections="once", max_results=60)
    often = await index.search("heron pond", collections="often", max_results=60)

    assert [h.score for h in often] == pytest.approx([h.score for h in once], abs=0.004)
    stats = await index.stats()
    assert stats["once"] | {"disk": 0} == stats["often"] | {"disk": 0}


async def test_a_small_collection_is_small_on_the_disk(index):
    """The engine's files look like 138 MB; their holes take no room."""
    await index.add([OTTERS])

    assert 10_000 < (await index.stats())["default"]["disk"] < 2_000_000


async def test_a_few_wrong_guesses_do_not_change_how_a_query_is_read(index):
    """Eight of 1,400 English abstracts look Dutch; queries are not Dutch for that."""
    meta = CollectionMeta(languages={"en": 1_392, "nl": 5, "de": 3})

    assert meta.query_languages("supersonic wings") == ["en"]
    assert meta.query_languages("wat is een vleugel van het vliegtuig") == ["en", "nl"]
    assert CollectionMeta(languages={"en": 30, "fr": 1}).query_languages("wings") == ["en", "fr"]


async def test_the_whole_stored_text_comes_with_a_hit(index):
    """As it was put in, from the index and not from the network."""
    text = "# A\r\n\r\n    code <b>\t\n\n\n\n" + "Herons wait. " * 600 + "\n  end\n"
    await index.add([Document("https://e.org/", "Herons", text)])

    (hit,) = await index.search("herons wait", include_raw_content=True)

    assert hit.raw_content == text
    assert text[hit.explain.local.start : hit.explain.local.end] == hit.content
