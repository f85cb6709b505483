"""Words that a person typed → web addresses, files, or one sentence on what is wrong with them."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kensaku.errors import UsageError

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?!\d)")  # example.com:8080 has none
_DOCUMENTS = ("pydoc", "file")  # addresses that only the local index has


def fault_of(url: str) -> str:
    """What is wrong with a web address, as far as can be seen without looking it up; or nothing."""
    scheme = _SCHEME.match(url)
    if scheme is None:
        return "it has no scheme; write https://…"
    if scheme[1].lower() not in ("http", "https"):
        return f"{scheme[1][:20]}: is not a scheme that can be fetched; use https://… or http://…"
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return "" if host else "it names no host; write https://example.com/…"


def check_url(url: str) -> None:
    """Raise `UsageError` for what cannot be a web address."""
    if fault := fault_of(url):
        raise UsageError(f"{url[:200]!r} is no web address: {fault}")


def is_url(word: str) -> bool:
    """Whether a word is meant as an address and not as a path. Raises for a scheme of no use."""
    if "://" not in word:
        return False
    check_url(word)
    return True


def readable(word: str) -> Path:
    """The file or folder that a word names, made absolute. Raises `UsageError`."""
    path = Path(word).expanduser()
    try:
        path = path.resolve(strict=True)
        if path.is_dir():
            next(path.iterdir(), None)
        elif path.is_file():
            path.open("rb").close()
        else:
            raise UsageError(f"cannot read {word[:200]}: it is neither a file nor a folder")
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        why = getattr(error, "strerror", None) or "it is no path"
        raise UsageError(f"cannot read {word[:200]}: {why}") from None
    return path


def document_address(word: str) -> str:
    """What an indexed document is called: an address as it is, a path as file:///…"""
    if "://" in word or word.partition(":")[0] in _DOCUMENTS:
        return word
    return Path(word).expanduser().absolute().as_uri()


def path_of(address: str) -> Path | None:
    """The file behind a file:///… address."""
    if not address.startswith("file:///"):
        return None
    return Path(unquote(address.removeprefix("file://")))
