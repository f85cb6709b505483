"""Split sources into shards, and find the reader of a shard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.jobs.sources._files import File, list_files
from kensaku.jobs.sources.record import MIB, Item, Shard
from kensaku.messages import msg

MAX_SHARDS = 100_000
SHARD_FILES, SHARD_BYTES = 100, 64 * MIB
# By the end of the name, longest first; a compression may follow. All others are single documents.
_FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".warc": "warc",
    ".wet": "warc",
}


def format_of(url: str) -> str:
    """Return the format of a file, by its name."""
    name = url.lower()
    for compression in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(compression)
    return next((f for suffix, f in _FORMATS.items() if name.endswith(suffix)), "files")


def plan_shards(sources: Iterable[str]) -> list[Shard]:
    """Split files, folders and prefixes into shards. Sitemaps are planned by who can fetch."""
    shards: list[Shard] = []
    for source in sources:
        for shard in _shards(source):
            shards.append(shard)
            if len(shards) > MAX_SHARDS:
                raise InvalidQuery(
                    msg("the sources have more than {max_shards:,} shards", max_shards=MAX_SHARDS),
                    remedy=msg("index them in several jobs"),
                )
    return shards


def records_of(shard: Shard) -> Iterator[Item]:
    """Yield the records of a shard, in their order."""
    read: Callable[[Shard], Iterator[Item]] = _module(shard.format).records
    return read(shard)


def _shards(source: str) -> Iterator[Shard]:
    documents: list[File] = []
    for file in list_files(source):
        if (format := format_of(file.url)) == "files":
            documents.append(file)
            if len(documents) == SHARD_FILES or sum(f.size for f in documents) > SHARD_BYTES:
                yield _of_files(documents)
                documents = []
        else:
            yield from _module(format).shards(file)
    if documents:
        yield _of_files(documents)


def _of_files(files: list[File]) -> Shard:
    return Shard("files", tuple(f.url for f in files), sum(f.size for f in files))


def _module(format: str) -> Any:
    return import_module(f"kensaku.jobs.sources.{format}")
