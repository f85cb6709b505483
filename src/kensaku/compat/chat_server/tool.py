"""`SearchWebTool`: the LangChain tool of the document, word for word (S2-31 … S2-43)."""

from __future__ import annotations

from typing import Any

from kensaku._logger import get_logger
from kensaku.compat._errors import keys_of, redact
from kensaku.compat.chat_server import service as services
from kensaku.compat.chat_server.dialect import DESCRIPTION, NAME, NOBODY
from kensaku.compat.chat_server.service import (
    EMPTY,
    MAX_QUERY_CHARS,
    MAX_RESULTS,
    TOO_LONG,
    MissingKey,
)
from kensaku.dialects import write, write_error
from kensaku.errors import ConfigError, InvalidQuery, MissingExtra, NotConfigured
from kensaku.models import Hit, Outcome, Query, Response
from kensaku.text.fence import fence_text

try:
    from langchain_core.tools import BaseTool
    from pydantic import BaseModel, Field, ValidationError
except ImportError:
    raise MissingExtra("langchain-core", "langchain") from None

logger = get_logger(__name__)


class SearchWebInput(BaseModel):
    """What the model may send."""

    query: str = Field(
        ...,
        description="The search query to look up on the web",
        min_length=1,
        max_length=MAX_QUERY_CHARS,
    )
    max_results: int = Field(
        5, ge=1, le=MAX_RESULTS, description="Number of results to return (1-10)"
    )


def explain_rejection(error: Any) -> str:
    """Write what the model reads about arguments that break the schema."""
    first = error.errors()[0] if isinstance(error, ValidationError) else {"type": "", "msg": "?"}
    sentences = {"string_too_long": TOO_LONG, "string_too_short": EMPTY}
    where = ".".join(map(str, first.get("loc", ())))
    reason = sentences.get(first["type"]) or f"{where}: {first['msg']}"
    return write_error(InvalidQuery(reason), "search_web")


class SearchWebTool(BaseTool):
    """Search the web for current information."""

    name: str = NAME
    description: str = DESCRIPTION
    args_schema: Any = SearchWebInput
    handle_validation_error: Any = explain_rejection  # a run goes on when the model sent nonsense

    user_id: str
    agent_name: str | None = None
    fence: bool = False  # put web text between markers; the document's text has none
    client: Any = Field(default=None, exclude=True, repr=False)

    @classmethod
    def prompt_section(cls, channel: str) -> str | None:
        """Return the section about the tool for the agent's instructions, whatever the channel."""
        return (
            "Web Search: Use search_web when the user asks about current events, "
            "documentation, recent news, product information, or anything that "
            "requires up-to-date information from the web. Do not guess at facts "
            "you are unsure about — search first."
        )

    def _run(self, query: str, max_results: int = 5) -> str:
        return "search_web requires async execution. Use _arun."

    async def _arun(self, query: str, max_results: int = 5) -> str:
        service: services.WebSearchService | None = None
        try:
            # Looked up when it is used: an application may put a service of its own there.
            service = services.WebSearchService(client=self.client)
            results = await service.search(query=query, max_results=max_results)
        except (ConfigError, MissingExtra, MissingKey, NotConfigured) as fault:
            self._log(fault, service)
            return f"Web search is not configured: {fault}"
        except ValueError as error:
            return write_error(InvalidQuery(str(error)), "search_web")
        except Exception as error:
            self._log(error, service)
            return NOBODY
        text = write(_response(query, results), "search_web")
        return fence_text(text) if self.fence and results else text

    def _log(self, error: Exception, service: services.WebSearchService | None) -> None:
        message = redact(str(error), *keys_of(service.client.settings)) if service else str(error)
        logger.error("search_web failed for user %s: %s", self.user_id, message)


def _response(query: str, results: list[dict[str, str]]) -> Response:
    hits = tuple(Hit(r.get("url", ""), r.get("title", ""), r.get("snippet", "")) for r in results)
    return Response(Query(query), Outcome.FOUND if hits else Outcome.EMPTY, hits)
