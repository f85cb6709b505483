"""What is counted when a collection is opened: little, and enough to notice a loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kensaku.errors import IndexFault
from kensaku.index.collections import Collections
from kensaku.index.engines.base import META_ID
from kensaku.index.engines.embedded import EmbeddedEngine
from kensaku.models import Document

LONG = Document("https://e.org/long", "Long", "Herons wait in the reeds. " * 600)
SHORT = Document("https://e.org/short", "Short", "Otters swim.")


class EngineThatDoesNotCountDocuments(EmbeddedEngine):
    def count_documents(self, collection: str) -> int:
        raise AssertionError("the engine reads every passage for this")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    collections = Collections(EmbeddedEngine(tmp_path))
    collections.add("docs", [LONG, SHORT])
    collections.close()
    return tmp_path


@pytest.fixture
def reopened(directory: Path) -> Iterator[Collections]:
    collections = Collections(EmbeddedEngine(directory))
    yield collections
    collections.close()


def test_a_whole_collection_is_opened_without_reading_every_passage(directory):
    """200,000 passages took three seconds, and all of their text became resident."""
    collections = Collections(EngineThatDoesNotCountDocuments(directory))

    assert collections.stats("docs")["documents"] == 2
    assert collections.fault("docs") is None
    collections.close()


def test_a_collection_that_lost_its_record_says_so(reopened):
    """Also when one passage is all it has."""
    reopened.add("one", [SHORT])
    reopened.engine.write("one", [], [META_ID])
    again = Collections(reopened.engine)

    with pytest.raises(IndexFault, match="its record is missing"):
        again.meta("one")
