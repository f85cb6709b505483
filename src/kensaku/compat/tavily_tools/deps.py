"""The dependencies of the three tools: a host's own Tavily client, or a key for ours (S1-47)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.compat.tavily_tools.client import keys_in, tavily_client
from kensaku.compat.tavily_tools.errors import TavilyAPIError
from kensaku.compat.tavily_tools.host import TavilyClient
from kensaku.config.settings import Settings
from kensaku.errors import NotConfigured, UsageError

if TYPE_CHECKING:
    from kensaku.client import Kensaku

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True)
class TavilySearchDeps:
    """What the tools need: a host's own `tavily_client`, or a key for ours.

    `config` is the host's, and nobody here reads it. Without `tavily_client` and `api_key`, the key
    is the one of the settings. `settings` are those of a program that has read them already;
    without them, files and environment are read at each call. `fence` puts web text between
    markers. `fallback` lets our own reader extract pages while Tavily cannot. `sleep` stands in for
    waiting in tests.
    """

    config: Any = field(default=None, repr=False)
    tavily_client: TavilyClient | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    fence: bool = False
    sleep: Sleep = field(default=asyncio.sleep, repr=False)
    settings: Settings | None = field(default=None, repr=False)
    fallback: bool = True

    @classmethod
    def of(cls, given: Any) -> TavilySearchDeps:
        """Read a host's own object, which has `tavily_client` or `api_key`; None is the default.

        Raises `UsageError` for one that has neither.
        """
        if given is None or isinstance(given, cls):
            return given or cls()
        client, key = getattr(given, "tavily_client", None), getattr(given, "api_key", None)
        if client is None and key is None:
            raise UsageError(
                f"the dependencies of the Tavily tools are a {type(given).__name__} without"
                " tavily_client or api_key",
                remedy="run the agent with deps=TavilySearchDeps(…)",
            )
        return cls(getattr(given, "config", None), client, key)

    async def client(self) -> Kensaku:
        """Return the client for this key. Raises `TavilyAPIError` when there is none."""
        settings = self.settings or Settings.load()
        key = (keys_in(settings) if self.api_key is None else self.api_key).strip()
        if not key:
            raise TavilyAPIError.of(
                NotConfigured("tavily", "it has no key", remedy="set TAVILY_API_KEY")
            )
        return await tavily_client(key, settings, retries=False)
