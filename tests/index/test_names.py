"""The names of collections: ours, and those of others that a query may search."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.models import Query
from kensaku.text.collection_names import check_collection_name
from tests.index.animals import OTTERS

WRONG = ["", "../up", ".hidden", "-x", "a/b", "a b", "x" * 65, "日本", "a\n"]


@pytest.mark.parametrize("name", WRONG)
async def test_a_collection_cannot_be_named_like_a_path(index, name):
    """Names become directories, and parts of a URL on a server."""
    with pytest.raises(InvalidQuery):
        await index.add([OTTERS], collection=name)


@pytest.mark.parametrize("name", [".hidden", "a b", "x" * 65, "日本", "x" * 255])
def test_a_query_may_name_what_another_application_named(name):
    """On a Qdrant server; the index alone decides what exists."""
    assert Query("otters", collection=name).collection == name


NOWHERE = ["", "../up", "a/b", "a\\b", "a\n", "x" * 256, 7]


@pytest.mark.parametrize("name", [*NOWHERE, pytest.param(10**5000, id="a huge number")])
def test_a_query_refuses_what_no_engine_takes(name):
    """A Query that exists can be sent."""
    with pytest.raises(InvalidQuery):
        Query("otters", collection=name)


@pytest.mark.parametrize("name", ["a", "docs", "Docs-2.1_x", "7", "x" * 64])
def test_a_valid_name_is_taken_by_both(name):
    """Letters, digits, and . _ - after the first."""
    assert check_collection_name(name) == name
    assert Query("otters", collection=name).collection == name
