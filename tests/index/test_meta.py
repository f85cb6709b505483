"""What is known about a collection as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.index.meta import CollectionMeta, DocumentRecord

RECORDS = st.lists(
    st.builds(
        DocumentRecord,
        st.text("0123456789abcdef", min_size=28, max_size=28),
        st.text("0123456789abcdef", min_size=16, max_size=16),
        st.integers(1, 9),
        st.integers(0, 999),
        st.sampled_from(["en", "ja", "de"]),
    ),
    max_size=9,
)


@given(kept=RECORDS, gone=RECORDS)
def test_nothing_is_left_of_documents_that_were_taken_away(kept, gone):
    """Exactly, whatever the order: the checksum tells of every document that is lost."""
    meta, expected = CollectionMeta(), CollectionMeta()
    meta.count([*gone, *kept])
    meta.count(gone[::-1], -1)
    expected.count(kept[::-1])

    assert meta == expected
    assert meta.documents == len(kept)
    assert meta.passages == sum(record.passages for record in kept)
    assert sum(meta.languages.values()) == meta.passages
    assert (meta.checksum == "0") is (not kept)


def test_what_another_version_added_is_passed_over():
    """A collection that it wrote in the same format is read."""
    meta = CollectionMeta(20.0, 5, model="m", dimensions=3)

    assert CollectionMeta.from_payload({**meta.to_entry().payload, "later": 1}) == meta


def test_format_two_only_lists_its_languages():
    """They are kept until it is counted."""
    meta = CollectionMeta.from_payload({"format": 2, "languages": ["en", "ja"], "average": 9.0})

    assert meta.languages == {"en": 0, "ja": 0}
    assert not meta.counted
    assert meta.outdated
    meta.count([DocumentRecord("a", "1", 2, 30, "en")], -1)
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
        (100, 10_100, 100.0, False),
        (100, 10_110, 100.0, True),
        (100, 9_890, 100.0, True),
        (5_001, 510_102, 100.0, False),
        (5_001, 520_000, 100.0, True),
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
