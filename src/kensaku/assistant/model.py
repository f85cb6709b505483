"""The model of a run: any vendor by pydantic-ai, or an OpenAI-compatible URL.

    open_model(client, "anthropic:…") → Model → ask(system, user, seconds)    → text
                                              → stream(system, user, seconds) → pieces of it

A model is asked for text alone: it has no tools, and what it says calls none. Importing
pydantic-ai takes over a second; `prepare` does it in a thread while the first search runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from kensaku.answers.model import MODEL_SECONDS, Asks, ChatModel
from kensaku.answers.stream import EARLY, read_in_time
from kensaku.answers.tokenizer import count
from kensaku.errors import ConfigError, MissingExtra, ProviderError, Timeout, Unreadable
from kensaku.text.clean import visible

if TYPE_CHECKING:
    from kensaku.assistant.toolbox import Toolbox
    from kensaku.client import Kensaku

# Of pydantic-ai; looked up only where a name could also be one of the server at `llm.url`.
VENDORS = frozenset(
    {
        *("alibaba", "anthropic", "azure", "bedrock", "cerebras", "cohere", "deepseek"),
        *("fireworks", "gateway", "github", "google", "google-cloud", "google-gla"),
        *("google-vertex", "groq", "heroku", "huggingface", "litellm", "mistral", "moonshotai"),
        *("nebius", "ollama", "openai", "openai-chat", "openai-responses", "openrouter"),
        *("sambanova", "together", "vercel", "xai"),
    }
)


class Model(Asks, Protocol):
    """A model that may also stream."""

    def stream(
        self, system: str, user: str, seconds: float | None = None
    ) -> AsyncGenerator[str, None]:
        """Ask once and yield the text of the reply while it arrives."""


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

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        """Ask once; what is no text in the reply is left out."""
        limit = MODEL_SECONDS if seconds is None else seconds
        try:
            async with asyncio.timeout(limit):
                await self.prepare()
                said = await _request(self.model, system, user)
        except TimeoutError:
            raise Timeout("llm", f"the model took longer than {limit:g} s") from None
        except Exception as error:
            raise _vendor_error(error, self.name) from None
        text = visible(said).strip()
        if not text:
            raise Unreadable("llm", "the model sent no text")
        return text

    async def stream(
        self, system: str, user: str, seconds: float | None = None
    ) -> AsyncGenerator[str, None]:
        """Ask once and yield its text; a model that cannot stream gives all of it at once."""
        limit = MODEL_SECONDS if seconds is None else seconds
        try:
            texts = read_in_time(_stream(self.model, system, user), limit)
            async with aclosing(texts):
                async for text in texts:
                    yield text
        except ProviderError:
            raise
        except Exception as error:
            raise _vendor_error(error, self.name) from None


def open_model(client: Kensaku, name: Any = None) -> Model | None:
    """Return the model of a call, else of the settings; None when there is none.

    `vendor:model` and model objects are pydantic-ai's; other names are asked for at `llm.url`.
    """
    from dataclasses import replace

    s = client.settings
    chosen = name or s.model
    if chosen and _is_vendors(chosen, at_url=bool(s.llm_url)):
        if find_spec("pydantic_ai") is None:
            raise MissingExtra("pydantic-ai", "pydantic-ai")
        return VendorModel(chosen)
    if not s.llm_url:
        if chosen:
            raise ConfigError(
                f"the model {str(chosen)[:60]!r} has no vendor, and llm.url is not set",
                remedy="name it as vendor:model, or set KENSAKU_LLM_URL",
            )
        return None
    settings = replace(s, llm_model=chosen) if chosen else s
    return ChatModel(settings, client.resources.http)


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A model whose tokens count against the budget of a run."""

    model: Model
    tools: Toolbox

    @property
    def name(self) -> str:
        return self.model.name

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        """Ask within the budget. Raises `BudgetExceeded` before anything is sent."""
        asked = count(system) + count(user)
        await self.tools.budget.spend(tokens=asked)
        self.tools.model_calls += 1
        self.tools.tokens += asked
        text = await self.model.ask(system, user, seconds)
        said = count(text)
        self.tools.tokens += said
        await self.tools.budget.settle(tokens=said)
        return text

    async def stream(
        self, system: str, user: str, seconds: float | None = None
    ) -> AsyncGenerator[str, None]:
        """Ask within the budget; also a reply that breaks off is paid for."""
        asked, said = count(system) + count(user), list[str]()
        await self.tools.budget.spend(tokens=asked)
        self.tools.model_calls += 1
        self.tools.tokens += asked
        try:
            async with aclosing(self.model.stream(system, user, seconds)) as texts:
                async for text in texts:
                    said.append(text)
                    yield text
        finally:
            spent = count("".join(said))
            self.tools.tokens += spent
            await self.tools.budget.settle(tokens=spent)


def bounded(model: Model, tools: Toolbox) -> _Bounded:
    """Return the model with its tokens counted."""
    return _Bounded(model, tools)


def _is_vendors(chosen: Any, *, at_url: bool) -> bool:
    """Whether a model is pydantic-ai's. Servers have names with a colon, too: `qwen3:8b`."""
    if not isinstance(chosen, str):
        return True
    vendor, colon, _ = chosen.partition(":")
    return bool(colon) and (not at_url or vendor.partition("/")[0] in VENDORS)


def _load() -> None:
    import pydantic_ai.direct  # noqa: F401


def _vendor_error(error: Exception, name: str) -> ProviderError:
    """Translate an error of any vendor's client. Its words may repeat a key."""
    if isinstance(error, ImportError):
        vendor = name.partition(":")[0]
        what = f'the package of {vendor} is missing: pip install "pydantic-ai-slim[{vendor}]"'
        return ProviderError("llm", what)
    status = getattr(error, "status_code", None)
    what = f"answered {status}" if status else f"failed ({type(error).__name__})"
    return ProviderError("llm", f"the model {what}", status=status)


async def _request(model: Any, system: str, user: str) -> str:
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import TextPart

    reply = await model_request(model, _messages(system, user))
    return "".join(part.content for part in reply.parts if isinstance(part, TextPart))


async def _stream(model: Any, system: str, user: str) -> AsyncGenerator[str, None]:
    await asyncio.to_thread(_load)
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    began = False
    try:
        async with model_request_stream(model, _messages(system, user)) as reply:
            began = True
            async for event in reply:
                match event:
                    case PartStartEvent(part=TextPart(content=text)) if text:
                        yield text
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                        yield text
            if (reason := getattr(reply, "finish_reason", None)) in EARLY:
                raise Unreadable("llm", f"the model ended early ({reason})")
    except (NotImplementedError, AssertionError):  # what models raise that cannot stream
        if began:
            raise
        yield await _request(model, system, user)


def _messages(system: str, user: str) -> list[Any]:
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

    return [ModelRequest(parts=[SystemPromptPart(system), UserPromptPart(user)])]
