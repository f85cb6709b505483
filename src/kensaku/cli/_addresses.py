"""Check URLs and paths from the command line. Errors are one sentence about what is wrong."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from kensaku.errors import UsageError, system_reason
from kensaku.messages import msg

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?!\d)")  # example.com:8080 has none
_INDEX_SCHEMES = ("pydoc", "file")  # only the local index has such documents


def url_fault(url: str) -> str:
    """Say what is wrong with a web address, without looking up its host; "" if nothing is."""
    scheme = _SCHEME.match(url)
    if scheme is None:
        return msg("it has no scheme; write https://…")
    if scheme[1].lower() not in ("http", "https"):
        return msg(
            "{scheme}: is not a scheme that can be fetched; use https://… or http://…",
            scheme=scheme[1][:20],
        )
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return "" if host else msg("it names no host; write https://example.com/…")


def check_url(url: str) -> None:
    """Raise `UsageError` unless this is an HTTP(S) URL."""
    if fault := url_fault(url):
        raise UsageError(msg("{url!r} is no web address: {fault}", url=url[:200], fault=fault))


def is_url(word: str) -> bool:
    """Whether a word is a URL and not a path. Raises `UsageError` for one of the wrong scheme."""
    if "://" not in word:
        return False
    check_url(word)
    return True


def input_path(word: str) -> Path:
    """Return the absolute path of a readable file or folder. Raises `UsageError`."""
    try:
        path = Path(word).expanduser().resolve(strict=True)
        if path.is_dir():
            next(path.iterdir(), None)
            return path
        if path.is_file():
            path.open("rb").close()
            return path
        why = msg("it is neither a file nor a folder")
    except OSError as error:
        why = system_reason(error)
    except (RuntimeError, ValueError):  # a loop of links, a NUL, an unknown user's home
        why = msg("it leads nowhere")
    raise UsageError(
        msg("cannot read {word}: {why}", word=word[:200], why=why), remedy=msg("check the path")
    )


def output_path(word: str) -> Path:
    """Return the path of a file to write, in a folder that exists. Raises `UsageError`."""
    path = Path(word).expanduser()
    if path.is_dir():
        raise UsageError(msg("cannot write {word}: it is a folder", word=word[:200]))
    if not path.parent.is_dir():
        raise UsageError(
            msg("cannot write {word}: {parent} is no folder", word=word[:200], parent=path.parent)
        )
    return path


def document_url(word: str) -> str:
    """Return the URL of an indexed document: a URL unchanged, a path as file:///…"""
    if "://" in word or word.partition(":")[0] in _INDEX_SCHEMES:
        return word
    return Path(word).expanduser().resolve().as_uri()


def path_from_url(url: str) -> Path | None:
    """Return the path of a file:///… URL, None for any other."""
    if not url.startswith("file:///"):
        return None
    return Path(os.fsdecode(unquote_to_bytes(url.removeprefix("file://"))))
