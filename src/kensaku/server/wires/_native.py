"""How the native web tools of vendors are read, in one way. Pure.

allowed_domains · blocked_domains · max_uses · user_location · search_context_size → WebTool
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.gateway.turn import WebTool
from kensaku.server.wires import _fields as fields

MAX_MESSAGES, MAX_TOOLS, MAX_DOMAINS = 10_000, 500, 100
CONTEXT_TOKENS = {"low": 1_500, "medium": 3_000, "high": 6_000}
PAGE_TOKENS = 8_000
MAX_GATEWAY_BODY = 32 * 2**20  # agents send images, and long conversations
MAX_PAGE_TOKENS = 100_000


def web_tool(about: Mapping[str, Any], location: Any, tokens: int) -> WebTool:
    """Read the bounds of a web tool. Raises `InvalidQuery`."""
    place = location if isinstance(location, dict) else {}
    country = fields.text(place, "country", most=100) or None
    limited = about.get("max_uses") is not None
    return WebTool(
        max_uses=fields.integer(about, "max_uses", 0, 0, 10_000) if limited else None,
        include_domains=_domains(about, "allowed_domains"),
        exclude_domains=_domains(about, "blocked_domains"),
        country=country,
        max_tokens=tokens,
    )


def context_tokens(about: Mapping[str, Any]) -> int:
    """Return how much of its results a search gives to the model."""
    size = fields.choice(about, "search_context_size", "medium", tuple(CONTEXT_TOKENS))
    return CONTEXT_TOKENS[size or "medium"]


def _domains(about: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return hosts; vendors allow a path behind them, which is left out."""
    listed = fields.texts(about, name, MAX_DOMAINS)
    return tuple(
        host.partition("://")[2].partition("/")[0] or host.partition("/")[0] for host in listed
    )


def objects(body: Mapping[str, Any], name: str, most: int) -> Sequence[Mapping[str, Any]]:
    """Return a list of objects. Raises `InvalidQuery`."""
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidQuery(f"{name} must be a list of objects")
    if len(value) > most:
        raise InvalidQuery(f"{name} has {len(value):,} entries; at most {most:,} are taken")
    return value


def refuse_tool(position: int, kind: Any) -> InvalidQuery:
    """Return the error for a hosted tool that only its vendor can run."""
    return InvalidQuery(
        f"tools[{position}] has the type {str(kind)[:60]!r}, which is not run here",
        remedy="send functions, and the vendor's web search",
    )
