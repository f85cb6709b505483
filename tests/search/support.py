"""What several tests of a search use."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.models import Hit

if TYPE_CHECKING:
    from kensaku import Kensaku
    from kensaku.models import Query, Response
    from kensaku.providers.base import Findings, Provider

LONG = "word " * 100 + "end"  # 503 characters: more than Tavily takes


def hit(name: str, title: str = "Otters", content: str = "All about otters") -> Hit:
    return Hit(url=f"https://{name}.example/", title=title, content=content)


async def turns(count: int) -> None:
    """Let the event loop turn so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(happened) -> None:
    """Let others work until something has happened; a minute is enough for anything."""
    async with asyncio.timeout(60):
        while not happened():  # noqa: ASYNC110 - the upstream tells nobody
            await asyncio.sleep(0.001)


async def noticed(happened) -> None:
    """Let others work until something has happened, though clocks may stand still."""
    give_up = time.perf_counter() + 60
    while not happened():
        assert time.perf_counter() < give_up
        await asyncio.sleep(0)


def with_key(start: str):
    return lambda seen: seen.headers.get("authorization", "").startswith(f"Bearer {start}")


def document(url: str, text: str):
    from kensaku import Document

    return Document(url=url, title=text, text=text)


HANGS = "hangs"


class Script:
    """Answers in the place of the network: what each provider finds, raises, or never says."""

    def __init__(self, client: Kensaku, **answers: Any) -> None:
        """An answer is `Findings`, an error, `HANGS`, or a list of these: one for each request."""
        self.answers = answers
        self.asked: list[tuple[str, Query, str]] = []
        client._resources.ask = self.ask  # type: ignore[method-assign]

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.asked]

    async def ask(self, provider: Provider, query: Query, key: str) -> Findings:
        self.asked.append((provider.name, query, key))
        answer = self.answers[provider.name]
        answer = answer.pop(0) if isinstance(answer, list) else answer
        if answer is HANGS:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        return answer


def timeless(response: Response) -> Response:
    """A response without what differs from one run to the next."""
    attempts = tuple(replace(a, elapsed_ms=0.0) for a in response.attempts)
    return replace(response, attempts=attempts, elapsed_ms=0.0)
