"""A frontier in memory whose changes are recorded, so that another process can repeat them.

crawl → changes → stored elsewhere → replay → the same frontier, without fetching a page
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kensaku.fetch.crawl.frontier import Frontier
from kensaku.models import Page

Change = list[Any]  # ["add", links, depth] | ["text", digest, url] | ["finish", url, score]


class RecordedFrontier(Frontier):
    """Records what happens to it, as JSON. It keeps no pages."""

    def __init__(self) -> None:
        super().__init__()
        self._changes: list[Change] = []

    def take_changes(self) -> list[Change]:
        """Return what has happened since the last call."""
        changes, self._changes = self._changes, []
        return changes

    async def replay(self, changes: Sequence[Sequence[Any]]) -> None:
        """Replay recorded changes. Changes already applied to this frontier are harmless."""
        for name, *arguments in changes:
            if name == "add":
                links, depth = arguments
                await super().add([(url, score) for url, score in links], depth)
            elif name == "text":
                digest, url = arguments
                await super().is_new_text(bytes.fromhex(digest), url)
            else:
                url, score = arguments
                await super().finish(url, None, score)

    async def add(self, links: Iterable[tuple[str, float]], depth: int) -> list[tuple[str, float]]:
        """Queue links, and record those that were new."""
        added = await super().add(links, depth)
        if added:
            self._changes.append(["add", [list(link) for link in added], depth])
        return added

    async def is_new_text(self, digest: bytes, url: str) -> bool:
        """Tell whether no other URL had this text, and record it."""
        new = await super().is_new_text(digest, url)
        if new:
            self._changes.append(["text", digest.hex(), url])
        return new

    async def finish(self, url: str, page: Page | None, score: float = 0.0) -> None:
        """Mark a link as finished; the page itself is not stored."""
        await super().finish(url, None, score)
        self._changes.append(["finish", url, score])
