"""The configured model: what is sent to it, and how long it may take."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest

from kensaku.answers.model import ChatModel
from kensaku.config.settings import Settings
from kensaku.errors import Timeout, Unreadable
from kensaku.providers._reply import Reply
from kensaku.providers.base import Request
from kensaku.transport.http import HttpClient

SAID = json.dumps({"choices": [{"message": {"content": " They do.\u200b "}}]}).encode()
PIECE = b'data: {"choices": [{"delta": {"content": "They do."}}]}\n'
MESSAGES = [{"role": "system", "content": "rules"}, {"role": "user", "content": "otters?"}]


class Server:
    """Takes so many seconds of the loop's clock, which else stands still."""

    def __init__(self, seconds: float = 0.0, status: int = 200) -> None:
        self.requests: list[Request] = []
        self.now, self._seconds, self._status = 0.0, seconds, status
        asyncio.get_running_loop().time = lambda: self.now  # type: ignore[method-assign]

    async def _work(self, request: Request) -> None:
        self.requests.append(request)
        self.now += self._seconds
        for _ in range(3):  # what is due by now happens
            await asyncio.sleep(0)

    async def send(self, request: Request, provider: str) -> Reply:
        assert provider == "llm"
        await self._work(request)
        return Reply(self._status, {}, SAID)

    async def stream(self, request: Request, provider: str) -> AsyncGenerator[bytes, None]:
        assert provider == "llm"
        await self._work(request)
        yield PIECE + b"data: [DONE]\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A model behind a URL, without a key."""
    return Settings.load(
        environ={"KENSAKU_HOME": str(tmp_path)}, llm_url="http://127.0.0.1:9/v1/", llm_model="small"
    )


def model_at(server: Server, settings: Settings) -> ChatModel:
    model = ChatModel.from_settings(settings, cast(HttpClient, server))
    assert model is not None
    return model


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("key", "headers"), [("", {}), ("sk-0123456789", {"Authorization": "Bearer sk-0123456789"})]
)
async def test_a_model_is_sent_one_chat_completion(
    tmp_path: Path, key: str, headers: dict[str, str], streams: bool
) -> None:
    """The rules, the question, and nothing that makes the reply a matter of luck."""
    server = Server()
    environ = {"KENSAKU_HOME": str(tmp_path)} | ({"KENSAKU_LLM_API_KEY": key} if key else {})
    given = Settings.load(environ=environ, llm_url="http://127.0.0.1:9/v1/", llm_model="small")
    model = model_at(server, given)
    if streams:
        assert [text async for text in model.stream("rules", "otters?")] == ["They do."]
    else:
        assert await model.ask("rules", "otters?") == "They do."

    body: dict[str, Any] = {"model": "small", "temperature": 0, "messages": MESSAGES}
    [request] = server.requests
    assert (request.url, request.method) == ("http://127.0.0.1:9/v1/chat/completions", "POST")
    assert request.headers == headers
    assert request.json == body | ({"stream": True} if streams else {})
    assert model.name == "small"


@pytest.mark.parametrize(
    ("took", "seconds", "sentence"),
    [
        (59.9, None, None),
        (60.0, None, "the model took longer than 60 s"),
        (61.0, 62.0, None),
        (2.5, 2.5, "the model took longer than 2.5 s"),
    ],
)
async def test_a_model_has_a_minute_or_what_is_given(
    settings: Settings, took: float, seconds: float | None, sentence: str | None
) -> None:
    """Whether the reply comes at once or in pieces."""
    model = model_at(Server(took), settings)
    if sentence is None:
        assert await model.ask("rules", "otters?", seconds) == "They do."
        assert [t async for t in model.stream("rules", "otters?", seconds)] == ["They do."]
        return
    with pytest.raises(Timeout, match=f"{sentence}$"):
        await model.ask("rules", "otters?", seconds)
    with pytest.raises(Timeout, match=f"{sentence}$"):
        [t async for t in model.stream("rules", "otters?", seconds)]


async def test_another_status_is_an_error_that_has_it(settings: Settings) -> None:
    """201 is as little an answer as 500."""
    with pytest.raises(Unreadable, match="the model's server answered 201") as caught:
        await model_at(Server(status=201), settings).ask("rules", "otters?")

    assert caught.value.status == 201


def test_without_a_url_there_is_no_model(tmp_path: Path) -> None:
    """Nothing is asked that nobody configured."""
    none = Settings.load(environ={"KENSAKU_HOME": str(tmp_path)})

    assert ChatModel.from_settings(none, cast(HttpClient, None)) is None
