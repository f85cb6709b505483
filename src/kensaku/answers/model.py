"""THE door to a model: whoever asks one opens it here.

    open_model(client) → the vendor's by pydantic-ai | the one at `llm.url` | None
                       → ask(system, user, seconds)    → text
                       → stream(system, user, seconds) → pieces of it

`model` counts over `llm.model`: as `vendor:name` it is pydantic-ai's, else it is asked for at
`llm.url`. A model is asked for text alone: it has no tools, and what it says calls none.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from kensaku.answers.stream import MODEL_SECONDS
from kensaku.answers.tokenizer import count
from kensaku.errors import ConfigError, MissingExtra
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.url_model import UrlModel
    from kensaku.answers.vendor_model import VendorModel
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings
    from kensaku.search.budget import Budget

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


class Asks(Protocol):
    """Something that answers a prompt. Raises a `ProviderError` when it does not."""

    @property
    def name(self) -> str:
        """The model's name."""

    async def ask(self, system: str, user: str, seconds: float = MODEL_SECONDS) -> str:
        """Ask once and return the text of the reply."""


class LanguageModel(Asks, Protocol):
    """A model that also streams."""

    def stream(
        self, system: str, user: str, seconds: float = MODEL_SECONDS
    ) -> AsyncGenerator[str, None]:
        """Ask once and yield the text of the reply while it arrives."""


@dataclass(slots=True)
class Metered:
    """A model whose tokens count against a budget. It raises `BudgetExceeded`, too."""

    model: LanguageModel
    budget: Budget
    calls: int = 0
    tokens: int = 0  # estimated

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    async def prepare(self) -> None:
        """Load what asking needs, without blocking the event loop."""
        if load := getattr(self.model, "prepare", None):
            with suppress(Exception):  # asking it says what is wrong
                await load()

    async def ask(self, system: str, user: str, seconds: float = MODEL_SECONDS) -> str:
        """Ask within the budget, and not longer than any model may take."""
        await self._begin(system, user)
        text = await self.model.ask(system, user, _limit(seconds))
        await self._settle(text)
        return text

    async def stream(
        self, system: str, user: str, seconds: float = MODEL_SECONDS
    ) -> AsyncGenerator[str, None]:
        """Ask within the budget; also a reply that breaks off is paid for."""
        said: list[str] = []
        await self._begin(system, user)
        try:
            async with aclosing(self.model.stream(system, user, _limit(seconds))) as texts:
                async for text in texts:
                    said.append(text)
                    yield text
        finally:
            await self._settle("".join(said))

    async def _begin(self, *texts: str) -> None:
        asked = sum(map(count, texts))
        await self.budget.spend(tokens=asked)
        self.calls += 1
        self.tokens += asked

    async def _settle(self, text: str) -> None:
        said = count(text)
        self.tokens += said
        await self.budget.settle(tokens=said)


def open_model(client: Kensaku, name: Any = None, budget: Budget | None = None) -> Metered | None:
    """Return the model of a call, else of the settings; None when there is none.

    Raises `ConfigError` for a name that nobody knows, and `MissingExtra`.
    """
    s = client.settings
    chosen = name or s.model
    if not chosen and not s.llm_url:
        return None
    return Metered(find_model(client, chosen), budget or client.budget)


def has_model(settings: Settings) -> bool:
    """Whether the settings name a model."""
    return bool(settings.model or settings.llm_url)


def unused_settings(settings: Settings) -> list[str]:
    """Say which setting of a model is there and not used, in one sentence."""
    s = settings
    if s.model and s.llm_url and is_vendors(s.model, at_url=True):
        return [msg("llm.url is set and not used: the model is {model}", model=s.model)]
    if s.model and s.llm_model not in ("", s.model):
        return [msg("llm.model is set and not used: the model is {model}", model=s.model)]
    if s.llm_model and not s.llm_url:
        return [msg("llm.model is set and not used: llm.url is not set")]
    return []


def is_vendors(chosen: Any, *, at_url: bool) -> bool:
    """Whether a model is pydantic-ai's. Servers have names with a colon, too: `qwen3:8b`."""
    if not isinstance(chosen, str):
        return True
    vendor, colon, _ = chosen.partition(":")
    return bool(colon) and (not at_url or vendor.partition("/")[0] in VENDORS)


def find_model(client: Kensaku, chosen: Any) -> UrlModel | VendorModel:
    """Return a vendor's model, or the one at `llm.url`. Raises `ConfigError` or `MissingExtra`."""
    from kensaku.answers.url_model import UrlModel
    from kensaku.answers.vendor_model import VendorModel, package_of

    s = client.settings
    if chosen and is_vendors(chosen, at_url=bool(s.llm_url)):
        if find_spec("pydantic_ai") is None:
            more = [package_of(chosen)] if isinstance(chosen, str) else []
            raise MissingExtra("pydantic-ai", "pydantic-ai", *more)
        return VendorModel(chosen)
    if not s.llm_url:
        raise ConfigError(
            msg(
                "the model {chosen!r} has no vendor, and llm.url is not set",
                chosen=str(chosen)[:60],
            ),
            remedy=msg("name it as vendor:model, or set KENSAKU_LLM_URL"),
        )
    return UrlModel(s.llm_url, chosen or s.llm_model, s.llm_api_key, client.resources.http)


def _limit(seconds: float) -> float:
    return max(0.001, min(seconds, MODEL_SECONDS))
