"""The table of providers. A new one is a file, a line here and a sample in `kensaku/testing`.

Other people's providers come in by the entry point group `kensaku.providers`: the name of the
entry point is the provider's name, its value the class.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from kensaku._lazy import attach
from kensaku._plugins import plugins
from kensaku.errors import UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.providers.base import Findings as Findings
    from kensaku.providers.base import Provider as Provider
    from kensaku.transport.reply import Reply as Reply
    from kensaku.transport.request import Request as Request
else:
    __getattr__, _, __all__ = attach(__name__, base=("Findings", "Provider", "Reply", "Request"))
    __all__ += ["BUILT_IN", "provider_class", "provider_names"]

# name → "module:Class", in the order in which `auto` asks those that are configured.
BUILT_IN = {
    "tavily": "tavily:Tavily",
    "brave": "brave:Brave",
    "exa": "exa:Exa",
    "serper": "serper:Serper",
    "perplexity": "perplexity:Perplexity",
    "linkup": "linkup:Linkup",
    "you": "you:You",
    "parallel": "parallel:Parallel",
    "kagi": "kagi:Kagi",
    "jina": "jina:Jina",
    "firecrawl": "firecrawl:Firecrawl",
    "serpapi": "serpapi:SerpApi",
    "google": "google:Google",
    "searchapi": "searchapi:SearchApi",
    "ollama": "ollama:Ollama",
    "tinyfish": "tinyfish:TinyFish",
    "webiq": "webiq:WebIq",
    "bocha": "bocha:Bocha",
    "baidu": "baidu:Baidu",
    "mojeek": "mojeek:Mojeek",
    "searxng": "searxng:SearXNG",
    "keenable": "keenable:Keenable",
    "exa_mcp": "exa_mcp:ExaMcp",
    "parallel_mcp": "parallel_mcp:ParallelMcp",
    "marginalia": "marginalia:Marginalia",
    "duckduckgo": "duckduckgo:DuckDuckGo",
    "startpage": "startpage:Startpage",
    "brave_web": "brave_web:BraveWeb",
    "mojeek_web": "mojeek_web:MojeekWeb",
    "yahoo": "yahoo:Yahoo",
    "wikipedia": "wikipedia:Wikipedia",
    "local": "local:Local",
    # Specialists: asked by name, or beside the web for what they know.
    "arxiv": "arxiv:Arxiv",
    "github": "github:GitHub",
    "github_issues": "github:GitHubIssues",
    "github_code": "github:GitHubCode",
    "stackexchange": "stackexchange:StackExchange",
    "hackernews": "hackernews:HackerNews",
    "crossref": "crossref:Crossref",
    "europepmc": "europepmc:EuropePmc",
    "pubmed": "pubmed:PubMed",
    "semanticscholar": "semanticscholar:SemanticScholar",
    "brave_context": "brave_context:BraveContext",
    "gemini": "gemini:Gemini",
}


def provider_names() -> list[str]:
    """Return all provider names, the built-in ones first."""
    return [*BUILT_IN, *(name for name in plugins("providers") if name not in BUILT_IN)]


@cache
def provider_class(name: str) -> type[Provider]:
    """Return the class of a provider. Raises `UnknownName`, which names the nearest."""
    if place := BUILT_IN.get(name):
        module, _, attribute = place.partition(":")
        cls = getattr(import_module(f"kensaku.providers.{module}"), attribute)
    elif name in (others := plugins("providers")):
        cls = others[name].load()
    elif name.startswith("mcp:"):
        from kensaku.providers.any_mcp import NAME, named

        if not NAME.fullmatch(name):
            raise UnknownName(msg("provider"), name, provider_names())
        cls = named(name)
    else:
        raise UnknownName(msg("provider"), name, provider_names())
    return cls  # type: ignore[no-any-return]
