"""The lock of a directory."""

from __future__ import annotations

import os

import pytest

from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.index.worker.lock import DirectoryLock
from tests.index.animals import ALL


def test_the_second_is_told_who_holds_the_lock(tmp_path):
    """And gets it when the first has released it."""
    first, second = DirectoryLock(tmp_path), DirectoryLock(tmp_path)
    first.acquire()

    with pytest.raises(IndexFault, match=str(os.getpid())):
        second.acquire(timeout=0)

    assert (first.acquired, second.acquired, second.contended) == (True, False, True)
    first.release()
    second.acquire(timeout=0)
    second.release()


def test_an_owner_that_is_exiting_has_no_name(tmp_path):
    """So that others wait for it instead of giving up."""
    lock = DirectoryLock(tmp_path)
    lock.acquire()
    assert lock.owner() == os.getpid()

    lock.clear_owner()

    assert lock.owner() is None
    assert lock.acquired
    lock.release()


async def test_a_lock_file_that_was_left_behind_blocks_nobody(tmp_path):
    """After kill -9 the file is there and locks nothing; so is the socket."""
    (tmp_path / "lock").write_text("999999999\n")
    (tmp_path / "socket").touch()

    async with Index(tmp_path, idle_timeout=0) as index:
        await index.add(ALL)
        assert await index.search("otters")
