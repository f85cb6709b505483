"""Calls that type checkers must accept. Read by `test_typing.py`; never run."""

from datetime import date

import kensaku
from kensaku import (
    Answer,
    Budget,
    Citation,
    Context,
    CrawlResult,
    Document,
    Extraction,
    Hit,
    Index,
    Kensaku,
    Page,
    ProgressEvent,
    Query,
    Report,
    Response,
    Settings,
    SiteMap,
    Verification,
)
from kensaku.assistant import CitedAnswer
from kensaku.research import Event
from kensaku.sync import Kensaku as SyncKensaku


def show(event: ProgressEvent) -> None:
    print(event.stage, event.done, event.total)


async def main() -> None:
    settings = Settings(route=("tavily", "local"), mode="hedge", timeout=5)
    async with Kensaku(settings, budget=Budget(searches=3), progress=show) as k:
        response: Response = await k.search(
            "otters",
            route=["tavily", "local"],
            mode="all",
            timeout=3,
            max_results=5,
            depth="advanced",
            topic="news",
            time_range="week",
            include_domains=["example.com"],
            exclude_domains={"example.org"},
            country="jp",
            language="ja",
            include_answer=True,
        )
        hit: Hit = response.hits[0]
        unique: set[Hit] = {hit}
        await k.search(Query("otters", max_results=3, start_date="2026-01-01"))
        count: int = Query("otters", end_date=date(2026, 1, 31)).max_results
        context: Context = await k.context("otters", max_tokens=500, route="local")
        citation: Citation = context.citations[0]
        answer: Answer = await k.answer(Query("otters"))
        report: Report = await k.research(
            "otters", model="mini", output_length="long", citation_format="apa", route="local"
        )
        async for event in k.research_events("otters", budget=Budget(searches=3)):
            happened: Event = event
            print(happened.to_dict())
        said: CitedAnswer = await k.ask("otters?", collection="docs", approvals={"shell": "never"})
        async for event in k.ask_events("otters?", model="anthropic:name", timeout=30):
            print(said.text, event.to_dict())
        pages: Extraction = await k.extract("https://example.com", progress=show)
        whole: CrawlResult = await k.crawl("https://example.com", max_depth=2, limit=10)
        async for page in k.crawl("https://example.com"):
            one: Page = page
            print(one.text)
        urls: SiteMap = await k.map("https://example.com", select_paths=["/docs"])
        verdict: Verification = await k.verify("a quote", citation)
        index: Index = k.index
        await index.add([Document(url="doc:1", text="otters")], collection="docs")
        hits: list[Hit] = await index.search("otters", collections="docs", max_results=3)
    print(unique, count, answer, report.text, pages, whole, urls, verdict, hits)


def sync() -> None:
    with SyncKensaku(route="tavily", cache_ttl=60, progress=show) as k:
        response: Response = k.search("otters", max_results=3)
        context: Context = k.context("otters")
        whole: CrawlResult = k.crawl("https://example.com")
        k.index.add([Document(url="doc:1", text="otters")])
        tools = kensaku.tools_for("langchain", ["web_search"], language="ja")
    print(response, context, whole, tools)
