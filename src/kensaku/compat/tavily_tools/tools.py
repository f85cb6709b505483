"""`tavily_search`, `tavily_extract`, `tavily_context`: a specification's tools, for any framework.

    arguments → check → Tavily, up to three retries on rate limits and server errors → Markdown
    TavilyAPIError → two lines that name the type; nothing is raised into a run

`pydantic_ai.py` and `claude.py` beside this file serve them, and so does `kensaku.mcp`
(S1-01 … S1-48). `extract.py` asks Tavily for pages, and reads them itself when Tavily is down.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from kensaku._logger import get_logger
from kensaku.compat.tavily_tools import dialect
from kensaku.compat.tavily_tools.client import close_clients
from kensaku.compat.tavily_tools.deps import TavilySearchDeps as TavilySearchDeps
from kensaku.compat.tavily_tools.errors import (
    TavilyAPIError,
    TavilyErrorType,
    explain_arguments,
)
from kensaku.compat.tavily_tools.extract import ask_tavily, is_trouble, read_pages
from kensaku.compat.tavily_tools.host import (
    error_of,
    extract_text,
    failed_of,
    hits_of,
    pages_of,
    search_text,
)
from kensaku.compat.tavily_tools.urls import check_urls
from kensaku.errors import (
    Cooling,
    InvalidQuery,
    KensakuError,
    Outage,
    ProviderError,
    RateLimited,
)
from kensaku.models import Outcome
from kensaku.text.fence import fence_text
from kensaku.tools.base import BaseTool, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.answers.context import Context
    from kensaku.client import Kensaku
    from kensaku.compat.tavily_tools.extract import ExtractedPages
    from kensaku.models import Page, Response

log = get_logger(__name__)

T = TypeVar("T")

RETRIES = 3
FIRST_WAIT, LONGEST_WAIT = 1.0, 10.0  # seconds; doubled from retry to retry
LONGEST_ASKED = 60.0  # a longer Retry-After is reported instead of waited for
CONTEXT_TOKENS = 4_000  # the default of Tavily's own client
MAX_TOKENS = 1_000_000  # of one context; the document has no upper bound


def log_verbose_tool_start(tool_name: str, arguments: Mapping[str, Any]) -> None:
    """Log that a tool starts. At DEBUG, because it names the query."""
    log.debug("%s: start %s", tool_name, dict(arguments))


def log_verbose_tool_done(tool_name: str, status: str, execution_time_ms: float) -> None:
    """Log that a tool has ended, with `success` or `failed`."""
    log.debug("%s: %s in %.1f ms", tool_name, status, execution_time_ms)


class TavilyTool(BaseTool):
    """Schema, log and errors of the three tools."""

    text_only = True
    logged: ClassVar[str] = "query"  # the argument that the log names

    def __init__(self, deps: Any = None) -> None:
        self.deps = TavilySearchDeps.of(deps)
        super().__init__(None, language="ja", fence=self.deps.fence)

    async def close(self) -> None:
        """Close the clients that the three tools share."""
        await close_clients()

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema as the specification has it: bounds of texts are in the words alone."""
        return {
            "type": "object",
            "properties": {p.name: _schema(p) for p in self.params},
            "required": [p.name for p in self.params if p.required],
        }

    async def invoke(self, raw: Mapping[str, Any] | str | None) -> ToolResult:
        """Check what the model sent and run the tool; an error becomes two lines of text."""
        began, status = time.perf_counter(), "failed"
        named = raw.get(self.logged) if isinstance(raw, Mapping) else None
        log_verbose_tool_start(self.name, {self.logged: named})
        try:
            result = await self._run(raw)
            status = "success" if result.success else "failed"
        finally:
            elapsed = (time.perf_counter() - began) * 1000
            log_verbose_tool_done(self.name, status, elapsed)
        return ToolResult(**{**vars(result), "execution_time_ms": elapsed})

    async def _run(self, raw: Mapping[str, Any] | str | None) -> ToolResult:
        try:
            return await self.execute(**self.check(raw))
        except KensakuError as error:
            failure = TavilyAPIError.of(error)
        except Exception as bug:
            failure = error_of(bug, self.deps.tavily_client) or self._unexpected(bug)
        wrong = failure.error_type is TavilyErrorType.VALIDATION_ERROR
        kind = "arguments" if wrong else "tool"
        return ToolResult(False, text=failure.text(), error=failure.message, error_kind=kind)  # type: ignore[arg-type]

    def _unexpected(self, bug: Exception) -> TavilyAPIError:
        log.exception("%s failed unexpectedly", self.name)  # the model learns only the type
        return TavilyAPIError("API_ERROR", f"{self.name} ({type(bug).__name__})")

    def check(self, raw: Mapping[str, Any] | str | None) -> dict[str, Any]:
        """Return the arguments with defaults filled in. Raises `TavilyAPIError`, in Japanese."""
        try:
            return super().check(raw)
        except InvalidQuery:
            wrong = explain_arguments(self.params, raw)
            raise TavilyAPIError("VALIDATION_ERROR", wrong) from None

    @abstractmethod
    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Run the tool. Raises a `KensakuError`, which becomes two lines of text."""

    async def with_retries(self, call: Callable[[Kensaku], Awaitable[T | KensakuError]]) -> T:
        """Call Tavily; when it asks for time, or fails, wait and call again.

        Raises `TavilyAPIError`.
        """
        client, retry = await self.deps.client(), 0
        while True:
            answer = await call(client)
            if not isinstance(answer, KensakuError):
                return answer
            wait = wait_before_retry(answer, retry)
            if wait is None:
                raise TavilyAPIError.of(answer)
            await self.deps.sleep(wait)
            await client.resources.limiter("tavily").reset()  # the time it asked for is over
            retry += 1

    def success(self, text: str, output: Any) -> ToolResult:
        """Return a successful result, fenced if the dependencies ask for it."""
        shown = fence_text(text, "ja") if self.fence else text
        return ToolResult(True, output=output, text=shown)


def _schema(param: Param) -> dict[str, Any]:
    omitted = {"minLength", "maxLength", "minItems", "maxItems"}
    schema = {n: v for n, v in param.schema("ja").items() if n not in omitted}
    return (
        schema if schema["description"] else {n: v for n, v in schema.items() if n != "description"}
    )


def wait_before_retry(error: KensakuError, retry: int) -> float | None:
    """Return the seconds until the next try, or None when there is none.

    Rate limits and server errors may be over soon. A timeout had its share of the time already.
    """
    if retry == RETRIES or not _passes(error):
        return None
    asked = error.retry_after if isinstance(error, ProviderError) else None
    if asked is None:
        return min(LONGEST_WAIT, FIRST_WAIT * 2.0**retry)
    return asked if asked <= LONGEST_ASKED else None


def _passes(error: KensakuError) -> bool:
    if isinstance(error, Cooling):
        return error.cause in ("", RateLimited.__name__)
    if isinstance(error, Outage):
        return error.status is not None and error.status >= 500
    return isinstance(error, RateLimited)


def _failure_of(response: Response | Context) -> KensakuError | None:
    """Return the error of the last attempt that has one, when nobody could search."""
    if response.outcome is not Outcome.UNAVAILABLE:
        return None
    errors = [a.error for a in response.attempts if a.error is not None]
    return errors[-1] if errors else KensakuError("nobody was asked")


NO_ROOM = "max_tokens が小さすぎるため、収まる文章がありません。"
_QUERY = Param("query", "string", "検索クエリ", required=True, minimum=1, maximum=1_000)


class TavilySearch(TavilyTool):
    name = "tavily_search"
    about = "Web検索を実行する"
    params = (
        _QUERY,
        Param("search_depth", "string", "", default="basic", choices=("basic", "advanced")),
        Param("max_results", "integer", "", default=5, minimum=1, maximum=20),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        query, depth, results = (arguments[p.name] for p in self.params)
        if host := self.deps.tavily_client:
            found = await host.search(query=query, search_depth=depth, max_results=results)
            hits = [hit.to_dict() for hit in hits_of(found)]
            return self.success(search_text(found, query), {"query": query, "hits": hits})

        async def search(client: Kensaku) -> Response | KensakuError:
            response = await client.search(query, depth=depth, max_results=results)
            return _failure_of(response) or response

        response = await self.with_retries(search)
        return self.success(dialect.write(response), response.to_dict())


class TavilyExtract(TavilyTool):
    name = "tavily_extract"
    about = "URL群からコンテンツを抽出する"
    logged = "urls"
    params = (
        Param(
            "urls",
            "array",
            "抽出対象URL群（1〜20件、http:// または https:// が必須）",
            required=True,
            minimum=1,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        valid, wrong = check_urls(arguments["urls"])
        if host := self.deps.tavily_client:
            pages = await host.extract(urls=valid) if valid else {}
            text = await asyncio.to_thread(extract_text, pages, wrong)
            return self.success(text, _extracted(pages_of(pages), [*wrong, *failed_of(pages)]))

        async def extract(client: Kensaku) -> ExtractedPages | KensakuError:
            answer = await ask_tavily(client, valid)
            if isinstance(answer, ProviderError) and self.deps.fallback and is_trouble(answer):
                return await read_pages(client, valid, answer)
            return answer

        done = await self.with_retries(extract)
        failed = [*wrong, *done.failed]
        text = await asyncio.to_thread(dialect.extracted, done.pages, failed, done.notes)
        return self.success(text, _extracted(done.pages, failed, done.notes))


class TavilyContext(TavilyTool):
    name = "tavily_context"
    about = "RAG用検索コンテキストを取得する"
    params = (
        _QUERY,
        Param("max_tokens", "integer", "最大トークン数（省略時はAPI側デフォルト）", minimum=1),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        query, tokens = arguments["query"], arguments["max_tokens"] or CONTEXT_TOKENS
        if host := self.deps.tavily_client:
            bound = {"max_tokens": arguments["max_tokens"]} if arguments["max_tokens"] else {}
            text = str(await host.get_search_context(query=query, **bound))
            return self.success(dialect.context(query, dialect.plain_context(text)), {"text": text})

        async def search(client: Kensaku) -> Context | KensakuError:
            context = await client.context(query, max_tokens=min(tokens, MAX_TOKENS))
            return _failure_of(context) or context

        context = await self.with_retries(search)
        text = context.text if context.outcome is Outcome.FOUND else dialect.NOTHING
        return self.success(
            dialect.context(query, text or NO_ROOM, context.notes), context.to_dict()
        )


def _extracted(
    pages: Iterable[Page], failed: Iterable[tuple[str, str]], notes: Iterable[str] = ()
) -> dict[str, Any]:
    return {
        "results": [page.to_dict() for page in pages],
        "failed_results": [{"url": url, "error": error} for url, error in failed],
        "notes": list(notes),
    }


TAVILY_TOOLS: tuple[type[TavilyTool], ...] = (TavilySearch, TavilyExtract, TavilyContext)
