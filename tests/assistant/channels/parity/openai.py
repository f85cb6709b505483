"""The assistant as a model, by OpenAI's client, which sends the whole conversation each time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI

from . import Stage, Turn, query_of

NAME = ""


class Model:
    """A conversation with a model, streamed."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client
        self._messages: list[Any] = []

    async def say(self, text: str) -> Turn:
        self._messages.append({"role": "user", "content": text})
        stream = await self._client.chat.completions.create(
            model="kensaku", messages=self._messages, stream=True
        )
        said, known = "", {}
        async for chunk in stream:
            said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            known = getattr(chunk, "kensaku", None) or known
        self._messages.append({"role": "assistant", "content": said})
        if said.startswith("❓"):
            tool, _, query = said.splitlines()[-1].partition(": ")
            return Turn(asked=((tool, query),))
        steps = known["steps"]
        tools = tuple((s["tool"], query_of(s["arguments"]), s["outcome"]) for s in steps)
        return Turn(tools=tools, said=said)


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Model]:
    """A client of the server."""
    async with AsyncOpenAI(api_key="x", base_url=f"{stage.url}/v1", max_retries=0) as client:
        yield Model(client)
