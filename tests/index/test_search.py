"""Ranking, filters, languages and variety, through a real index."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.errors import InvalidQuery
from kensaku.models import MAX_QUERY_CHARS, Document
from tests.index.animals import ALL, HERONS, OTTERS, SEARCH, WINE, urls


async def test_a_hit_says_why_it_is_there(index):
    """Whoever wonders about a rank can look at the passage, its place and its words."""
    await index.add([*ALL[1:], replace(OTTERS, metadata={"a": 1})], collection="docs")

    [hit] = await index.search("stones")
    [passage] = await index.passages("stones", collections="docs")

    assert hit.explain.local.collection == "docs"
    assert hit.explain.local.highlights == ("Sea otters use stones.",)
    assert hit.explain.local.bm25 > 0
    assert (hit.explain.local.start, hit.explain.local.end) == (0, len(OTTERS.text))
    assert (hit.explain.local.language, hit.explain.local.metadata) == ("en", {"a": 1})
    assert hit.sources[0].rank == 1
    assert (passage.url, passage.title, passage.text) == (OTTERS.url, "Otters", OTTERS.text)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"include_domains": ["example.org"]}, [OTTERS.url]),
        ({"exclude_domains": ["example.org"]}, [HERONS.url]),
        ({"start_date": "2025-01-01"}, [HERONS.url]),
        ({"start_date": "2024-03-01", "end_date": "2024-03-01"}, [OTTERS.url]),
        ({"language": "ja"}, []),
        ({"include_domains": ["ample.org"]}, []),
    ],
)
async def test_filters_keep_what_was_asked_for(index, asked, expected):
    """Domains take their subdomains, dates are inclusive, languages are guessed when not told."""
    await index.add(ALL)

    assert urls(await index.search("rivers fish", **asked)) == expected


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("検索", SEARCH),
        ("東京で開発", SEARCH),
        ("engines", None),
        ("weiße Rebsorten", WINE),
        ("weisse rebsorte", WINE),
        ("fishes in a river", OTTERS),
        ("RIVER", OTTERS),
    ],
)
async def test_every_language_finds_its_own(index, query, document):
    """Stems, accents, and words that are not separated by spaces (S3: Japanese agents)."""
    await index.add(ALL)

    found = urls(await index.search(query))

    assert (document.url in found) if document else found == []


async def test_without_a_collection_all_are_searched(index):
    """An agent asks the index, not a shelf of it."""
    await index.add([OTTERS], collection="a")
    await index.add([HERONS], collection="b")

    assert set(urls(await index.search("fish"))) == {OTTERS.url, HERONS.url}
    assert urls(await index.search("fish", collections="b")) == [HERONS.url]
    assert await index.collections() == ["a", "b"]


async def test_passages_have_exact_offsets(index):
    """A citation points into the stored text, to the letter."""
    text = "".join(
        f"## Part {n}\n\nThe number {n} is told here. {'Filler words. ' * 90}\n\n" for n in range(6)
    )
    document = Document("https://e.org/parts", "Parts", text)
    await index.add([document])

    found = await index.passages("the number 4", max_results=3)

    assert found[0].heading == "Part 4"
    assert all(text[p.start : p.end] == p.text for p in found)
    assert len({p.start for p in found}) == 3
    assert found[0].score >= found[1].score


async def test_variety_puts_a_different_document_second(index):
    """Five copies of one press release are one answer (MMR)."""
    copies = [
        Document(f"https://e{n}.org/", "Mars", "The rover landed on Mars today and sent pictures.")
        for n in range(4)
    ]
    other = Document("https://other.org/", "Mars", "Mars has two moons; the rover cannot see them.")
    await index.add([*copies, other])

    assert other.url not in urls(await index.search("rover Mars landed", max_results=2))
    assert other.url in urls(await index.search("rover Mars landed", max_results=2, mmr=0.3))


LONG = "\n\n".join(f"Chapter {n} praises the heron. " * 60 for n in range(150))


async def test_ten_that_match_are_ten_hits_whatever_one_of_them_holds(index):
    """A book with a hundred passages on the matter is one hit, and does not hide the others."""
    short = [Document(f"https://e.org/{n}", "", f"Visit {n}: a heron.") for n in range(12)]
    await index.add([Document("https://e.org/book", "", LONG), *short])
    assert (await index.stats())["default"]["passages"] > 100

    found = urls(await index.search("heron", max_results=10))

    assert len(found) == len(set(found)) == 10
    everything = urls(await index.search("heron", max_results=50))
    assert sorted(everything) == sorted(["https://e.org/book", *(d.url for d in short)])


@pytest.mark.parametrize("address", ["doc:{}", "https://x/{}", "{}", "id-ä {}"])
@pytest.mark.parametrize("title", ["", "Heron"])
async def test_an_address_is_a_name_and_nothing_else(index, address, title):
    """Test collections number their documents; a title may be missing."""
    documents = [
        Document(address.format(n), title, f"The {word} stands in the river.")
        for n, word in enumerate(["heron", "otter", "grebe"])
    ]
    await index.add(documents, collection="docs")

    assert urls(await index.search("otter", collections="docs")) == [address.format(1)]
    assert len(await index.search("river", collections="docs")) == 3


async def test_a_query_of_hundreds_of_words_finds_its_document(index):
    """Somebody pastes an abstract; over the bound one sentence says so."""
    texts = [" ".join(f"w{n}x{k}" for k in range(200)) for n in range(12)]
    await index.add([Document(f"doc:{n}", "", text) for n, text in enumerate(texts)])
    asked = texts[5][:MAX_QUERY_CHARS]

    assert urls(await index.search(asked))[0] == "doc:5"
    with pytest.raises(InvalidQuery, match=str(MAX_QUERY_CHARS)):
        await index.search(asked + " more" * MAX_QUERY_CHARS)


async def test_a_misspelled_query_finds_the_nearest_words_and_says_so(index):
    """Only when nothing else is found; a note tells the reader."""
    await index.add(ALL)

    exact, near = await index.search("herons"), await index.search("heorns")

    assert urls(near) == urls(exact) == [HERONS.url]
    assert exact.notes == ()
    assert "one letter" in near.notes[0]
    assert await index.search("zebras") == []


async def test_a_title_of_stop_words_is_found(index):
    """A band and a novel whose names say nothing to a search engine."""
    band = Document("doc:who", "The Who", "A rock group from London.")
    novel = Document("doc:it", "It", "A novel by Stephen King.")
    await index.add([band, novel, *ALL])

    assert urls(await index.search("The Who")) == [band.url]
    assert urls(await index.search("it")) == [novel.url]
    assert urls(await index.search("the who rock group"))[0] == band.url
