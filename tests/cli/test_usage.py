"""`kensaku usage`: what went through the server."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.keys import create_key
from kensaku.database.usage import UsageWriter

from .conftest import Cli


@pytest.fixture
def used(machine) -> str:
    """A request and the search for it; returns the id of the key."""

    async def main() -> str:
        db = await Database.open(Settings(home=machine))
        key, _ = await create_key(db, "my agent", tenant="acme")
        own = {"tenant": "acme", "key": key.id, "endpoint": "tavily/search"}
        async with UsageWriter(db) as usage:
            usage.record(outcome="found", elapsed_ms=120, credits=1, **own)
            usage.record(outcome="invalid", elapsed_ms=1, **own)
            usage.record(outcome="found", provider="brave", cost=0.005, elapsed_ms=100, **own)
        await db.close()
        return key.id

    return asyncio.run(main())


def test_nothing_used_is_said(cli: Cli) -> None:
    """An empty table would look like a failure."""
    done = cli("usage")

    assert (done.status, done.out) == (0, "")
    assert "nothing went through the server in the last 30 days" in done.err
    assert "the last 1 day;" in cli("usage", "--days", "1").err
    assert cli("usage", "--json").json == []


def test_usage_is_shown_by_each_grouping(cli: Cli, used: str) -> None:
    """Keys with their names."""
    assert "brave" in cli("usage").out
    by_key = cli("usage", "--by", "key").out
    assert f"{used} (my agent)" in by_key
    for by, group in [("endpoint", "tavily/search"), ("tenant", "acme"), ("day", "20")]:
        assert group in cli("usage", "--by", by).out


def test_json_has_the_numbers(cli: Cli, used: str) -> None:
    """The group by its own name."""
    (row,) = cli("usage", "--by", "key", "--json").json
    (provider,) = cli("usage", "--json").json

    assert (row["key"], row["requests"], row["searches"], row["credits"]) == (used, 2, 1, 1)
    assert row["outcomes"] == {"found": 1, "invalid": 1}
    assert (provider["provider"], provider["cost"], provider["mean_ms"]) == ("brave", 0.005, 100)
    assert cli("usage", "--tenant", "other", "--json").json == []
