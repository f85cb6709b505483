"""`web_search`: search the web and return titles, addresses and excerpts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.answers.tokenizer import count
from kensaku.dialects import write
from kensaku.dialects._reasons import UNAVAILABLE, local_only, next_step
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.models.confidence import relevance, search_factors
from kensaku.text.clean import cut
from kensaku.text.escape import flatten
from kensaku.text.terms import terms
from kensaku.tools._failures import WEB_FAILED, describe_attempts, origin_of, quote_attempts
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Language, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Response


class WebSearchTool(BaseTool):
    """Search by the client's route and report the outcome."""

    name = "web_search"
    title = msg("Web search")
    about = msg(
        "Search the web for current information. Returns titles, URLs and excerpts. Use it "
        "for recent events, documentation, prices, and any fact you are not sure of. The result "
        "says whether something was found, nothing was found, or nobody could search."
    )
    prompt = msg(
        "Web search: use web_search for current events, documentation and every fact you "
        "are unsure of; do not guess. Cite the URLs you used. If nobody could search, say so: it "
        "does not mean that nothing exists."
    )
    params = (
        QUERY,
        Param(
            "max_results",
            "integer",
            msg("How many results to return."),
            default=5,
            minimum=1,
            maximum=20,
        ),
        Param(
            "topic",
            "string",
            msg("What kind of pages."),
            default="general",
            choices=("general", "news", "finance", "papers", "code"),
        ),
        Param(
            "time_range",
            "string",
            msg("Only pages of the last day, week, month or year."),
            choices=("day", "week", "month", "year"),
        ),
        Param(
            "include_domains",
            "array",
            msg("Only these hosts, such as python.org."),
            maximum=20,
        ),
        Param(
            "exclude_domains",
            "array",
            msg("None of these hosts."),
            maximum=20,
        ),
        Param(
            "start_date",
            "string",
            msg("Published on or after this day, as 2026-01-31."),
            maximum=10,
        ),
        Param(
            "end_date",
            "string",
            msg("Published on or before this day."),
            maximum=10,
        ),
        Param(
            "country",
            "string",
            msg("Prefer this country, by its code, as jp."),
            maximum=2,
        ),
        Param(
            "language",
            "string",
            msg("Results in this language, by its code, as ja."),
            maximum=8,
        ),
        Param(
            "depth",
            "string",
            msg("How thorough; advanced costs more."),
            choices=("fast", "basic", "advanced"),
        ),
    )

    def __init__(
        self,
        client: Kensaku | None = None,
        *,
        language: Language = "en",
        fence: bool = True,
        max_tokens: int = 4_000,
    ) -> None:
        super().__init__(client, language=language, fence=fence)
        self.max_tokens = max_tokens

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        options = {n: v for n, v in arguments.items() if v is not None}
        for name in ("include_domains", "exclude_domains"):
            if name in options:
                options[name] = tuple(options[name])
        response = await self.client.search(options.pop("query"), **options)
        return self.result(response)

    def result(self, response: Response) -> ToolResult:
        """Return the response as data and as bounded, fenced text."""
        words, hits = terms(response.query.text), response.hits
        searched = response.outcome is not Outcome.UNAVAILABLE
        return ToolResult(
            success=searched,
            output=response.to_dict(),
            text=self.text(response),
            confidence_factors=search_factors(
                response.confidence, [relevance(words, h) for h in hits], [h.url for h in hits]
            ),
            error=None if searched else "nobody could search",
            error_kind=None if searched else "tool",
        )

    def text(self, response: Response) -> str:
        """Write outcome, provider and date outside the fence, the hits inside."""
        providers = sorted({a.provider for a in response.attempts if a.error is None}) or ["—"]
        head = f"outcome: {response.outcome} · provider: {', '.join(providers)}"
        head += f" · date: {datetime.now(UTC).date()}"
        parts = [head, *self._failures(response)]
        if response.hits or response.outcome is not Outcome.UNAVAILABLE:
            outcome = Outcome.FOUND if response.hits else Outcome.EMPTY
            shown = replace(self._fit(response), outcome=outcome)
            body = write(shown, "plain", language=self.language, max_content_length=0)
            parts.append(self.fence_web_text(body, origin_of(h.provider for h in response.hits)))
        return "\n".join(parts)

    def _failures(self, response: Response) -> list[str]:
        """List failed web providers if none answered; fence their messages."""
        t = translator(self.language)
        failed = describe_attempts(response.attempts, self.language)
        said = self.fence_web_text(quote_attempts(response.attempts), "failures")
        if response.outcome is Outcome.UNAVAILABLE:
            head = t(UNAVAILABLE, query=flatten(response.query.text))
            step = t("Next: {text}", text=next_step(response, t))
            return list(filter(None, [head, *failed, step, said]))
        if failed and local_only(response):
            return list(filter(None, [t(WEB_FAILED), *failed, said]))
        return []

    def _fit(self, response: Response) -> Response:
        """Halve the longest content until the text has at most `max_tokens`."""
        limit = 8_000
        while (
            count(write(response, "plain", max_content_length=0)) > self.max_tokens and limit > 60
        ):
            limit //= 2
            hits = tuple(replace(h, content=cut(h.content, limit)) for h in response.hits)
            response = replace(response, hits=hits)
        return response
