"""A document → entries → the same document."""

from __future__ import annotations

import random
from datetime import date

import pytest

from kensaku.index.entries import (
    bm25_weights,
    date_of,
    day_of,
    document_id,
    document_of,
    entry_id,
    make_entries,
    passage_terms,
    prepare,
    published_of,
    rebuild_document,
    revision,
    sites_of,
    text_hash,
)
from kensaku.models import Document
from kensaku.text.passages import MAX_CHARS
from kensaku.text.tokens import Terms
from kensaku.text.words import term_id


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


def test_a_document_is_stored_as_exactly_these_entries():
    """The first has what is said of the document; the others their place; all what filters need."""
    text = "  One.\n\n" + "Words of it. " * 300 + "\n"
    document = Document(
        "https://docs.e.org/x", "T", text, "2024-05-06T07:08:09Z", "en", {"b": 1, "a": [2]}
    )
    prepared = prepare(document, "rev")
    first, second = make_entries(prepared, 100.0, None)
    cut = first.payload["text"]

    assert first.id == entry_id(document_id(document.url), 0)
    assert first.payload == {
        "rev": "rev",
        "text": cut,
        "language": "en",
        "site": ["docs.e.org", "e.org"],
        "day": 19_849,
        "before": "  ",
        "start": 2,
        "url": "https://docs.e.org/x",
        "title": "T",
        "terms": sum(t.length for t in prepared.terms),
        "parts": 2,
        "published": "2024-05-06T07:08:09Z",
        "said": "en",
        "metadata": '{"b": 1, "a": [2]}',
    }
    assert second.id == entry_id(document_id(document.url), 1)
    assert second.payload == {
        "rev": "rev",
        "text": second.payload["text"],
        "language": "en",
        "site": ["docs.e.org", "e.org"],
        "day": 19_849,
        "start": prepared.passages[1].start,
        "part": 1,
        "after": " \n",
    }
    assert (first.vector, second.vector) == (None, None)
    assert second.terms == prepared.terms[1].ids
    assert prepared.record == (document_id(document.url), "rev", 2, first.payload["terms"], "en")


def test_a_small_document_is_stored_with_little():
    """What says nothing is left out."""
    (entry,) = make_entries(prepare(Document("doc:1", "T", "# H\n\nOtters swim."), "r"), 1.0, None)

    assert entry.payload == {
        "rev": "r",
        "text": "# H\n\nOtters swim.",
        "language": "en",
        "heading": "H",
        "url": "doc:1",
        "title": "T",
        "terms": 4,
    }
    (empty,) = make_entries(prepare(Document("doc:1", "Title"), "r"), 1.0, None)
    assert (empty.payload["text"], empty.payload["terms"]) == ("", 3)
    assert len(empty.terms) == 1
    (dated,) = make_entries(
        prepare(Document("https://e.org/", "T", "x", "2024-05-06"), "r"), 1.0, None
    )
    assert dated.payload["day"] == 19_849
    assert dated.payload["site"] == "e.org"
    assert "published" not in dated.payload


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1970-01-01", 0),
        ("1970-01-02T23:59:59Z", 1),
        ("1969-12", -31),
        ("2024", 19_723),
        ("2024-05", 19_844),
        (date(2024, 5, 6), 19_849),
        ("2024-13", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_days_are_counted_from_1970(text, day):
    """A year is its first day."""
    assert day_of(text) == day


def test_a_day_is_a_date_again():
    """As filters show it."""
    assert date_of(19_849) == "2024-05-06"
    assert date_of(0) == "1970-01-01"
    assert date_of(None) is None
    assert published_of({"published": "2024-05-06T07", "day": 1}) == "2024-05-06T07"
    assert published_of({"day": 1}) == "1970-01-02"
    assert published_of({}) is None


def test_ids_are_those_of_every_machine():
    """They are made of the address and the number of the passage."""
    assert document_id("https://e.org/x") == "108c135f237f3023d14650b7951c"
    assert entry_id("a" * 28, 0x1F) == "a" * 28 + "001f"
    assert document_of("a" * 28 + "001f") == "a" * 28


def test_a_revision_is_of_all_that_is_stored():
    """Each part counts, and the order of metadata does not."""
    whole = {
        "title": "T",
        "text": "x",
        "published": "2024",
        "language": "en",
        "metadata": {"a": 1, "b": 2},
    }
    known = revision(Document("doc:1", **whole), "model")

    assert known == "6ba03d45b3b9eb8d"
    assert text_hash("\ud83e") == text_hash("?")  # half a character
    assert revision(Document("doc:2", **whole), "model") == known
    assert revision(Document("doc:1", **{**whole, "metadata": {"b": 2, "a": 1}}), "model") == known
    others = [{**whole, name: value} for name, value in
              {"title": "", "text": "y", "published": None, "language": None, "metadata": {}}.items()]  # fmt: skip
    assert len({known, *(revision(Document("doc:1", **o), "model") for o in others)}) == 6
    assert revision(Document("doc:1", **whole)) != known


def test_a_title_counts_three_times():
    """A heading once; a name of stop words is a term of its own, of a title or of a short text."""
    terms = passage_terms("Otters", "Rivers", "Herons", "en")
    assert terms.words == {term_id("otter"): 3, term_id("river"): 1, term_id("heron"): 1}
    assert terms.pairs == {}
    who = term_id("who\0\0")
    assert who in passage_terms("Who", "", "A band", "en").pairs
    assert who in passage_terms("", "", "Who", "en").pairs
    assert who not in passage_terms("Band", "", "Who", "en").pairs
    assert who in passage_terms("", "", "a " * 18 + " who", "en").pairs
    assert who not in passage_terms("", "", "a " * 18 + "  who", "en").pairs


@pytest.mark.parametrize(
    ("language", "count", "length", "weight"),
    [
        ("en", 1, 100, 1.0),
        ("en", 2, 100, 1.375),
        ("en", 1, 200, 0.709677),
        ("de", 1, 200, 0.709677),
        ("ja", 2, 100, 1.285714),
        ("zh", 1, 200, 0.789474),
        ("ko", 1, 200, 0.789474),
    ],
)
def test_weights_are_those_of_bm25(language, count, length, weight):
    """k1 1.2 and b 0.75; 0.8 and 0.6 where words are not spaced."""
    assert bm25_weights(Terms({1: count}, {}, length), 100.0, language) == [
        pytest.approx(weight, abs=1e-6)
    ]
