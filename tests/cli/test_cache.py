"""`kensaku cache`: size and clearing."""

from __future__ import annotations

import json

from .conftest import Cli


def test_the_cache_can_be_counted_and_forgotten(cli: Cli) -> None:
    """stats, clear, stats."""
    cli("search", "otter")
    kept = json.loads(cli("cache", "stats", "--json").out)
    cleared = cli("cache", "clear")

    assert kept["responses"] == 1
    assert kept["bytes"] > 0
    assert cleared.out == "1 response deleted\n"
    assert cli("cache", "stats").out.startswith("0 responses, 0 of 268,435,456 bytes, in ")
    assert cli("cache").status == 2


def test_a_password_in_a_store_url_is_not_shown(cli: Cli) -> None:
    """Valkey's may stand before the host."""
    url = "valkey://user:hunter2@127.0.0.1:1"
    done = cli("cache", "stats", KENSAKU_CACHE_URL=url)

    assert "hunter2" not in done.out + done.err
