"""Follow a running search: requests, responses, and hits before they are ranked.

    with listening(queue.put_nowait):
        response = await client.search("…")   → Asked, PartialHits, Said, … as they happen

A listener hears of the searches of its own task. It is quick, and must not raise. A response of
the cache, or of a search that another task began, is silent: all is in `Response.attempts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.models import Attempt, Hit


@dataclass(frozen=True, slots=True)
class Asked:
    """A request is sent to a provider, so long after the search began."""

    provider: str
    at_ms: float


@dataclass(frozen=True, slots=True)
class PartialHits:
    """A provider's hits, cleaned and filtered, in its own order."""

    provider: str
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Said:
    """An attempt has ended, or was not made."""

    attempt: Attempt
    at_ms: float


SearchEvent = Asked | PartialHits | Said
Listener = Callable[[SearchEvent], None]
listener: ContextVar[Listener | None] = ContextVar("kensaku_listener", default=None)


@contextmanager
def listening(callback: Listener) -> Iterator[None]:
    """Call `callback` with the events of every search in the body."""
    token = listener.set(callback)
    try:
        yield
    finally:
        listener.reset(token)
