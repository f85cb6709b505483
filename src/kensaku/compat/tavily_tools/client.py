"""The client of the two specifications that search with Tavily alone and bring their own key.

    key → the usual settings, with this key and Tavily as the whole route → a cached client

Calls with the same key and settings share connections, cache and limits. What differs between two
calls is an argument of `search`, never state of the client: calls stay independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kensaku.client import Kensaku
from kensaku.config.secret import Secret
from kensaku.config.settings import Settings
from kensaku.search.budget import RetryBudget

MAX_CLIENTS = 64  # a service with many tenants has many keys


@dataclass(frozen=True, slots=True)
class _CachedClient:
    settings: Settings
    retries: bool
    client: Kensaku


_cached: list[_CachedClient] = []  # least recently used first


async def tavily_client(
    api_key: str, settings: Settings | None = None, *, retries: bool = True
) -> Kensaku:
    """Return the client for this key; without `retries`, one search is one request.

    Without `settings`, files and environment are read now.
    """
    settings = _tavily_only(settings or Settings.load(), api_key)
    for entry in _cached:
        if entry.settings == settings and entry.retries == retries:
            _cached.remove(entry)
            _cached.append(entry)
            return entry.client
    client = Kensaku(settings)
    if not retries:
        client.resources.retries = RetryBudget(0, floor=0)
    _cached.append(_CachedClient(settings, retries, client))
    if len(_cached) > MAX_CLIENTS:
        await _cached.pop(0).client.close()
    return client


async def close_clients() -> None:
    """Close all cached clients, at the end of a program."""
    while _cached:
        await _cached.pop().client.close()


def keys_in(settings: Settings) -> str:
    """Return Tavily's keys, separated by commas; empty without."""
    return ",".join(key.reveal() for key in settings.provider("tavily").keys)


def _tavily_only(settings: Settings, api_key: str) -> Settings:
    keys = tuple(Secret(k.strip()) for k in api_key.split(",") if k.strip())
    tavily = replace(settings.provider("tavily"), keys=keys, enabled=True)
    return replace(
        settings,
        route=("tavily",),
        mode="first",
        providers={**settings.providers, "tavily": tavily},
    )
