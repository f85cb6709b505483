"""Documents and queries of every shape: short, long, without a title, with odd addresses."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.index.tokens import query_terms
from kensaku.models import MAX_QUERY_CHARS, Document
from tests.index.animals import urls

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


async def test_half_a_character_does_not_stop_a_batch(index):
    """Text that was cut between two surrogates comes out of other people's JSON."""
    await index.add([Document("doc:1", "", "An otter \ud83e"), Document("doc:2", "", "A heron")])

    assert [hit.content for hit in await index.search("otter")] == ["An otter ?"]


def test_a_word_that_is_said_twice_counts_twice():
    """Long queries say what they are about more than once."""
    once, twice = query_terms("otter heron"), query_terms("otter heron otter")

    assert once.keys() == twice.keys()
    assert sorted(twice.values()) == [1, 2]


async def test_a_query_of_hundreds_of_words_finds_its_document(index):
    """Somebody pastes an abstract; over the bound one sentence says so."""
    texts = [" ".join(f"w{n}x{k}" for k in range(200)) for n in range(12)]
    await index.add([Document(f"doc:{n}", "", text) for n, text in enumerate(texts)])
    asked = texts[5][:MAX_QUERY_CHARS]

    assert urls(await index.search(asked))[0] == "doc:5"
    with pytest.raises(InvalidQuery, match=str(MAX_QUERY_CHARS)):
        await index.search(asked + " more" * MAX_QUERY_CHARS)
