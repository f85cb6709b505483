"""A real index in a temporary directory; its worker ends with the test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kensaku.index import Index


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    async with Index(tmp_path / "index", idle_timeout=0) as opened:
        yield opened
