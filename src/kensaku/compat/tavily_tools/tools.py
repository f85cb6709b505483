"""`tavily_search`, `tavily_extract`, `tavily_context`: a specification's tools, for any framework.

    arguments → check → up to three retries on rate limits → Japanese Markdown
    TavilyAPIError → two lines that name the type; nothing is raised into a run

`pydantic_ai.py` and `claude.py` beside this file serve them (S1-01 … S1-48).
"""

from __future__ import annotations

import asyncio
import logging
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from kensaku.compat.tavily_tools import dialect
from kensaku.compat.tavily_tools.client import configured_key, tavily_client
from kensaku.dialects._strings import reason
from kensaku.errors import Cooling, KensakuError, NotConfigured, ProviderError, RateLimited
from kensaku.models import Outcome
from kensaku.tools.base import BaseTool, Param, ToolResult
from kensaku.tools.fence import fence_text

if TYPE_CHECKING:
    from kensaku.answers.context import Context
    from kensaku.client import Kensaku
    from kensaku.models import Attempt, Response

    Searched = TypeVar("Searched", Response, Context)

log = logging.getLogger(__name__)

RETRIES = 3
FIRST_WAIT, LONGEST_WAIT = 1.0, 10.0  # seconds; doubled from retry to retry
LONGEST_ASKED = 60.0  # a longer Retry-After is reported instead of waited for
MAX_URLS = 20
CONTEXT_TOKENS = 4_000  # the default of Tavily's own client


class TavilyErrorType(StrEnum):
    """The kinds of errors that the specification names."""

    AUTH_ERROR = "AUTH_ERROR"
    RATE_LIMIT_ERROR = "RATE_LIMIT_ERROR"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    TIMEOUT_ERROR = "TIMEOUT_ERROR"
    NETWORK_ERROR = "NETWORK_ERROR"
    API_ERROR = "API_ERROR"


class TavilyAPIError(KensakuError):
    """A tool could not do its work. The tools return it as text; they never raise it into a run."""

    def __init__(self, error_type: TavilyErrorType | str, message: str = "") -> None:
        self.error_type = TavilyErrorType(error_type)
        super().__init__(message or self.error_type.value)

    @classmethod
    def of(cls, error: KensakuError) -> TavilyAPIError:
        """Convert any error of ours."""
        if isinstance(error, cls):
            return error
        message = str(error) if not isinstance(error, ProviderError) else reason(error, "ja")
        return cls(dialect.error_type(error), message)

    def text(self) -> str:
        """The two lines that a model reads."""
        return dialect.failure(self.message, self.error_type.value)


Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True)
class TavilySearchDeps:
    """What the tools need. Without `api_key`, the one of the settings or the environment.

    `fence` puts web text between markers; `sleep` stands in for waiting in tests.
    """

    api_key: str | None = field(default=None, repr=False)
    fence: bool = False
    sleep: Sleep = field(default=asyncio.sleep, repr=False)

    async def client(self) -> Kensaku:
        """Return the client for this key. Raises `TavilyAPIError` when there is none."""
        key = (configured_key() if self.api_key is None else self.api_key).strip()
        if not key:
            raise TavilyAPIError.of(
                NotConfigured("tavily", "it has no key", remedy="set TAVILY_API_KEY")
            )
        return await tavily_client(key, retries=False)


def log_verbose_tool_start(tool_name: str, arguments: Mapping[str, Any]) -> None:
    """Log that a tool starts. At DEBUG, because it names the query."""
    log.debug("%s: start %s", tool_name, dict(arguments))


def log_verbose_tool_done(tool_name: str, status: str, execution_time_ms: float) -> None:
    """Log that a tool has ended, with `success` or `failed`."""
    log.debug("%s: %s in %.1f ms", tool_name, status, execution_time_ms)


class TavilyTool(BaseTool):
    """Schema, log and errors of the three tools."""

    logged: ClassVar[str] = "query"  # the argument that the log names

    def __init__(self, deps: TavilySearchDeps | None = None) -> None:
        super().__init__(None, language="ja", fence=bool(deps and deps.fence))
        self.deps = deps or TavilySearchDeps()

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
            log.exception("%s failed unexpectedly", self.name)  # the model learns only the type
            failure = TavilyAPIError("API_ERROR", f"{self.name} ({type(bug).__name__})")
        wrong = failure.error_type is TavilyErrorType.VALIDATION_ERROR
        kind = "arguments" if wrong else "tool"
        return ToolResult(False, text=failure.text(), error=failure.message, error_kind=kind)  # type: ignore[arg-type]

    @abstractmethod
    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Run the tool. Raises a `KensakuError`, which becomes two lines of text."""

    async def search_with_retries(
        self, search: Callable[[Kensaku], Awaitable[Searched]]
    ) -> Searched:
        """Search; on a rate limit, wait and search again. Raises `TavilyAPIError`."""
        client = await self.deps.client()
        for retry in range(RETRIES + 1):
            response = await search(client)
            if response.outcome is not Outcome.UNAVAILABLE:
                return response
            error = _last_error(response.attempts)
            wait = _wait(error, retry)
            if wait is None:
                break
            await self.deps.sleep(wait)
            await client._resources.limiter("tavily").reset()  # the time it asked for is over
        raise TavilyAPIError.of(error)

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


def _last_error(attempts: tuple[Attempt, ...]) -> KensakuError:
    """Return the error of the last attempt that has one."""
    errors = [a.error for a in attempts if a.error is not None]
    return errors[-1] if errors else KensakuError("nobody was asked")


def _wait(error: KensakuError, retry: int) -> float | None:
    """Return the seconds until the next try, or None when there is none."""
    if retry == RETRIES or not isinstance(error, RateLimited | Cooling):
        return None
    if error.retry_after is None:
        return min(LONGEST_WAIT, FIRST_WAIT * 2.0**retry)
    return error.retry_after if error.retry_after <= LONGEST_ASKED else None


_QUERY = Param("query", "string", {"en": "検索クエリ"}, required=True, minimum=1, maximum=1_000)


class TavilySearch(TavilyTool):
    name = "tavily_search"
    about = {"en": "Web検索を実行する"}
    params = (
        _QUERY,
        Param("search_depth", "string", {"en": ""}, default="basic", choices=("basic", "advanced")),
        Param("max_results", "integer", {"en": ""}, default=5, minimum=1, maximum=20),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        query, depth = arguments["query"], arguments["search_depth"]
        response = await self.search_with_retries(
            lambda k: k.search(query, depth=depth, max_results=arguments["max_results"])
        )
        return self.success(dialect.write(response), response.to_dict())


class TavilyExtract(TavilyTool):
    name = "tavily_extract"
    about = {"en": "URL群からコンテンツを抽出する"}
    logged = "urls"
    params = (
        Param(
            "urls",
            "array",
            {"en": "抽出対象URL群（1〜20件、http:// または https:// が必須）"},
            required=True,
            minimum=1,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        valid, failed = check_urls(arguments["urls"])
        client = await self.deps.client()
        pages = []
        if valid:
            extraction = await client.extract(valid)
            pages = list(extraction.results)
            failed += [(url, str(error)) for url, error in extraction.failed]
        lost = [{"url": url, "error": error} for url, error in failed]
        output = {"results": [p.to_dict() for p in pages], "failed_results": lost}
        return self.success(dialect.extracted(pages, failed), output)


class TavilyContext(TavilyTool):
    name = "tavily_context"
    about = {"en": "RAG用検索コンテキストを取得する"}
    params = (
        _QUERY,
        Param(
            "max_tokens", "integer", {"en": "最大トークン数（省略時はAPI側デフォルト）"}, minimum=1
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        query, tokens = arguments["query"], arguments["max_tokens"] or CONTEXT_TOKENS
        response = await self.search_with_retries(lambda k: k.context(query, max_tokens=tokens))
        text = response.text if response.outcome is Outcome.FOUND else dialect.NOTHING
        return self.success(dialect.context(query, text), response.to_dict())


TAVILY_TOOLS: tuple[type[TavilyTool], ...] = (TavilySearch, TavilyExtract, TavilyContext)


def check_urls(urls: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the valid URLs without duplicates, and the others with the reason.

    Raises `TavilyAPIError` for no URL at all, and for more than 20.
    """
    merged = list(dict.fromkeys(url.strip() for url in urls))
    if not merged:
        raise TavilyAPIError("VALIDATION_ERROR", "URLを1つ以上指定してください")
    if len(merged) > MAX_URLS:
        message = f"URLは最大{MAX_URLS}件です（{len(merged)}件が指定されました）"
        raise TavilyAPIError("VALIDATION_ERROR", message)
    wrong = {url: why for url in merged if (why := _reason_against(url))}
    valid = [url for url in merged if url not in wrong]
    if plain := sum(url.lower().startswith("http://") for url in valid):
        log.warning("tavily_extract: %d URL(s) without TLS; https:// is recommended", plain)
    return valid, list(wrong.items())


def _reason_against(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "URLの形式が正しくありません"
    if parts.scheme not in ("http", "https"):
        return "http:// または https:// で始まるURLを指定してください"
    return "" if parts.hostname else "ホスト名がありません"
