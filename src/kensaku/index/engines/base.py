"""What every index engine can do: store entries, find them by words or by vector.

Engines are synchronous and know nothing of languages, documents or fusion: `store.py` does that,
once, so that the embedded engine and a cluster rank alike. An entry is one passage.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kensaku.errors import ConfigError, InvalidQuery

WORDS = "words"  # the name of the sparse vector: BM25 weights, multiplied by IDF in the engine
DENSE = "dense"  # the name of the embedding, when the collection has one
META_ID = "0" * 32  # the entry that describes the collection itself; it has no vectors

Payload = dict[str, Any]


class Entry(NamedTuple):  # a tuple is made in half the time of a dataclass
    """One passage as an engine stores it. `id` is 32 hexadecimal digits."""

    id: str
    payload: Payload
    terms: list[int] = []
    weights: list[float] = []
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """What an entry must be like. Days are counted from 1970-01-01."""

    sites: tuple[str, ...] = ()
    not_sites: tuple[str, ...] = ()
    first_day: int | None = None
    last_day: int | None = None
    language: str | None = None
    ids: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return self != Where()


class Found(NamedTuple):
    """An entry that matched, and how well."""

    id: str
    score: float


class Engine(Protocol):
    """A place for collections. Called from one thread at a time."""

    def collections(self) -> list[str]:
        """The names of the collections, sorted."""
        ...

    def create(self, collection: str, dimensions: int | None) -> None:
        """Make an empty collection; with room for vectors when `dimensions` is given."""
        ...

    def add_vectors(self, collection: str, dimensions: int) -> None:
        """Give a collection that has none room for vectors."""
        ...

    def write(
        self,
        collection: str,
        entries: Sequence[Entry],
        remove: Sequence[str] = (),
        *,
        flush: bool = True,
    ) -> None:
        """Put and remove entries. When it returns, they survive the end of the process.

        With `flush` they survive the end of the machine's power as well.
        """
        ...

    def reweigh(self, collection: str, entries: Sequence[Entry]) -> None:
        """Give entries that exist other word weights; all else about them stays."""
        ...

    def get(
        self, collection: str, ids: Sequence[str], fields: Sequence[str] | None = None
    ) -> dict[str, Payload]:
        """The payloads of those entries that exist. `fields` are those that are needed, where they
        come over a network; an engine may give more."""
        ...

    def by_words(
        self, collection: str, terms: Mapping[int, float], limit: int, where: Where
    ) -> list[Found]:
        """The entries with the highest BM25 score, best first."""
        ...

    def by_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where
    ) -> list[Found]:
        """The entries with the highest cosine, best first."""
        ...

    def vectors(self, collection: str, ids: Sequence[str]) -> dict[str, Sequence[float]]:
        """The embeddings of those entries that have one."""
        ...

    def scroll(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[list[tuple[str, Payload]], str | None]:
        """Some entries in the order of their ids, and where to go on; None at the end.

        The entry that describes the collection is left out.
        """
        ...

    def count(self, collection: str) -> tuple[int, int]:
        """How many documents and how many passages there are."""
        ...

    def optimize(self, collection: str) -> None:
        """Reorganise what was written lately, so that it is fast to search."""
        ...

    def snapshot(self, directory: Path) -> None:
        """Copy every collection to another directory, which can be opened as an index."""
        ...

    def drop(self, collection: str) -> None:
        """Remove the collection and all that is in it."""
        ...

    def close(self) -> None:
        """Let go of all resources; everything written is safe."""
        ...


def open_index(
    path: str | Path | None = None,
    *,
    url: str | None = None,
    api_key: str | None = None,
    prefix: str = "kensaku-",
) -> Engine:
    """The engine at an address: a Qdrant server or cluster when `url` is given, else a directory.

    `url=":memory:"` is an empty Qdrant inside this process, for tests.
    """
    if url is not None:
        from kensaku.index.engines.server import Server

        return Server(url, api_key=api_key, prefix=prefix)
    if path is None:
        raise ConfigError("the local index has no place", remedy="give it a directory or a url")
    from kensaku.index.engines.embedded import Embedded

    return Embedded(Path(path))


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def check_name(collection: str) -> str:
    """`collection` itself, when it can name a directory and a collection on a server."""
    if not _NAME.fullmatch(collection):
        raise InvalidQuery(
            f"a collection cannot be called {collection[:80]!r}",
            remedy="use 1 to 64 letters, digits, and . _ - (not first)",
        )
    return collection
