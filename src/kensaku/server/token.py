"""The token of a server without keys: who has it owns the server.

    KENSAKU_HOME/server-token     256 random bits, readable by its owner alone

`kensaku serve` prints it as part of a link. Once there are keys, it opens nothing.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from kensaku._logger import get_logger

log = get_logger("kensaku.server")
FILE = "server-token"
_TOKEN = re.compile(r"[\w-]{43}")


def load_token(home: Path) -> str:
    """Return the token in `home`; make it if there is none. Of several processes, one makes it."""
    try:
        return _read(home / FILE) or _make(home / FILE)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        log.warning("%s cannot be kept (%s); a restart makes another token", FILE, why)
        return secrets.token_urlsafe(32)


def is_same(sent: str, token: str) -> bool:
    """Compare in constant time. Nothing is the same as no token."""
    return bool(token) and hmac.compare_digest(sent.encode("utf-8", "replace"), token.encode())


def _read(path: Path) -> str | None:
    """Return the token of a file; None if there is none, or others could read it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with open(file, encoding="ascii", errors="replace") as opened:
        is_private = not os.fstat(file).st_mode & 0o077
        token = opened.read(100).strip()
    if is_private and _TOKEN.fullmatch(token):
        return token
    path.unlink()
    return None


def _make(path: Path) -> str:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{FILE}.{secrets.token_hex(8)}")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(file, "w") as opened:
            opened.write(token := secrets.token_urlsafe(32))
        with suppress(FileExistsError):  # another process was faster: its token counts
            os.link(part, path)
    finally:
        part.unlink()
    return _read(path) or token
