"""Words that a person typed → web addresses, files, or one sentence on what is wrong with them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

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
    try:
        path = Path(word).expanduser().resolve(strict=True)
        if path.is_dir():
            next(path.iterdir(), None)
            return path
        if path.is_file():
            path.open("rb").close()
            return path
        why = "it is neither a file nor a folder"
    except OSError as error:
        why = error.strerror or type(error).__name__
    except (RuntimeError, ValueError):  # a loop of links, a NUL, a home that nobody has
        why = "it leads nowhere"
    raise UsageError(f"cannot read {word[:200]}: {why}")


def writable(word: str) -> Path:
    """The file that a word names, in a folder that is there. Raises `UsageError`."""
    path = Path(word).expanduser()
    if path.is_dir():
        raise UsageError(f"cannot write {word[:200]}: it is a folder")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {word[:200]}: {path.parent} is no folder")
    return path


def document_address(word: str) -> str:
    """What an indexed document is called: an address as it is, a path as file:///…"""
    if "://" in word or word.partition(":")[0] in _DOCUMENTS:
        return word
    return Path(word).expanduser().resolve().as_uri()


def path_of(address: str) -> Path | None:
    """The file behind a file:///… address."""
    if not address.startswith("file:///"):
        return None
    return Path(os.fsdecode(unquote_to_bytes(address.removeprefix("file://"))))
