"""The finished steps of a run by their names: nothing is done, paid or asked twice.

    await journal.once("web_search:…", work) → the result of `work`, or the one that is there

The results are JSON. A run that was killed goes on with the journal that `save` has kept: the
steps that are in it are not done again. A step that costs money is noted before it begins, too.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Save = Callable[[str, Any], Awaitable[None]]
Confirm = Callable[[], Awaitable[None]]


class Journal:
    """What a run has done so far. Give the same one to the run that goes on."""

    def __init__(
        self,
        finished: Mapping[str, Any] | None = None,
        save: Save | None = None,
        confirm: Confirm | None = None,
    ) -> None:
        """`confirm` is awaited before a step begins, and does not return if it must not."""
        self.finished = dict(finished or {})
        self._save, self._confirm = save, confirm
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def once(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """Return the result of a step; do it if it has not been done.

        A caller that names a step which is under way waits for its result.
        """
        async with self._locks[name]:
            if name not in self.finished:
                if self._confirm is not None:
                    await self._confirm()
                await self._keep(name, await work())
            return self.finished[name]

    async def at_most_once(
        self, name: str, work: Callable[[], Awaitable[Any]], otherwise: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the result of a step that costs money; do it if nobody has begun it.

        If a process was killed while it did the step, the money may be spent: then the result is
        that of `otherwise`.
        """

        async def begin() -> Any:
            note = f"begun:{name}"
            if note in self.finished:
                return await otherwise()
            await self._keep(note, True)
            return await work()

        return await self.once(name, begin)

    async def _keep(self, name: str, result: Any) -> None:
        if self._save is not None:
            await self._save(name, result)
        self.finished[name] = result
