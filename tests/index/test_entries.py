"""A document → entries → the same document."""

from __future__ import annotations

import random

import pytest

from kensaku.index.entries import (
    bm25_weights,
    make_entries,
    prepare,
    rebuild_document,
    sites_of,
)
from kensaku.index.passages import MAX_CHARS
from kensaku.index.tokens import Terms
from kensaku.models import Document


@pytest.mark.parametrize("seed", range(20))
def test_a_document_can_be_rebuilt_from_its_entries(seed):
    """What was stored is given back to the letter."""
    chance = random.Random(seed)
    parts = ["# H\n\n", "A sentence here. ", "日本語。", "\n\n \n", "y" * 700, "\t"]
    document = Document(
        "https://e.org/x",
        "Title",
        "".join(chance.choices(parts, k=chance.randrange(0, 300))),
        published=chance.choice([None, "2024", "2024-05-06", "2024-05-06T07:08:09Z"]),
        metadata={"a": [1, 2]} if seed % 2 else {},
    )

    stored = make_entries(prepare(document, "rev"), 100.0, None)

    assert rebuild_document([entry.payload for entry in stored]) == document
    assert all(len(e.terms) == len(e.weights) for e in stored)
    assert all(len(e.payload["text"]) <= MAX_CHARS for e in stored)


@pytest.mark.parametrize(
    ("url", "sites"),
    [
        ("https://docs.python.org/3/", ["docs.python.org", "python.org"]),
        ("https://www.example.com:8080/x?y#z", ["example.com"]),
        ("http://user:pass@Example.ORG", ["example.org"]),
        ("http://192.168.1.7/", ["192.168.1.7"]),
        ("http://[2001:db8::1]:80/", ["2001:db8::1"]),
        ("pydoc:asyncio.Task", []),
        ("https:///nothing", []),
        ("not a url", []),
    ],
)
def test_the_sites_of_an_address(url, sites):
    """A filter for a domain takes its subdomains, and nothing that only ends alike."""
    assert sites_of(url) == sites


def test_each_passage_has_its_own_vector_and_place():
    """The first one has what is said of the document, too."""
    text = "\n\n".join(f"## Part {n}\n\n{'Words of it. ' * 150}" for n in range(3))
    prepared = prepare(Document("https://e.org/x", "T", text, language="en"), "rev")
    vectors = [[float(n)] for n in range(len(prepared.passages))]
    vectors[1] = None  # the model does not read its language

    stored = make_entries(prepared, 100.0, vectors)

    assert len(stored) > 2
    assert [e.vector for e in stored] == vectors
    assert [e.payload.get("part", 0) for e in stored] == list(range(len(stored)))
    assert [e.payload.get("start", 0) for e in stored] == [p.start for p in prepared.passages]
    assert {e.payload["rev"] for e in stored} == {prepared.record.rev}
    head, *others = [e.payload for e in stored]
    assert (head["url"], head["title"], head["parts"]) == ("https://e.org/x", "T", len(stored))
    assert head["said"] == "en"
    assert not any("url" in payload or "parts" in payload for payload in others)


def test_a_term_weighs_more_often_said_and_less_in_a_long_passage():
    """BM25, with other constants for scripts that write no spaces."""
    once, twice = Terms({1: 1}, {}, 100), Terms({1: 2}, {}, 100)

    assert bm25_weights(once, 100.0, "en") == [pytest.approx(1.0)]
    assert bm25_weights(twice, 100.0, "en")[0] > 1
    assert bm25_weights(Terms({1: 1}, {}, 200), 100.0, "en")[0] < 1
    assert bm25_weights(Terms({1: 1}, {}, 200), 100.0, "ja") != bm25_weights(
        Terms({1: 1}, {}, 200), 100.0, "en"
    )
    assert bm25_weights(Terms({1: 1}, {2: 1}, 100), 100.0, "en") == [pytest.approx(1.0)] * 2
