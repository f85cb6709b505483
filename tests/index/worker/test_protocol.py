"""Frames, errors and vectors between a program and the worker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kensaku.errors import IndexFault, InvalidQuery, KensakuError, UnknownName
from kensaku.index.worker.protocol import (
    decode_body,
    decode_error,
    encode_error,
    encode_frame,
    pack_vector,
    socket_path,
    unpack_vector,
)


@pytest.mark.parametrize("text", ["otter", "検索", "half \ud83e"])
def test_a_frame_carries_any_text(text):
    """Also lone surrogates, which come out of other people's JSON."""
    frame = encode_frame({"id": 1, "text": text})

    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    assert decode_body(frame[4:]) == {"id": 1, "text": text}


@pytest.mark.parametrize(
    "error",
    [
        IndexFault("it is full", remedy="free some space"),
        InvalidQuery("the query is empty"),
        UnknownName("collection", "docz", ["docs"]),
    ],
)
def test_an_error_arrives_with_its_type_sentence_and_remedy(error: KensakuError):
    """The program that asked reports it as if it had met it itself."""
    arrived = decode_error(encode_error(error))

    assert type(arrived) is type(error)
    assert (arrived.message, arrived.remedy) == (error.message, error.remedy)
    assert getattr(arrived, "name", None) == getattr(error, "name", None)


def test_an_error_of_an_unknown_type_is_a_fault_of_the_index():
    """A name from outside never picks a class that is no error."""
    for name in ("Nonsense", "annotations"):
        assert type(decode_error({"type": name, "message": "m", "remedy": "r"})) is IndexFault


def test_a_vector_arrives_in_single_precision():
    """Four bytes a number."""
    assert list(unpack_vector(pack_vector([0.5, -2.0])) or ()) == [0.5, -2.0]
    assert unpack_vector(pack_vector(None)) is None


def test_a_socket_is_beside_the_index_up_to_a_hundred_bytes(tmp_path, monkeypatch):
    """Beyond that it is in a private directory."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    home = tmp_path / f"kensaku-{os.getuid()}"
    root = tmp_path / ("x" * (100 - len(os.fsencode(tmp_path / "socket")) - 1))
    assert len(os.fsencode(root / "socket")) == 100
    assert socket_path(root) == root / "socket"
    assert not home.exists()

    far = socket_path(Path(f"{root}y"))
    assert far.parent == home
    assert len(far.stem) == 24
    assert far.suffix == ".socket"
    assert home.stat().st_mode & 0o777 == 0o700
    home.chmod(0o755)
    with pytest.raises(IndexFault, match="belongs to somebody else"):
        socket_path(Path(f"{root}y"))
