"""`kensaku cache`: size and clearing."""

from __future__ import annotations

import json

from .conftest import Run


def test_the_cache_can_be_counted_and_forgotten(run: Run) -> None:
    """stats, clear, stats."""
    run("search", "otter")
    kept = json.loads(run("cache", "stats", "--json").stdout)
    cleared = run("cache", "clear")

    assert kept["responses"] == 1
    assert kept["bytes"] > 0
    assert cleared.stdout == "1 forgotten\n"
    assert run("cache", "stats").stdout.startswith("0 responses, 0 of 268,435,456 bytes, in ")
    assert run("cache").returncode == 2


def test_a_password_in_a_store_url_is_not_shown(run: Run) -> None:
    """Valkey's may stand before the host."""
    url = "valkey://user:hunter2@127.0.0.1:1"
    done = run("cache", "stats", KENSAKU_CACHE_URL=url)

    assert "hunter2" not in done.stdout + done.stderr
