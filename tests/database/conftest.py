"""A database of each kind, empty and with its tables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.database import Database


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, machine: Path) -> Settings:
    """The settings of a database that does not have its tables yet."""
    url = request.getfixturevalue("postgresql") if request.param == "postgresql" else ""
    return Settings(home=machine, database_url=url)


@pytest.fixture
async def db(settings: Settings) -> AsyncIterator[Database]:
    """The database, open."""
    database = await Database.open(settings)
    yield database
    await database.close()


@pytest.fixture
async def file_db(machine: Path) -> AsyncIterator[Database]:
    """A file alone, for what no database does in its own way."""
    database = await Database.open(Settings(home=machine))
    yield database
    await database.close()
