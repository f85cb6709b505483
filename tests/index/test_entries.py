"""A document → entries → the same document."""

from __future__ import annotations

import random

import pytest

from kensaku.index.entries import make_entries, prepare, rebuild_document, sites_of
from kensaku.index.passages import MAX_CHARS
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
