"""Parquet: the columns of a document, read some rows at a time (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kensaku.errors import MissingExtra
from kensaku.jobs.sources._files import File, open_file
from kensaku.jobs.sources.record import (
    MAX_RECORD,
    MIB,
    Item,
    Rejected,
    Shard,
    to_record,
)

SHARD = 64 * MIB  # bytes of row groups that are read together
ROWS = 64  # rows that are decoded at a time
COLUMNS = (
    "url", "title", "text", "content", "contents", "body", "markdown", "html", "raw_html",
    "published", "language", "metadata",
)  # fmt: skip


def shards(file: File) -> Iterator[Shard]:
    """Split a file into runs of row groups. One that cannot be read is a shard that says so."""
    try:
        with open_file(file.url) as opened:
            metadata = _parquet().ParquetFile(opened).metadata
            sizes = [metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups)]
    except MissingExtra:
        raise
    except Exception:
        yield Shard("parquet", (file.url,), file.size, 0, 1)
        return
    start = size = 0
    for n, bytes_of_group in enumerate(sizes, 1):
        size += max(0, bytes_of_group)
        if size >= SHARD or n == len(sizes):
            yield Shard("parquet", (file.url,), size, start, n)
            start, size = n, 0


def records(shard: Shard) -> Iterator[Item]:
    """Yield the rows of the shard's row groups."""
    (url,) = shard.files
    row = 0
    try:
        with open_file(url) as opened:
            file = _parquet().ParquetFile(opened)
            groups = list(range(shard.start, shard.end))
            total = max(1, sum(file.metadata.row_group(n).num_rows for n in groups))
            columns = [c for c in COLUMNS if c in file.schema_arrow.names]
            batches = file.iter_batches(batch_size=ROWS, row_groups=groups, columns=columns)
            for batch in batches:
                for n in range(batch.num_rows):
                    row += 1
                    where = f"{url} row {row} of groups {shard.start}–{shard.end}"
                    values = {name: batch.column(name)[n].as_py() for name in columns}
                    yield Item(_record(values, where), shard.size * row // total)
    except MissingExtra:
        raise
    except Exception as error:  # pyarrow has many; what follows in the file is lost
        reason = f"unreadable ({type(error).__name__})"
        yield Item(Rejected(reason, f"{url} after row {row}"), shard.size)


def _record(values: dict[str, Any], where: str) -> Any:
    if sum(len(v) for v in values.values() if isinstance(v, str | bytes)) > MAX_RECORD:
        return Rejected("record too long", where)
    return to_record(values, where)


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "bulk") from error
    return pyarrow.parquet
