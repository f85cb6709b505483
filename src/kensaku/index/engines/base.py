"""The interface of an index engine: store entries, search them by terms or by vector.

Engines are synchronous and know nothing of languages, documents or fusion: `collections.py` and
`search.py` do that once, so that the embedded engine and a cluster rank alike. An entry is one
passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kensaku.errors import ConfigError
from kensaku.index.payload import GUESS, PayloadFields
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.index.engines.foreign import ForeignCollections

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
class EntryFilter:
    """The condition on stored entries that a search sends to the engine.

    Days are counted from 1970-01-01. `Filters` is what the caller of the search asked for.
    """

    sites: tuple[str, ...] = ()
    not_sites: tuple[str, ...] = ()
    first_day: int | None = None
    last_day: int | None = None
    language: str | None = None
    ids: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return self != EntryFilter()


class ScoredEntry(NamedTuple):
    """The id of an entry that matched, and its score."""

    id: str
    score: float


class Engine(Protocol):
    """Stores collections of entries. Called from one thread at a time."""

    @property
    def foreign(self) -> ForeignCollections | None:
        """The collections of other applications; None where there cannot be any."""
        ...

    def collections(self) -> list[str]:
        """Return the names of the collections, sorted."""
        ...

    def create(self, collection: str, dimensions: int | None) -> None:
        """Create an empty collection, with vectors of `dimensions` numbers unless that is None."""
        ...

    def add_vectors(self, collection: str, dimensions: int) -> None:
        """Add a vector field to a collection that has none."""
        ...

    def write(
        self,
        collection: str,
        entries: Sequence[Entry],
        remove: Sequence[str] = (),
        *,
        flush: bool = True,
    ) -> None:
        """Put and remove entries. When it returns, they survive a killed process.

        With `flush` they survive a power failure as well.
        """
        ...

    def update_weights(self, collection: str, entries: Sequence[Entry]) -> None:
        """Replace the term weights of existing entries; leave everything else."""
        ...

    def get(
        self, collection: str, ids: Sequence[str], fields: Sequence[str] | None = None
    ) -> dict[str, Payload]:
        """Return the payloads of those entries that exist.

        `fields` names the ones that are needed; an engine may return more.
        """
        ...

    def search_terms(
        self, collection: str, terms: Mapping[int, float], limit: int, where: EntryFilter
    ) -> list[ScoredEntry]:
        """Return the entries with the highest BM25 score, best first."""
        ...

    def term_idf(self, collection: str, terms: Sequence[int]) -> dict[int, float]:
        """Return the IDF that a search multiplies each term by; leave out terms of no entry."""
        ...

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: EntryFilter
    ) -> list[ScoredEntry]:
        """Return the entries with the highest cosine, best first."""
        ...

    def get_vectors(self, collection: str, ids: Sequence[str]) -> dict[str, Sequence[float]]:
        """Return the embeddings of those entries that have one."""
        ...

    def scroll(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[list[tuple[str, Payload]], str | None]:
        """Return a page of entries in the order of their ids, and the offset of the next page.

        The offset is None at the end. The entry `META_ID` is left out. A payload that cannot be
        read is empty.
        """
        ...

    def count_passages(self, collection: str) -> int:
        """Return the number of passages. This is cheap."""
        ...

    def count_documents(self, collection: str) -> int:
        """Return the number of documents. An engine may read every passage to count them."""
        ...

    def disk_bytes(self, collection: str) -> int | None:
        """Return the disk usage of a collection; None if the engine cannot tell."""
        ...

    def optimize(self, collection: str) -> None:
        """Reorganise what was written since the last time, for faster search."""
        ...

    def snapshot(self, directory: Path) -> None:
        """Copy every collection to a directory that can be opened as an index."""
        ...

    def drop(self, collection: str) -> None:
        """Delete a collection with all its entries."""
        ...

    def close(self) -> None:
        """Flush and release files, connections and locks."""
        ...


def open_engine(
    path: str | Path | None = None,
    *,
    url: str | None = None,
    api_key: str | None = None,
    prefix: str = "kensaku-",
    fields: PayloadFields = GUESS,
) -> Engine:
    """Open the engine of a Qdrant server or cluster when `url` is given, else of a directory.

    `fields` says how to read what other applications have stored on that server.
    `url=":memory:"` is an empty Qdrant inside this process, for tests.
    """
    if url is not None:
        from kensaku.index.engines.server import ServerEngine

        return ServerEngine(url, api_key=api_key, prefix=prefix, fields=fields)
    if path is None:
        raise ConfigError(
            msg("the local index has no place"), remedy=msg("give it a directory or a url")
        )
    from kensaku.index.engines.embedded import EmbeddedEngine

    return EmbeddedEngine(Path(path))
