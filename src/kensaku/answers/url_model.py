"""A model behind a URL that speaks the OpenAI format: one chat completion, bounded in time.

UrlModel(url, name, key, http) → ask(system, user)    → text, or a `ProviderError`
                               → stream(system, user) → pieces of it as they arrive
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.answers.stream import MODEL_SECONDS, read_completion, read_in_time
from kensaku.errors import Timeout, Unreadable
from kensaku.messages import msg
from kensaku.text.clean import visible
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.config.secret import Secret
    from kensaku.transport.http import HttpClient


@dataclass(frozen=True, slots=True)
class UrlModel:
    """A model as its server knows it."""

    url: str
    name: str
    key: Secret | None
    http: HttpClient = field(repr=False)

    async def ask(self, system: str, user: str, seconds: float = MODEL_SECONDS) -> str:
        """Ask once and return the text of the reply, without invisible characters.

        Raises a `ProviderError` when it does not answer within `seconds`.
        """
        try:
            async with asyncio.timeout(seconds):
                reply = await self.http.send(self._question(system, user), "llm")
        except TimeoutError:
            raise Timeout(
                "llm", msg("the model took longer than {seconds:g} s", seconds=seconds)
            ) from None
        if reply.status != 200:
            message = f"the model's server answered {reply.status}"
            raise Unreadable("llm", message, status=reply.status)
        try:
            said = reply.json()["choices"][0]["message"]["content"]
        except (ValueError, KeyError, TypeError, IndexError):
            said = None
        text = visible(said).strip() if isinstance(said, str) else ""
        if not text:
            raise Unreadable("llm", msg("the model's server sent no answer"))
        return text

    async def stream(
        self, system: str, user: str, seconds: float = MODEL_SECONDS
    ) -> AsyncGenerator[str, None]:
        """Ask once and yield the text of the reply while it arrives, as it was sent.

        Raises a `ProviderError` when it takes longer than `seconds`, stalls, or ends early.
        """
        request = self._question(system, user, stream=True)
        async with aclosing(self.http.stream(request, "llm")) as body:
            async for text in read_in_time(read_completion(body), seconds):
                yield text

    def request(self, body: Mapping[str, Any]) -> Request:
        """Return the request for a completion of this model."""
        key = self.key
        return Request(
            url=self.url.rstrip("/") + "/chat/completions",
            headers={"Authorization": f"Bearer {key.reveal()}"} if key else {},
            json={**body, "model": self.name},
        )

    def _question(self, system: str, user: str, **more: bool) -> Request:
        said = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return self.request({"temperature": 0, "messages": said, **more})
