"""Payloads are read out of the engine's files without the engine."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.index.engines.payload_files import decompress_lz4, read_payload_files
from kensaku.index.engines.points import pack_payload, unpack_payload


def literals(data: bytes) -> bytes:
    """An LZ4 block without repetitions."""
    if len(data) < 15:
        return bytes([len(data) << 4]) + data
    more, rest = divmod(len(data) - 15, 255)
    return b"\xf0" + b"\xff" * more + bytes([rest]) + data


@given(st.binary(max_size=700))
def test_a_block_without_repetitions_is_unpacked(data: bytes) -> None:
    """Short and long; what follows is not looked at, and what is missing is an error."""
    block = literals(data)

    assert decompress_lz4(b"??" + block + b"rest", 2, len(data)) == data
    for damaged, size in ((block[:-1], len(data)), (block, len(data) + 1)):
        with pytest.raises(ValueError, match="the block"):
            decompress_lz4(damaged, 0, size)


@pytest.mark.parametrize(
    ("block", "plain"),
    [
        # Three letters, then 4 from 3 bytes before, then one more.
        (b"\x30abc\x03\x00" + b"\x10z", b"abcabcaz"),
        # One letter, 19 and more times: the length goes on in another byte.
        (b"\x1fa\x01\x00\x05" + b"\x10z", b"a" * 25 + b"z"),
        (b"\x1fa\x01\x00\xff\x01" + b"\x10z", b"a" * 276 + b"z"),
    ],
)
def test_repetitions_are_written_out(block: bytes, plain: bytes) -> None:
    """They may overlap what they repeat."""
    assert decompress_lz4(block, 0, len(plain)) == plain


@given(st.binary(max_size=40), st.integers(0, 400))
def test_a_damaged_block_is_an_error_or_as_long_as_was_stored(block: bytes, size: int) -> None:
    """Never bytes from outside of it, and never without end."""
    with suppress(ValueError):
        assert len(decompress_lz4(block, 0, size)) == size


def value(payload: dict[str, object]) -> bytes:
    """A payload as the engine stores it: a size, a block, up to a multiple of 128 bytes."""
    data = json.dumps(payload, separators=(",", ":")).encode()
    block = len(data).to_bytes(4, "little") + literals(data)
    return block.ljust(-(-len(block) // 128) * 128, b"\0")


def test_files_are_read_newest_first(tmp_path: Path) -> None:
    """Damaged values are passed over, and the ones after them are read."""
    one, two, three = ({"stored": f'{{"n":{n}}}\nText {n}', "part": n} for n in (1, 2, 3))
    for age, (name, data) in enumerate(
        {
            "b": b"junk".ljust(128) + value(one) + b'\0\0\0\0\0{"x":1}'.ljust(128) + value(two),
            "a": value(three),
        }.items()
    ):
        folder = tmp_path / "segments" / name / "payload_storage"
        folder.mkdir(parents=True)
        (folder / "page_0.dat").write_bytes(data)
        (folder / "other.dat").write_bytes(value(one))
        os.utime(folder / "page_0.dat", (0, 1_000 + age))

    assert list(read_payload_files(tmp_path)) == [
        {"n": 3, "text": "Text 3", "part": 3},
        {"n": 1, "text": "Text 1", "part": 1},
        {"n": 2, "text": "Text 2", "part": 2},
    ]


def test_a_value_may_cross_what_is_read_at_a_time(tmp_path: Path) -> None:
    """64 KiB."""
    folder = tmp_path / "segments" / "a" / "payload_storage"
    folder.mkdir(parents=True)
    long = {"stored": '{"n":1}\n' + "Otters. " * 25}
    (folder / "page_0.dat").write_bytes(bytes(2**16 - 128) + value(long))

    assert [p["n"] for p in read_payload_files(tmp_path)] == [1]


def test_a_payload_is_packed_into_few_values() -> None:
    """Filters as numbers, the rest as one text; and it comes back."""
    payload = {"rev": "r", "text": "a\nb", "day": 3, "part": 1, "language": "en", "title": "é"}
    packed = pack_payload({**payload, "site": "e.org"})

    assert packed["stored"] == '{"rev":"r","language":"en","title":"é"}\na\nb'
    assert packed["site"] == pack_payload({"site": ["e.org", "x.org"]})["site"][0]
    assert unpack_payload(packed) == payload
    assert unpack_payload({"old": 1}) == {"old": 1}
    for lost in ({}, None):
        with pytest.raises(ValueError, match="lost its text"):
            unpack_payload(lost)
