"""Read the stored payloads out of Qdrant Edge's files, without Edge: for shards it cannot open.

    <shard>/segments/<id>/payload_storage/page_<n>.dat
    a value begins at a multiple of 128 bytes: 4 bytes size | LZ4 block → JSON

As Edge 0.9.0 writes them. Values that were replaced or deleted may still be there. What is in the
write-ahead log only is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kensaku.foreign_json import decode_json
from kensaku.index.engines.base import Payload
from kensaku.index.engines.points import unpack_payload

_BLOCK = 128
_CHUNK = 1 << 16  # bytes
_SIZE_BYTES = 4
_START = b'{"'  # of every payload; LZ4 leaves the first bytes as they are …
_START_WITHIN = range(_SIZE_BYTES + 1, _SIZE_BYTES + 8)  # … after a few bytes of its own
_MAX_SIZE = 16_000_000  # bytes of one passage; a damaged size must not fill the memory


def read_payload_files(shard: Path) -> Iterator[Payload]:
    """Yield the payloads of a shard that can be read, those of the newest file first."""
    for path in sorted(shard.glob("segments/*/payload_storage/page_*.dat"), key=_age):
        yield from _payloads(_read(path))


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _read(path: Path) -> bytes:
    """Return a file; zeros where the disk cannot read it. (A mapped file would end the process.)"""
    data = bytearray()
    with path.open("rb", buffering=0) as file:
        for start in range(0, path.stat().st_size, _CHUNK):
            file.seek(start)
            try:
                data += file.read(_CHUNK).ljust(_CHUNK, b"\0")
            except OSError:
                data += bytes(_CHUNK)
    return bytes(data)


def _payloads(data: bytes) -> Iterator[Payload]:
    at = data.find(_START)
    while at >= 0:
        block = at - at % _BLOCK
        payload = _payload(data, block) if at - block in _START_WITHIN else None
        if payload is not None:
            yield payload
        at = data.find(_START, at + 1)


def _payload(data: bytes, block: int) -> Payload | None:
    size = int.from_bytes(data[block : block + _SIZE_BYTES], "little")
    if not 0 < size <= _MAX_SIZE:
        return None
    try:
        value = decode_json(decompress_lz4(data, block + _SIZE_BYTES, size))
        return unpack_payload(value)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # no value begins here, or it is damaged


def decompress_lz4(data: bytes, at: int, size: int) -> bytes:
    """Return the `size` bytes of the LZ4 block at `at`; raise `ValueError` when it is damaged."""
    out = bytearray()
    try:
        while True:
            token = data[at]
            at, literals = _length(data, at + 1, token >> 4)
            out += data[at : at + literals]
            at += literals
            if len(out) >= size:
                break
            distance = int.from_bytes(data[at : at + 2], "little")
            at, repeated = _length(data, at + 2, token & 15)
            _repeat(out, distance, repeated + 4, size)
    except IndexError as error:
        raise ValueError("the block ends early") from error
    if len(out) != size:
        raise ValueError("the block has another size")
    return bytes(out)


def _length(data: bytes, at: int, nibble: int) -> tuple[int, int]:
    length, more = nibble, nibble == 15
    while more:
        length, more = length + data[at], data[at] == 255
        at += 1
    return at, length


def _repeat(out: bytearray, distance: int, count: int, size: int) -> None:
    """Append `count` bytes that begin `distance` bytes before the end, and may overlap it."""
    start = len(out) - distance
    if distance == 0 or start < 0 or len(out) + count > size:
        raise ValueError("the block refers to bytes outside of it")
    piece = bytes(out[start : start + count])
    out += (piece * (count // len(piece) + 1))[:count]
