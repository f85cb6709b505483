"""How a program and the index worker talk: frames of JSON on a Unix socket. Pure.

4 bytes length | {"id": 7, "call": "search", "given": {…}}
4 bytes length | {"id": 7, "result": …}  or  {"id": 7, "error": {"type", "message", …}}
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from kensaku import errors
from kensaku.errors import IndexFault, KensakuError, UnknownName

MAX_FRAME = 256_000_000
_MAX_SOCKET_PATH = 100  # the kernel takes 107 bytes, macOS 103


def frame(message: dict[str, Any]) -> bytes:
    """A message as bytes."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=str)
    data = body.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(4, "big") + data


def message(data: bytes) -> dict[str, Any]:
    """The message of a frame's body."""
    read: dict[str, Any] = json.loads(data.decode("utf-8", "surrogatepass"))
    return read


def error_out(error: KensakuError) -> dict[str, Any]:
    """An error of ours as plain values."""
    return {**error.to_dict(), "name": getattr(error, "name", "")}


def error_in(told: dict[str, Any]) -> KensakuError:
    """The error that was told, of its own type."""
    kind = getattr(errors, told["type"], IndexFault)
    if not (isinstance(kind, type) and issubclass(kind, KensakuError)):
        kind = IndexFault
    # Some types take other arguments than a sentence; what they say is all here already.
    error: KensakuError = kind.__new__(kind, told["message"])
    KensakuError.__init__(error, told["message"], remedy=told["remedy"])
    if isinstance(error, UnknownName):
        error.name = told["name"]
    return error


def socket_path(directory: Path) -> Path:
    """Where the worker of a directory listens: in it, or for a long path in a private place."""
    path = directory.resolve() / "socket"
    if len(os.fsencode(path)) <= _MAX_SOCKET_PATH:
        return path
    home = Path(tempfile.gettempdir()) / f"kensaku-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    state = home.lstat()
    if state.st_uid != os.getuid() or state.st_mode & 0o077:
        raise IndexFault(
            f"{home} belongs to somebody else", remedy="use a shorter path for the index"
        )
    name = hashlib.blake2b(os.fsencode(path), digest_size=12).hexdigest()
    return home / f"{name}.socket"
