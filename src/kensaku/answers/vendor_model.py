"""A model of any vendor by pydantic-ai.

    VendorModel("anthropic:…") → ask(system, user, seconds)    → text
                               → stream(system, user, seconds) → pieces of it

Importing pydantic-ai takes over a second; `prepare` does it in a thread while the first search
runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from kensaku.answers.stream import EARLY, MODEL_SECONDS, read_in_time
from kensaku.errors import ProviderError, Timeout, Unreadable
from kensaku.messages import msg
from kensaku.text.clean import visible

# Extras of pydantic-ai-slim; github, ollama and others are asked by the client of OpenAI.
OWN_CLIENTS = frozenset(
    {
        *("anthropic", "bedrock", "cerebras", "cohere", "google"),
        *("groq", "huggingface", "mistral", "xai"),
    }
)


@dataclass(frozen=True, slots=True)
class VendorModel:
    """A model by pydantic-ai: its name there, or a model object of it."""

    model: Any = field(repr=False)

    @property
    def name(self) -> str:
        """The name, as pydantic-ai knows it."""
        return str(self.model if isinstance(self.model, str) else self.model.model_name)

    async def prepare(self) -> None:
        """Import pydantic-ai without blocking the event loop."""
        await asyncio.to_thread(_load)

    async def ask(self, system: str, user: str, seconds: float = MODEL_SECONDS) -> str:
        """Ask once; what is no text in the reply is left out."""
        try:
            async with asyncio.timeout(seconds):
                await self.prepare()
                said = await _request(self.model, system, user)
        except TimeoutError:
            raise Timeout(
                "llm", msg("the model took longer than {seconds:g} s", seconds=seconds)
            ) from None
        except Exception as error:
            raise vendor_error(error, self.name) from None
        text = visible(said).strip()
        if not text:
            raise Unreadable("llm", msg("the model sent no text"))
        return text

    async def stream(
        self, system: str, user: str, seconds: float = MODEL_SECONDS
    ) -> AsyncGenerator[str, None]:
        """Ask once and yield its text; a model that cannot stream gives all of it at once."""
        try:
            texts = read_in_time(_stream(self.model, system, user), seconds)
            async with aclosing(texts):
                async for text in texts:
                    yield text
        except ProviderError:
            raise
        except Exception as error:
            raise vendor_error(error, self.name) from None


def _load() -> None:
    import pydantic_ai.direct  # noqa: F401


def package_of(name: str) -> str:
    """Return the package that asks the vendor of a model; OpenAI's asks all without their own."""
    vendor = name.partition(":")[0].rpartition("/")[2].partition("-")[0]  # gateway/google-vertex:…
    return f"pydantic-ai-slim[{vendor if vendor in OWN_CLIENTS else 'openai'}]"


def vendor_error(error: Exception, name: str) -> ProviderError:
    """Translate an error of any vendor's client. Its words may repeat a key."""
    if isinstance(error, ImportError):
        return ProviderError(  # notes repeat the message alone, so it has the remedy
            "llm",
            msg(
                "the package for models of {vendor} is not installed; install it with: {command}",
                vendor=name.partition(":")[0],
                command=f'pip install "{package_of(name)}"',
            ),
        )
    status = getattr(error, "status_code", None)
    if status:
        return ProviderError(
            "llm", msg("the model answered {status}", status=status), status=status
        )
    return ProviderError("llm", msg("the model failed ({name})", name=type(error).__name__))


@asynccontextmanager
async def opened(model: Any) -> AsyncIterator[Any]:
    """Open a model: one that is made of its name has an HTTP client, which is closed again."""
    if not isinstance(model, str):
        yield model
        return
    from pydantic_ai.models import infer_model

    made: Any = infer_model(model)
    async with made if hasattr(made, "__aexit__") else nullcontext():
        yield made


async def _request(model: Any, system: str, user: str) -> str:
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import TextPart

    async with opened(model) as made:
        reply = await model_request(made, _messages(system, user))
    return "".join(part.content for part in reply.parts if isinstance(part, TextPart))


async def _stream(model: Any, system: str, user: str) -> AsyncGenerator[str, None]:
    await asyncio.to_thread(_load)
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    began = False
    try:
        async with (
            opened(model) as made,
            model_request_stream(made, _messages(system, user)) as reply,
        ):
            began = True
            async for event in reply:
                match event:
                    case PartStartEvent(part=TextPart(content=text)) if text:
                        yield text
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                        yield text
            if (reason := getattr(reply, "finish_reason", None)) in EARLY:
                raise Unreadable("llm", msg("the model ended early ({reason})", reason=reason))
    except (NotImplementedError, AssertionError):  # what models raise that cannot stream
        if began:
            raise
        yield await _request(model, system, user)


def _messages(system: str, user: str) -> list[Any]:
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

    return [ModelRequest(parts=[SystemPromptPart(system), UserPromptPart(user)])]
