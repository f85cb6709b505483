"""The names that a collection may have. Pure."""

from __future__ import annotations

import re

from kensaku.errors import InvalidQuery
from kensaku.messages import msg

# ASCII only: a name becomes a directory and a part of a Qdrant collection's name and URL, and file
# systems disagree about which Unicode spellings are the same name.
_NAME = re.compile(r"(?:tenant\.[0-9a-f]{16}\.)?[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

# What a Qdrant server allows. Other applications name their collections as they like.
_SEARCHED = re.compile(r"[^<>:\"/\\|?*\x00-\x1f\x7f]{1,255}")


def check_collection_name(name: object) -> str:
    """Return `name` when it is a valid collection name; raise `InvalidQuery` when it is not."""
    if not isinstance(name, str):
        raise InvalidQuery(
            msg("a collection name must be text, not {name}", name=type(name).__name__)
        )
    if not _NAME.fullmatch(name):
        raise InvalidQuery(
            msg("a collection cannot be called {name!r}", name=name[:80]),
            remedy=msg("use 1 to 64 letters, digits, and . _ - (not first)"),
        )
    return name


def check_searched_name(name: object) -> str:
    """Return `name` when a collection to search, ours or another's, can be called so."""
    if not isinstance(name, str):
        raise InvalidQuery(
            msg("a collection name must be text, not {name}", name=type(name).__name__)
        )
    if not _SEARCHED.fullmatch(name):
        raise InvalidQuery(
            msg("a collection cannot be called {name!r}", name=name[:80]),
            remedy=msg('use 1 to 255 characters, and none of < > : " / \\ | ? *'),
        )
    return name
