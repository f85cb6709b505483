"""The protocol between a program and the index worker: frames of JSON on a Unix socket. Pure.

4 bytes length | {"id": 7, "call": "search", "arguments": {…}}
4 bytes length | {"id": 7, "result": …}  or  {"id": 7, "error": {"type", "message", …}}
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kensaku import errors
from kensaku.errors import IndexFault, KensakuError, UnknownName
from kensaku.messages import msg

MAX_FRAME = 256_000_000
_MAX_SOCKET_PATH = 100  # the kernel takes 107 bytes, macOS 103


def encode_frame(message: dict[str, Any]) -> bytes:
    """Return a message as a frame."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=str)
    data = body.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(4, "big") + data


def decode_body(data: bytes) -> dict[str, Any]:
    """Return the message in the body of a frame."""
    message: dict[str, Any] = json.loads(data.decode("utf-8", "surrogatepass"))
    return message


def pack_vector(vector: Sequence[float] | None) -> str | None:
    """Return a vector as text: four bytes a number, base64."""
    return None if vector is None else b64encode(array("f", vector).tobytes()).decode()


def unpack_vector(text: str | None) -> array[float] | None:
    """Return the vector that was packed."""
    return None if text is None else array("f", b64decode(text))


def encode_error(error: KensakuError) -> dict[str, Any]:
    """Return an error of ours as plain values."""
    return {**error.to_dict(), "name": getattr(error, "name", "")}


def decode_error(values: dict[str, Any]) -> KensakuError:
    """Return the error that was encoded, with its own type."""
    kind = getattr(errors, values["type"], IndexFault)
    if not (isinstance(kind, type) and issubclass(kind, KensakuError)):
        kind = IndexFault
    # Some types take other arguments than a sentence; the sentence is complete already.
    error: KensakuError = kind.__new__(kind, values["message"])
    KensakuError.__init__(error, values["message"], remedy=values["remedy"])
    if isinstance(error, UnknownName):
        error.name = values["name"]
    return error


def socket_path(directory: Path) -> Path:
    """Return where the worker of a directory listens: in it, or in a private temporary directory
    when the path is too long for a socket."""
    path = directory.resolve() / "socket"
    if len(os.fsencode(path)) <= _MAX_SOCKET_PATH:
        return path
    home = Path(tempfile.gettempdir()) / f"kensaku-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    state = home.lstat()
    if state.st_uid != os.getuid() or state.st_mode & 0o077:
        raise IndexFault(
            msg("{home} belongs to somebody else", home=home),
            remedy=msg("use a shorter path for the index"),
        )
    name = hashlib.blake2b(os.fsencode(path), digest_size=12).hexdigest()
    return home / f"{name}.socket"
