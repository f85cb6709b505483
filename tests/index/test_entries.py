"""A document → entries → the same document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.index.entries import (
    make_entries,
    prepare,
    rebuild_document,
    revision,
    sites_of,
)
from kensaku.models import Document
from kensaku.text.passages import MAX_CHARS

PIECES = st.sampled_from(["# H\n\n", "A sentence here. ", "日本語。", "\n\n \n", "y" * 700, "\t"])
DATES = st.sampled_from([None, "2024", "2024-05-06", "2024-05-06T07:08:09Z"])


@given(
    text=st.lists(PIECES, max_size=100).map("".join),
    published=DATES,
    metadata=st.sampled_from([{}, {"a": [1, 2]}]),
)
def test_a_document_can_be_rebuilt_from_its_entries(text, published, metadata):
    """What was stored is given back to the letter."""
    document = Document("https://e.org/x", "Title", text, published=published, metadata=metadata)

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


def test_a_revision_is_of_all_that_is_stored():
    """Each part counts; neither the address nor the order of metadata does."""
    whole = {
        "title": "T",
        "text": "x",
        "published": "2024",
        "language": "en",
        "metadata": {"a": 1, "b": 2},
    }
    known = revision(Document("doc:1", **whole), "model")

    assert revision(Document("doc:2", **whole), "model") == known
    assert revision(Document("doc:1", **{**whole, "metadata": {"b": 2, "a": 1}}), "model") == known
    assert revision(Document("doc:1", **whole)) != known
    empty = {"title": "", "text": "y", "published": None, "language": None, "metadata": {}}
    others = [{**whole, name: value} for name, value in empty.items()]
    assert len({known, *(revision(Document("doc:1", **o), "model") for o in others)}) == 6
