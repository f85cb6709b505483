"""`web_extract`, `web_crawl`, `web_map`: from addresses to pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kensaku.answers.tokenizer import count
from kensaku.models import Page
from kensaku.text.clean import cut
from kensaku.tools.base import BaseTool, Param, ToolResult
from kensaku.tools.fence import fenced

URL = Param(
    "url",
    "string",
    {"en": "Where to start, as in https://docs.python.org/3/.", "ja": "開始する URL"},
    required=True,
    minimum=1,
    maximum=2_000,
)
INSTRUCTIONS = Param(
    "instructions",
    "string",
    {"en": "What the pages should be about, in a few words.", "ja": "探す内容"},
    maximum=400,
)
DEPTH = Param(
    "max_depth",
    "integer",
    {"en": "How many links away from the start.", "ja": "開始ページからの深さ"},
    default=1,
    minimum=1,
    maximum=5,
)


def _limit(default: int, maximum: int) -> Param:
    about = {"en": "How many pages at most.", "ja": "ページ数の上限"}
    return Param("limit", "integer", about, default=default, minimum=1, maximum=maximum)


class _PagesTool(BaseTool):
    def __init__(self, *args: Any, max_tokens: int = 8_000, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_tokens = max_tokens

    def pages_text(self, pages: Sequence[Page], failed: list[tuple[str, str]]) -> str:
        """The pages in equal shares of the tokens, and what could not be had."""
        share = self.max_tokens // max(1, len(pages))
        parts = [
            f"# {p.title or p.url}\n{p.url}\n\n{_fit(p.markdown or p.text, share)}" for p in pages
        ]
        body = "\n\n".join(parts)
        text = fenced(body, self.language) if self.fence and body else body
        lines = [f"could not be had: {url}: {error}" for url, error in failed]
        return "\n".join([*([text] if text else []), *lines])


class WebExtractTool(_PagesTool):
    name = "web_extract"
    title = {"en": "Read pages", "ja": "ページを読む"}
    about = {
        "en": "Read web pages, PDFs and documents: give their URLs, get the main text as Markdown.",
        "ja": "ウェブページや PDF、文書を読み、本文を Markdown で返す。",
    }
    params = (
        Param(
            "urls",
            "array",
            {"en": "Up to 20 URLs, with http:// or https://.", "ja": "抽出する URL（20 件まで）"},
            required=True,
            minimum=1,
            maximum=20,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        done = await self.client.extract(arguments["urls"])
        failed = [(url, str(error)) for url, error in done.failed]
        return ToolResult(
            success=bool(done.results),
            output={
                "results": [p.to_dict() for p in done.results],
                "failed": [{"url": u, "error": e} for u, e in failed],
            },
            text=self.pages_text(done.results, failed),
            confidence_factors={"pages": len(done.results), "failed": len(failed)},
            error=None if done.results else "no page could be had",
            error_kind=None if done.results else "tool",
        )


class WebCrawlTool(_PagesTool):
    name = "web_crawl"
    title = {"en": "Crawl a site", "ja": "サイトを巡回する"}
    about = {
        "en": "Follow the links of a site from one page on, and read the pages.",
        "ja": "あるページからリンクをたどり、サイトのページを読む。",
    }
    params = (URL, INSTRUCTIONS, DEPTH, _limit(10, 100))

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        done = await self.client.crawl(**{n: v for n, v in arguments.items() if v is not None})
        failed = [(url, str(error)) for url, error in done.failed]
        return ToolResult(
            success=bool(done.results),
            output={
                "base_url": arguments["url"],
                "results": [p.to_dict() for p in done.results],
                "failed": [{"url": u, "error": e} for u, e in failed],
            },
            text=self.pages_text(done.results, failed[:10]),
            confidence_factors={"pages": len(done.results), "failed": len(failed)},
            error=None if done.results else "no page could be had",
            error_kind=None if done.results else "tool",
        )


class WebMapTool(_PagesTool):
    name = "web_map"
    title = {"en": "Map a site", "ja": "サイトの地図"}
    about = {
        "en": "List the pages of a site, without reading them whole.",
        "ja": "サイトにあるページの一覧を返す。",
    }
    params = (URL, INSTRUCTIONS, DEPTH, _limit(50, 500))

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        done = await self.client.map(**{n: v for n, v in arguments.items() if v is not None})
        text = "\n".join(done.urls)
        return ToolResult(
            success=bool(done.urls),
            output={"base_url": arguments["url"], "results": list(done.urls)},
            text=fenced(text, self.language) if self.fence and text else text,
            confidence_factors={"pages": len(done.urls)},
            error=None if done.urls else "no page could be had",
            error_kind=None if done.urls else "tool",
        )


def _fit(text: str, tokens: int) -> str:
    while count(text) > tokens and len(text) > 60:
        text = cut(text, max(60, int(len(text) * min(0.9, tokens / count(text)))))
    return text
