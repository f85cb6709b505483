"""Calls that type checkers must refuse: each line marked with `# wrong`. Never run."""

from kensaku import Hit, Kensaku, Query, Settings, tools_for
from kensaku.sync import Kensaku as SyncKensaku


async def main(k: Kensaku) -> None:
    await k.search("otters", depth="bsic")  # wrong
    await k.search("otters", max_results="a")  # wrong
    await k.search("otters", nonsense=1)  # wrong
    await k.search("otters", mode="frist")  # wrong
    await k.context("otters", rout="local")  # wrong
    await k.crawl("https://example.com", max_dept=2)  # wrong
    (await k.search("otters")).hitz  # wrong
    await k.extract(5)  # wrong
    await k.research("otters", output_length="endless")  # wrong
    await k.ask("otters", approvals={"shell": "maybe"})  # wrong
    await k.index.search("otters", max_results="3")  # wrong
    async for page in k.crawl("https://example.com"):
        page.txt  # wrong


def sync(k: SyncKensaku) -> None:
    k.srch("otters")  # wrong
    k.search("otters", topic="sport")  # wrong
    k.search("otters").hits[0].nonsense  # wrong
    k.index.add("docs")  # wrong


def values(hit: Hit) -> None:
    Query("otters", time_range="fortnight")  # wrong
    Settings(mode="frist")  # wrong
    Kensaku(cach_ttl=60)  # wrong
    SyncKensaku(timeout="soon")  # wrong
    tools_for("langchian")  # wrong
    hit.explain.ranks  # wrong
