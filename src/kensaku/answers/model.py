"""The configured model: one OpenAI-compatible chat completion, bounded in time.

ChatModel.from_settings(settings, http) → ask(system, user)    → text, or a `ProviderError`
                                        → stream(system, user) → pieces of it as they arrive
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, Self

from kensaku.answers.stream import read_completion, read_in_time
from kensaku.errors import Timeout, Unreadable
from kensaku.text.clean import visible
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.transport.http import HttpClient

MODEL_SECONDS = 60.0


class Asks(Protocol):
    """Something that answers a prompt. Raises a `ProviderError` when it does not."""

    @property
    def name(self) -> str:
        """The model's name."""

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        """Ask once and return the text of the reply."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model behind a URL that speaks the OpenAI format."""

    settings: Settings = field(repr=False)
    http: HttpClient = field(repr=False)

    @classmethod
    def from_settings(cls, settings: Settings, http: HttpClient) -> Self | None:
        """Return the configured model; None when there is none."""
        return cls(settings, http) if settings.llm_url else None

    @property
    def name(self) -> str:
        """The model's name, as its server knows it."""
        return self.settings.llm_model

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        """Ask once and return the text of the reply, without invisible characters.

        Raises a `ProviderError` when it does not answer within `seconds`.
        """
        limit = MODEL_SECONDS if seconds is None else seconds
        try:
            async with asyncio.timeout(limit):
                reply = await self.http.send(self._request(system, user), "llm")
        except TimeoutError:
            raise Timeout("llm", f"the model took longer than {limit:g} s") from None
        if reply.status != 200:
            message = f"the model's server answered {reply.status}"
            raise Unreadable("llm", message, status=reply.status)
        try:
            said = reply.json()["choices"][0]["message"]["content"]
        except (ValueError, KeyError, TypeError, IndexError):
            said = None
        text = visible(said).strip() if isinstance(said, str) else ""
        if not text:
            raise Unreadable("llm", "the model's server sent no answer")
        return text

    async def stream(
        self, system: str, user: str, seconds: float | None = None
    ) -> AsyncGenerator[str, None]:
        """Ask once and yield the text of the reply while it arrives, as it was sent.

        Raises a `ProviderError` when it takes longer than `seconds`, stalls, or ends early.
        """
        limit = MODEL_SECONDS if seconds is None else seconds
        request = self._request(system, user, stream=True)
        async with aclosing(self.http.stream(request, "llm")) as body:
            async for text in read_in_time(read_completion(body), limit):
                yield text

    def _request(self, system: str, user: str, *, stream: bool = False) -> Request:
        key = self.settings.llm_api_key
        return Request(
            url=self.settings.llm_url.rstrip("/") + "/chat/completions",
            headers={"Authorization": f"Bearer {key.reveal()}"} if key else {},
            json={
                "model": self.settings.llm_model,
                "temperature": 0,
                "messages": [
                    {"role": "system", "content": system},
                    {"role": "user", "content": user},
                ],
                **({"stream": True} if stream else {}),
            },
        )
