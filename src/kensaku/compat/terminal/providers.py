"""Every provider of Kensaku, as the terminal assistant's registry wants it.

A new one comes in by itself: a file and a line in `kensaku.providers` (docs/adding-a-provider.md)
give it an id, a label, `webSearch.<id>.apiKey` and its environment variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.compat._errors import error_of
from kensaku.compat.terminal.deps import as_deps, borrowed
from kensaku.compat.terminal.registry import PROVIDERS
from kensaku.compat.terminal.types import (
    WebSearchError,
    WebSearchProvider,
    WebSearchResponse,
    WebSearchResult,
)
from kensaku.errors import KensakuError, NotConfigured, ProviderError
from kensaku.models import Outcome
from kensaku.providers import provider_class, provider_names

if TYPE_CHECKING:
    from kensaku.compat.terminal.deps import AnyDeps, Deps
    from kensaku.models import Response

DEFAULT, AUTO = "tavily", "auto"


def register_all() -> None:
    """Register Tavily as the default, then all others and the whole route; keep existing ones."""
    for name in [*provider_names(), AUTO]:
        if PROVIDERS.get(name) is None:
            provider = whole_route() if name == AUTO else core_provider(name)
            PROVIDERS.register(provider, is_default=name == DEFAULT)


def whole_route() -> WebSearchProvider:
    """Return a provider that asks the route of the settings if it names several, else `auto`."""
    label = "Kensaku"

    async def search(query: str, deps: AnyDeps) -> WebSearchResponse:
        async with borrowed(deps) as own:
            named = own.client.settings.route
            return await _search(query, own, label, named if len(named) > 1 else (AUTO,))

    return WebSearchProvider(AUTO, label, search, lambda _: True)


def core_provider(name: str) -> WebSearchProvider:
    """Return a provider of Kensaku by its name."""
    cls = provider_class(name)
    label, prefix = cls.label or name.capitalize(), f"webSearch.{name}"
    # Tavily would answer without a key, slowly and not for long; the document wants one.
    needs_key = bool(cls.key_variable) and (name == DEFAULT or not cls.keyless)

    def missing_key(deps: AnyDeps) -> bool:
        return needs_key and not as_deps(deps).settings_service.get(f"{prefix}.apiKey")

    def is_configured(deps: AnyDeps) -> bool:
        settings = as_deps(deps).settings_service
        needed = [f"{prefix}.{option}" for option in cls.needs]
        if not cls.url and name != "local":
            needed.append(f"{prefix}.baseUrl")
        return not missing_key(deps) and all(settings.get(key) for key in needed)

    async def search(query: str, deps: AnyDeps) -> WebSearchResponse:
        if missing_key(deps):
            raise WebSearchError(
                f"{label} API key is not configured. "
                f"Set {cls.key_variable} environment variable or configure {prefix}.apiKey."
            )
        async with borrowed(deps) as own:
            return await _search(query, own, label, (name,))

    secrets = (f"{prefix}.apiKey",) if cls.key_variable else ()
    return WebSearchProvider(name, label, search, is_configured, secrets)


async def _search(query: str, deps: Deps, label: str, route: tuple[str, ...]) -> WebSearchResponse:
    deps.log("debug", f"Executing {label} web search", {"query": query})
    response = await deps.client.search(query, route=route, include_answer=True)
    if response.outcome is Outcome.UNAVAILABLE:
        raise _error(response, label, deps)
    converted = _convert(response)
    deps.log(
        "debug",
        f"{label} search completed",
        {"resultCount": len(converted.results), "hasAnswer": bool(converted.answer_box)},
    )
    return converted


def _error(response: Response, label: str, deps: Deps) -> KensakuError:
    """Return the error of an unavailable response, with the upstream's status if it sent one."""
    error = error_of(response, label)
    if not isinstance(error, ProviderError) or isinstance(error, NotConfigured):
        return error
    if not error.status:
        return WebSearchError(f"{label}: {KensakuError.__str__(error)}")
    message = _upstream_message(error)
    deps.log("error", f"{label} API error", {"status": error.status, "error": message})
    return WebSearchError(f"{label} API error ({error.status}): {message}", status=error.status)


def _upstream_message(error: ProviderError) -> str:
    """Return the upstream's own sentence, else the text of its reply, else a sentence of ours."""
    theirs = error.message.partition(f"(HTTP {error.status}: ")[2].removesuffix(")")
    return theirs or error.body or str(KensakuError.__str__(error))


def _convert(response: Response) -> WebSearchResponse:
    results = [
        WebSearchResult(h.title, h.url, h.content, h.score, h.published) for h in response.hits
    ]
    searched = (a.searched for a in response.attempts if a.searched)
    query = next(searched, response.query.text)  # the reply's, which may have been cut or mended
    return WebSearchResponse(query, results, _upstreams_answer(response))


def _upstreams_answer(response: Response) -> str | None:
    """Return the upstream's answer, and not one that the core has put together."""
    return None if response.answered_by == "extract" else response.answer
