"""The terminal assistant's tools for the OpenAI Agents SDK, with ours in or, in lite mode, out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kensaku.adapters.openai_agents import wrap
from kensaku.compat.terminal.deps import Deps
from kensaku.compat.terminal.tool import create_web_search_tool_definition
from kensaku.errors import MissingExtra

try:
    from agents import WebSearchTool
except ImportError:
    raise MissingExtra("openai-agents", "openai-agents") from None

if TYPE_CHECKING:
    from agents import Tool


def tools_for_mode(
    tools: Iterable[Tool] = (), *, deps: Deps, lite: bool = False, **options: Any
) -> list[Tool]:
    """An agent's tools with our `web_search`; in lite mode without it.

    Where ours is in, the hosted search is left out: two search tools confuse the model.
    """
    if lite:
        return list(tools)
    ours = create_web_search_tool_definition(deps, **options)
    others = [
        t for t in tools if not isinstance(t, WebSearchTool) and getattr(t, "name", "") != ours.name
    ]
    return [*others, wrap(ours.tool)]
