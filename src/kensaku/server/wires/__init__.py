"""The wires by name. A new one is a file here, and a row."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.server.wires.base import Wire

WIRES = {
    "tavily": "Tavily",
    "searxng": "SearXNG",
    "litellm": "LiteLLM",
    "perplexity": "Perplexity",
    "firecrawl": "Firecrawl",
    "brave": "Brave",
    "serper": "Serper",
    "exa": "Exa",
    "jina": "Jina",
    "openwebui": "OpenWebUI",
    "gpt_researcher": "GptResearcher",
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "agui": "AgUi",
    "tools": "Tools",
    "mcp": "Mcp",
    "oauth": "OAuthWire",
    "signature": "SignatureDirectory",
}


def load_wires() -> list[Wire]:
    """Make every wire. The first one that has a path at the root serves it."""
    modules = ((import_module(f"kensaku.server.wires.{n}"), c) for n, c in WIRES.items())
    return [getattr(module, kind)() for module, kind in modules]
