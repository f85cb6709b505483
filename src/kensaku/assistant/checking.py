"""Check a model's text while it arrives, and write what holds.

pieces → Checker → held until one sentence rests on a source → AnswerText
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING

from kensaku.errors import ProviderError, Unreadable
from kensaku.research.check import MAX_TEXT, Checker
from kensaku.text.clean import visible

if TYPE_CHECKING:
    from kensaku.assistant.writer import AnswerText


class Checking:
    """One reply of a model on its way into an answer.

    Sentences without a citation wait until one with a citation holds: of a reply without any,
    nothing is shown.
    """

    def __init__(self, checker: Checker, text: AnswerText) -> None:
        self.checker = checker
        self._text = text
        self._held = ""
        self._was_read = False

    async def read(self, pieces: AsyncGenerator[str, None]) -> dict[str, str]:
        """Read a reply to its end and return it, ready for JSON, with why it broke off.

        Raises a `ProviderError` when nothing of it can be used.
        """
        self._was_read = True
        said, broken = "", ""
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    said += piece
                    await self._feed(piece)
                    if len(said) > MAX_TEXT:
                        raise Unreadable("llm", f"it wrote more than {MAX_TEXT:,} characters")
            if not visible(said).strip():
                raise Unreadable("llm", "the model sent no text")
        except ProviderError as error:
            if not self.checker.checked.cited:
                raise
            broken = error.message
        return {"text": said[:MAX_TEXT], "broken": broken}

    async def finish(self, said: Mapping[str, str]) -> None:
        """Write the rest of a reply; all of it, if it was read by an earlier process.

        Of one that broke off, the unfinished sentence is left out. Raises a `ProviderError` when
        no citation holds.
        """
        if not self._was_read:
            await self._feed(said["text"])
        if not said["broken"]:
            self._held += await asyncio.to_thread(self.checker.end)
            self._write()
        if not self.checker.checked.cited:
            raise ProviderError("llm", "none of its citations stands in its source")

    async def _feed(self, piece: str) -> None:
        self._held += await asyncio.to_thread(self.checker.feed, piece)
        self._write()

    def _write(self) -> None:
        if self._held and self.checker.checked.cited:
            self._text.write(self._held)
            self._held = ""
