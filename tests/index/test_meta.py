"""What is known about a collection as a whole."""

from __future__ import annotations

import pytest

from kensaku.index.engines.base import META_ID
from kensaku.index.meta import CollectionMeta, DocumentRecord

ONE, TWO = DocumentRecord("a", "1", 2, 30, "en"), DocumentRecord("b", "1", 3, 70, "ja")


def test_documents_are_counted_and_subtracted():
    """Exactly: nothing is left of what was taken away, whatever the order."""
    meta = CollectionMeta()
    meta.count([ONE, TWO])
    assert (meta.documents, meta.passages, meta.length) == (2, 5, 100)
    assert meta.languages == {"en": 2, "ja": 3}
    assert meta.current_average == 20
    both = meta.checksum
    other = CollectionMeta()
    other.count([TWO, ONE])
    assert other.checksum == both != "0"

    meta.count([ONE], -1)
    assert (meta.documents, meta.passages, meta.length) == (1, 3, 70)
    assert meta.languages == {"ja": 3}
    meta.count([TWO], -1)
    assert meta == CollectionMeta()
    assert meta.current_average == 1


def test_it_is_stored_as_an_entry():
    """And read again; what another version added is passed over."""
    meta = CollectionMeta(20.0, 5, model="m", dimensions=3)
    meta.count([ONE, TWO])
    entry = meta.to_entry()

    assert entry.id == META_ID
    assert entry.payload == {
        "average": 20.0,
        "weighed": 5,
        "documents": 2,
        "passages": 5,
        "length": 100,
        "checksum": meta.checksum,
        "languages": {"en": 2, "ja": 3},
        "model": "m",
        "dimensions": 3,
        "format": 3,
        "part": -1,
    }
    assert CollectionMeta.from_payload({**entry.payload, "later": 1}) == meta


def test_format_two_only_lists_its_languages():
    """They are kept until it is counted."""
    meta = CollectionMeta.from_payload({"format": 2, "languages": ["en", "ja"], "average": 9.0})

    assert meta.languages == {"en": 0, "ja": 0}
    assert not meta.counted
    assert meta.outdated
    meta.count([ONE], -1)
    assert meta.languages == {"en": 0, "ja": 0}


@pytest.mark.parametrize(
    ("languages", "text", "read"),
    [
        ({"en": 99, "ja": 1}, "otters", ["en", "ja"]),
        ({"en": 100, "ja": 1}, "otters", ["en"]),
        ({"en": 100, "ja": 1}, "ラッコ", ["en", "ja"]),
        ({}, "otters", []),
    ],
)
def test_a_query_is_read_in_the_languages_that_matter(languages, text, read):
    """One in a hundred, or the one that it is written in."""
    assert CollectionMeta(languages=languages).query_languages(text) == read


@pytest.mark.parametrize(
    ("passages", "length", "average", "outdated"),
    [
        (100, 10_000, 100.0, False),
        (100, 10_100, 100.0, False),
        (100, 10_110, 100.0, True),
        (100, 9_890, 100.0, True),
        (5_000, 510_000, 100.0, True),
        (5_001, 510_102, 100.0, False),
        (5_001, 520_000, 100.0, True),
        (100, 10_000, 0.0, True),
    ],
)
def test_weights_are_outdated_when_the_average_has_moved(passages, length, average, outdated):
    """By one part in a hundred; by three where there are more than 5,000 passages."""
    meta = CollectionMeta(average, passages=passages, length=length)
    assert meta.outdated is outdated
    if passages <= 5_000:
        assert meta.reweigh_at_once is outdated


@pytest.mark.parametrize(
    ("weighed", "at_once"), [(9_091, False), (9_090, True), (11_111, False), (11_112, True)]
)
def test_a_large_collection_is_weighed_again_when_it_has_grown_by_a_tenth(weighed, at_once):
    """Or shrunk; so that adding stays linear."""
    meta = CollectionMeta(50.0, weighed, passages=10_000, length=10**6)
    assert meta.reweigh_at_once is at_once
    meta.format = 2
    assert not meta.reweigh_at_once
    meta.format, meta.average = 3, 100.0
    assert not meta.reweigh_at_once
