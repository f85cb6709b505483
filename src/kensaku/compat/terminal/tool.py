"""`web_search` as the terminal assistant defines it (S4-22 … S4-32)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.compat._errors import redact
from kensaku.compat.terminal.deps import borrowed
from kensaku.compat.terminal.dialect import NO_PROVIDER
from kensaku.compat.terminal.message import CommandMessage, format_web_search_command_message
from kensaku.compat.terminal.registry import PROVIDERS, ProviderRegistry, sensitive_setting_keys
from kensaku.dialects import write, write_error
from kensaku.errors import KensakuError, NotConfigured
from kensaku.models import MAX_QUERY_CHARS, Attempt, Hit, Outcome, Query, Response
from kensaku.text.clean import cut
from kensaku.text.fence import fence_text
from kensaku.tools.base import BaseTool, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.compat.terminal.deps import AnyDeps, Deps
    from kensaku.compat.terminal.types import WebSearchResponse

MAX_CONTENT = 4_000  # characters of one result: a page must not fill the model's context


@dataclass(frozen=True)
class ToolDefinition:
    """A tool as the terminal assistant knows it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    needs_approval: Callable[..., bool]
    execute: Callable[[Mapping[str, Any]], Awaitable[str]]
    format_command_message: Callable[..., list[CommandMessage]]
    tool: BaseTool  # the same for every framework


def create_web_search_tool_definition(
    deps: AnyDeps, *, registry: ProviderRegistry = PROVIDERS, fence: bool = False
) -> ToolDefinition:
    """Return the definition of `web_search`. `fence` puts web text between markers.

    With `Deps`, calls share connections until it is closed; with a host's own object, each call
    closes what it opened.
    """
    tool = TermWebSearch(deps, registry, fence=fence)

    async def execute(params: Mapping[str, Any]) -> str:
        return (await tool.invoke(params)).text

    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        needs_approval=lambda *_: False,  # it only reads
        execute=execute,
        format_command_message=format_web_search_command_message,
        tool=tool,
    )


class TermWebSearch(BaseTool):
    """Search by the provider that is configured, and write its Markdown."""

    name = "web_search"
    about = {
        "en": "Search the web for current information. Use this when you need up-to-date "
        "information that may not be in your training data, such as recent news, current events, "
        "documentation updates, or any time-sensitive information."
    }
    params = (
        Param(
            "query",
            "string",
            {"en": "The search query to look up on the web."},
            required=True,
            minimum=1,
        ),
    )

    def __init__(self, deps: AnyDeps, registry: ProviderRegistry, *, fence: bool) -> None:
        super().__init__(fence=fence)
        self._given = deps
        self._registry = registry

    async def execute(self, query: str) -> ToolResult:
        # A host's own object has nobody who would close a client: one is made for each call.
        async with borrowed(self._given) as deps:
            return await self._search(query, deps)

    async def _search(self, query: str, deps: Deps) -> ToolResult:
        provider = self._registry.configured(deps)
        if provider is None:
            return self._failure_result(NO_PROVIDER)
        try:
            if not provider.is_configured(deps):
                return self._failure_result(_not_configured(query, provider.id))
            response = await provider.search(query, deps)
        except Exception as error:
            return self._failure_result(_failure(query, error, deps))
        text = markdown(response)
        return ToolResult(
            True, response.to_dict(), fence_text(text) if self.fence and response.results else text
        )

    @staticmethod
    def _failure_result(text: str) -> ToolResult:
        message = text.removeprefix("Error: ")
        return ToolResult(False, text=text, error=message, error_kind="tool")


def _failure(query: str, error: Exception, deps: Deps) -> str:
    """Write the error for the model; a third-party provider may have put a key into it."""
    get = deps.settings_service.get
    keys = [k for s in sensitive_setting_keys() for k in (get(s) or "").split(",")]
    message = redact(str(error) or type(error).__name__, *keys)
    deps.log("error", "Web search failed", {"query": query, "error": message})
    return write_error(KensakuError(message), "term")


def markdown(response: WebSearchResponse) -> str:
    """Write the response as the document does."""
    hits = tuple(
        Hit(r.url, r.title, cut(r.content, MAX_CONTENT), r.score, r.published_date)
        for r in response.results
    )
    outcome = Outcome.FOUND if hits or response.answer_box else Outcome.EMPTY
    query = Query(cut(response.query.strip(), MAX_QUERY_CHARS) or "?")
    return write(Response(query, outcome, hits, response.answer_box), "term")


def _not_configured(query: str, provider: str) -> str:
    nobody = Attempt(
        provider, Outcome.UNAVAILABLE, NotConfigured(provider, "it has no key"), sent=False
    )
    return write(Response(Query(query), Outcome.UNAVAILABLE, attempts=(nobody,)), "term")
