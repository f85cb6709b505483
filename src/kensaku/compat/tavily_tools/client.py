"""The client of the two specifications that search with Tavily alone and bring their own key.

    key → the usual settings, with this key and Tavily as the whole route → a client that is kept

Calls with the same key and settings share connections, cache and limits. What differs between two
calls is an argument of `search`, never state of the client: calls stay independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kensaku.client import Kensaku
from kensaku.config.secret import Secret
from kensaku.config.settings import Settings
from kensaku.search.budget import RetryBudget

MOST_KEPT = 64  # a service with many tenants has many keys


@dataclass(frozen=True, slots=True)
class _Kept:
    settings: Settings
    retries: bool
    client: Kensaku


_kept: list[_Kept] = []  # the one used last stands last


async def tavily_client(api_key: str, *, retries: bool = True) -> Kensaku:
    """The client for this key; without `retries`, one try is one request."""
    settings = _alone(Settings.load(), api_key)
    for kept in _kept:
        if kept.settings == settings and kept.retries == retries:
            _kept.remove(kept)
            _kept.append(kept)
            return kept.client
    client = Kensaku(settings)
    if not retries:
        client.retries = RetryBudget(0, floor=0)
    _kept.append(_Kept(settings, retries, client))
    if len(_kept) > MOST_KEPT:
        await _kept.pop(0).client.close()
    return client


async def close_clients() -> None:
    """Close them all, at the end of a program."""
    while _kept:
        await _kept.pop().client.close()


def configured_key() -> str:
    """The keys that the settings or the environment have for Tavily; empty without any."""
    return ",".join(key.reveal() for key in Settings.load().provider("tavily").keys)


def _alone(settings: Settings, api_key: str) -> Settings:
    keys = tuple(Secret(k.strip()) for k in api_key.split(",") if k.strip())
    tavily = replace(settings.provider("tavily"), keys=keys, enabled=True)
    return replace(
        settings,
        route=("tavily",),
        mode="first",
        providers={**settings.providers, "tavily": tavily},
    )
