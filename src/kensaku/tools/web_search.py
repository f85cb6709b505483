"""`web_search`: search the web and return titles, addresses and excerpts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.answers.tokenizer import count
from kensaku.dialects import write
from kensaku.dialects._strings import local_only, next_step, strings_for
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
    title = {"en": "Web search", "ja": "ウェブ検索"}
    about = {
        "en": "Search the web for current information. Returns titles, URLs and excerpts. Use it "
        "for recent events, documentation, prices, and any fact you are not sure of. The result "
        "says whether something was found, nothing was found, or nobody could search.",
        "ja": "ウェブを検索し、最新の情報を得る。タイトル、URL、抜粋を返す。最近の出来事、"
        "文書、価格など、確信のない事実を調べるときに使う。見つかった、見つからなかった、"
        "検索できなかった、のどれであるかも返す。",
    }
    prompt = {
        "en": "Web search: use web_search for current events, documentation and every fact you "
        "are unsure of; do not guess. Cite the URLs you used. If nobody could search, say so: it "
        "does not mean that nothing exists.",
        "ja": "ウェブ検索：最近の出来事や文書、確信のない事実は推測せず web_search で調べ、"
        "使った URL を示すこと。検索できなかった場合は、存在しないとは言わず、そう伝えること。",
    }
    params = (
        QUERY,
        Param(
            "max_results",
            "integer",
            {"en": "How many results to return.", "ja": "検索結果の最大件数"},
            default=5,
            minimum=1,
            maximum=20,
        ),
        Param(
            "topic",
            "string",
            {"en": "What kind of pages.", "ja": "ページの種類"},
            default="general",
            choices=("general", "news", "finance", "papers", "code"),
        ),
        Param(
            "time_range",
            "string",
            {"en": "Only pages of the last day, week, month or year.", "ja": "対象とする期間"},
            choices=("day", "week", "month", "year"),
        ),
        Param(
            "include_domains",
            "array",
            {"en": "Only these hosts, such as python.org.", "ja": "対象とするホスト"},
            maximum=20,
        ),
        Param(
            "exclude_domains",
            "array",
            {"en": "None of these hosts.", "ja": "除外するホスト"},
            maximum=20,
        ),
        Param(
            "start_date",
            "string",
            {
                "en": "Published on or after this day, as 2026-01-31.",
                "ja": "公開日がこの日以降（2026-01-31 の形）",
            },
            maximum=10,
        ),
        Param(
            "end_date",
            "string",
            {"en": "Published on or before this day.", "ja": "公開日がこの日以前"},
            maximum=10,
        ),
        Param(
            "country",
            "string",
            {
                "en": "Prefer this country, by its code, as jp.",
                "ja": "優先する国のコード（例: jp）",
            },
            maximum=2,
        ),
        Param(
            "language",
            "string",
            {
                "en": "Results in this language, by its code, as ja.",
                "ja": "結果の言語コード（例: ja）",
            },
            maximum=8,
        ),
        Param(
            "depth",
            "string",
            {
                "en": "How thorough; advanced costs more.",
                "ja": "検索の深さ（advanced は費用が増える）",
            },
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
        strings = strings_for(self.language)
        failed = describe_attempts(response.attempts, self.language)
        said = self.fence_web_text(quote_attempts(response.attempts), "failures")
        if response.outcome is Outcome.UNAVAILABLE:
            head = strings.unavailable.format(query=flatten(response.query.text))
            step = f"{strings.next_step}{strings.colon}{next_step(response, self.language)}"
            return list(filter(None, [head, *failed, step, said]))
        if failed and local_only(response):
            return list(filter(None, [WEB_FAILED[self.language], *failed, said]))
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
