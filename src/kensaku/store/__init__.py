"""State that processes share: in memory, a SQLite file, or Valkey/Redis by URL.

open_store("")            a file in home: all processes of this user on this machine
open_store("memory:")     this process alone
open_store("valkey://…")  all machines that can reach the server
"""

from __future__ import annotations

from pathlib import Path

from kensaku.errors import ConfigError
from kensaku.messages import msg
from kensaku.store.base import Store
from kensaku.store.fallback import FallbackStore
from kensaku.store.memory import MemoryStore
from kensaku.store.sqlite import SqliteStore
from kensaku.store.valkey import ValkeyStore

__all__ = [
    "FallbackStore",
    "MemoryStore",
    "SqliteStore",
    "Store",
    "ValkeyStore",
    "is_valkey",
    "open_store",
]


def is_valkey(url: str) -> bool:
    """Whether a setting names a Valkey or Redis server."""
    return url.startswith(("valkey://", "valkeys://", "redis://", "rediss://", "unix://"))


def open_store(url: str, home: Path, name: str, max_bytes: int | None = None) -> Store:
    """Return the store that a setting names. Nothing is opened before the first use.

    `max_bytes` bounds a file or this process's memory; a server has a bound of its own.
    """
    if not url:
        return SqliteStore(home / f"{name}.sqlite", max_bytes)
    if url == "memory:":
        return MemoryStore(max_bytes)
    if is_valkey(url):
        return ValkeyStore(url)
    if url.startswith("sqlite:"):
        path = Path(url.removeprefix("sqlite:").removeprefix("//")).expanduser()
        return SqliteStore(path, max_bytes)
    raise ConfigError(
        msg("{url!r} is no kind of store", url=url.partition(":")[0][:20]),
        remedy=msg("write valkey://host:6379, sqlite:///path, memory:, or nothing"),
    )
