"""What happens while a store fails."""

from __future__ import annotations

import logging

from kensaku.store import FallbackStore, SqliteStore, ValkeyStore


async def test_where_nothing_can_be_written_memory_stands_in_and_one_warning_is_given(
    tmp_path, caplog
):
    """A read-only home: limits are then kept by this process alone."""
    (tmp_path / "file").write_text("in the way")
    store = FallbackStore(SqliteStore(tmp_path / "file" / "state.sqlite"))
    store.RETRY_AFTER = 0.0  # try the file again every time

    for n in range(5):
        await store.put(f"k{n}", b"1", 600)

    assert await store.get(["k4"]) == [b"1"]
    warnings = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert len(warnings) == 1
    await store.close()


async def test_a_server_that_is_gone_is_asked_again_later(caplog):
    """And while it is away, it is not asked for every search."""
    store = FallbackStore(ValkeyStore("valkey://127.0.0.1:9"))

    await store.put("a", b"1", 600)

    assert await store.get(["a"]) == [b"1"]
    assert store._retry_at > 0
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    await store.close()
