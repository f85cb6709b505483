"""Every endpoint of the page's API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.server.api import (
    chat,
    collections,
    compare,
    context,
    jobs,
    keys,
    pages,
    providers,
    search,
    usage,
)

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from kensaku.server.state import State

NOUNS = (search, chat, pages, context, collections, compare, providers, usage, keys, jobs)


def routes(state: State) -> list[BaseRoute]:
    """The routes of all nouns."""
    return [endpoint.route(state) for noun in NOUNS for endpoint in noun.ENDPOINTS]
