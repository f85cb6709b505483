"""`kensaku cache`: size and clearing."""

from __future__ import annotations

from pathlib import Path

from .conftest import Cli


def test_the_cache_can_be_counted_and_forgotten(cli: Cli, machine: Path) -> None:
    """What is in it, how often it answered, and how long it is of use."""
    for _ in range(2):
        cli("search", "otter", "--route", "tavily")
    kept = cli("cache", "stats", "--json").json
    told = cli("cache", "stats").out.splitlines()

    assert (kept["responses"], kept["hits"], kept["hit_rate"]) == (1, 1, 0.5)
    assert (kept["fresh_seconds"], kept["stale_seconds"]) == (3_600, 86_400)
    assert told == [
        f"1 responses, {kept['bytes']:,} of 268,435,456 bytes, in {machine / 'cache.sqlite'}",
        "1 of 2 searches were answered from it (50%)",
        "fresh for 1 h; served stale for up to 24 h if providers fail",
    ]
    assert cli("cache", "clear").out == "1 response deleted\n"
    assert cli("cache", "clear", "--json").json == {"forgotten": 0}
    assert cli("cache", "stats").out.startswith("0 responses, 0 of 268,435,456 bytes, in ")


def test_a_password_in_a_store_url_is_not_shown(cli: Cli) -> None:
    """Valkey's may stand before the host."""
    url = "valkey://user:hunter2@127.0.0.1:1"
    done = cli("cache", "stats", KENSAKU_CACHE_URL=url)

    assert "hunter2" not in done.out + done.err
