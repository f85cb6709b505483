"""A real index in a temporary directory; its worker ends with the test."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kensaku.index import Index

sys.path.insert(0, str(Path(__file__).parent))  # for animals.py


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    async with Index(tmp_path / "index", linger=0) as opened:
        yield opened
