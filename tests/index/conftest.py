"""A real index in a temporary directory; its worker ends with the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from kensaku.index import Index
from kensaku.index.collections import Collections
from kensaku.index.engines.base import Engine, open_engine


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    async with Index(tmp_path / "index", idle_timeout=0) as opened:
        yield opened


@pytest.fixture(params=["embedded", "server"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """Both engines: the embedded one, and Qdrant's client."""
    if request.param == "server":
        pytest.importorskip("qdrant_client")
    opened = open_engine(tmp_path) if request.param == "embedded" else open_engine(url=":memory:")
    yield opened
    opened.close()


@pytest.fixture
def store(engine: Engine) -> Collections:
    """Collections in this process, on both engines."""
    return Collections(engine)
