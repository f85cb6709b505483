"""The SQLite store: damage, permissions, expiry, event loops."""

from __future__ import annotations

import asyncio
import stat

from kensaku.store import SqliteStore


async def test_a_damaged_file_is_set_aside_and_begun_anew(tmp_path, caplog):
    """What is in it can be lost without harm; the next search must not fail for it."""
    path = tmp_path / "state.sqlite"
    path.write_bytes(b"this is no database, and never was " * 200)
    store = SqliteStore(path)

    await store.put("a", b"1", 600)

    assert await store.get(["a"]) == [b"1"]
    assert path.with_name("state.sqlite.damaged").read_bytes().startswith(b"this is no")
    assert "damaged" in caplog.text
    await store.close()


async def test_a_file_that_is_damaged_while_open_is_set_aside(tmp_path):
    """A bit flip on the disk, a half-written page."""
    path = tmp_path / "state.sqlite"
    store = SqliteStore(path)
    for n in range(500):
        await store.put(f"key {n}", b"x" * 200, 600)
    whole = bytearray(path.read_bytes())
    whole[4096:-4096] = b"\x99" * (len(whole) - 8192)
    path.write_bytes(whole)

    await store.get([f"key {n}" for n in range(100, 400, 7)])
    await store.put("a", b"1", 600)

    assert await store.get(["a"]) == [b"1"]
    await store.close()


async def test_the_file_is_for_its_owner_alone(tmp_path):
    """It says which providers somebody uses, and when."""
    store = SqliteStore(tmp_path / "home" / "state.sqlite")
    await store.put("a", b"1", 600)

    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home" / "state.sqlite").stat().st_mode) == 0o600
    await store.close()


async def test_what_has_expired_is_deleted_in_passing(tmp_path):
    """A server that runs for weeks must not keep weeks of results."""
    store = SqliteStore(tmp_path / "cache.sqlite")
    for n in range(1000):
        await store.put(f"hits:{n}", b"x", 600 if n == 999 else -1)

    assert (await store.size("hits:"))[0] == 1
    await store.close()


async def test_two_loops_one_after_the_other_share_a_store(tmp_path):
    """`asyncio.run` twice with one client."""
    store = SqliteStore(tmp_path / "state.sqlite")

    def in_a_loop_of_its_own(work):
        return asyncio.run(work)

    await asyncio.to_thread(in_a_loop_of_its_own, store.put("a", b"1", 600))
    assert await asyncio.to_thread(in_a_loop_of_its_own, store.get(["a"])) == [b"1"]
    await store.close()
