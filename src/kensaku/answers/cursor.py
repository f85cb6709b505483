"""The cursor of a context: how far the part before came, and in which list of passages.

Position → cursor_of → a short text → position_of → Position
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.errors import InvalidQuery

if TYPE_CHECKING:
    from kensaku.models import Passage


@dataclass(frozen=True, slots=True)
class Position:
    """Where the part before ended: passages shown, characters of the next one, and which list."""

    done: int = 0
    within: int = 0
    mark: str = ""


def cursor_of(position: Position, passages: Sequence[Passage]) -> str | None:
    """Where to go on, and in which list; None when everything was shown."""
    if position.done >= len(passages):
        return None
    values = f"{position.done}.{position.within}.{_mark(passages)}"
    return base64.urlsafe_b64encode(values.encode()).decode()


def position_of(cursor: str | None) -> Position:
    """Read a cursor. Raises `InvalidQuery` for one that is not ours."""
    if cursor is None:
        return Position()
    try:
        done, within, mark = base64.urlsafe_b64decode(cursor.encode()).decode().split(".")
        small = len(done) < 7 and len(within) < 7
        if done.isdecimal() and within.isdecimal() and small and len(mark) == 16:
            return Position(int(done), int(within), mark)
    except ValueError:
        pass
    raise InvalidQuery("the cursor is not one of ours", remedy="give back Context.cursor unchanged")


def has_changed(mark: str, passages: Sequence[Passage]) -> bool:
    """Whether the list is another than the one that a cursor was made for."""
    return bool(mark) and mark != _mark(passages)


def _mark(passages: Sequence[Passage]) -> str:
    places = "\n".join(f"{p.start} {p.url}" for p in passages)
    return hashlib.blake2b(places.encode("utf-8", "replace"), digest_size=8).hexdigest()
