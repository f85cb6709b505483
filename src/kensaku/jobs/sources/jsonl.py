"""JSON lines: one object a line with `url`, `text` (or `html`) and what else a document has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

from kensaku.errors import MissingExtra
from kensaku.foreign_json import decode_json
from kensaku.jobs.sources._files import File, decompress, is_compressed, open_file
from kensaku.jobs.sources.record import MAX_RECORD, MIB, Item, Record, Rejected, Shard, to_record

SHARD = 64 * MIB  # bytes
_READ = MIB


def shards(file: File) -> Iterator[Shard]:
    """Split a file into byte ranges; a compressed one is a single shard."""
    step = max(1, file.size) if is_compressed(file.url) else SHARD
    for start in range(0, max(1, file.size), step):
        end = min(file.size, start + step)
        yield Shard("jsonl", (file.url,), end - start, start, end)


def records(shard: Shard) -> Iterator[Item]:
    """Yield the lines that begin inside of the shard."""
    (url,) = shard.files
    with open_file(url) as raw:
        compressed = is_compressed(url)
        if not compressed and shard.start:
            raw.seek(shard.start - 1)  # the line that holds this byte belongs to the shard before
        try:
            file = decompress(raw, url)
            for line in _lines(file, max(0, shard.start - 1), skip=bool(shard.start)):
                if not compressed and line.start >= shard.end:
                    return
                done = raw.tell() if compressed else line.end - shard.start
                if line.data is None or line.data.strip():
                    yield Item(_record(line, url), min(shard.size, done))
        except MissingExtra:
            raise  # it is not the file's fault
        except (OSError, EOFError, ValueError, MemoryError) as error:
            yield Item(Rejected(f"unreadable ({type(error).__name__})", url), shard.size)


class _Line(NamedTuple):
    start: int
    end: int
    data: bytes | None  # None: longer than a record may be


def _lines(file: IO[bytes], offset: int, *, skip: bool) -> Iterator[_Line]:
    """Yield lines with their offsets. At most one record is held, however long a line is."""
    start, held, too_long = offset, b"", False
    # A decompressor that meets the end of a cut file in `read` drops what it had unpacked.
    read = getattr(file, "read1", file.read)
    while chunk := read(_READ):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            length = len(part) + 1
            end = offset + length
            whole = None if too_long or len(held) + length > MAX_RECORD else held + part
            if not skip:
                yield _Line(start, end, whole)
            start, held, too_long, skip, offset = end, b"", False, False, end
        offset += len(rest)
        too_long = too_long or len(held) + len(rest) > MAX_RECORD
        held = b"" if too_long else held + rest
    if start < offset and not skip:
        yield _Line(start, offset, None if too_long else held)


def _record(line: _Line, url: str) -> Record:
    where = f"{url} at byte {line.start}"
    if line.data is None:
        return Rejected("line too long", where)
    try:
        return to_record(decode_json(line.data.decode("utf-8-sig")), where)
    except UnicodeDecodeError:
        return Rejected("wrong encoding", where)
    except ValueError:
        return Rejected("not JSON", where)
