"""Calls that type checkers must refuse. Never run.

Each is marked: mypy refuses an ignore that ignores nothing (`make types`), and a test compares what
pyright refuses with the lines that end in `# wrong`.
"""

from kensaku import Hit, Kensaku, Query, Settings, tools_for
from kensaku.sync import Kensaku as SyncKensaku


async def main(k: Kensaku) -> None:
    await k.search("otters", depth="bsic")  # type: ignore[arg-type]  # wrong
    await k.search("otters", max_results="a")  # type: ignore[arg-type]  # wrong
    await k.search("otters", nonsense=1)  # type: ignore[call-arg]  # wrong
    await k.search("otters", mode="frist")  # type: ignore[arg-type]  # wrong
    await k.context("otters", rout="local")  # type: ignore[call-arg]  # wrong
    await k.crawl("https://example.com", max_dept=2)  # type: ignore[call-arg]  # wrong
    (await k.search("otters")).hitz  # type: ignore[attr-defined]  # wrong
    await k.extract(5)  # type: ignore[arg-type]  # wrong
    await k.research("otters", output_length="endless")  # type: ignore[arg-type]  # wrong
    await k.ask("otters", approvals={"shell": "maybe"})  # type: ignore[dict-item]  # wrong
    await k.index.search("otters", max_results="3")  # type: ignore[arg-type]  # wrong
    async for page in k.crawl("https://example.com"):
        page.txt  # type: ignore[attr-defined]  # wrong


def sync(k: SyncKensaku) -> None:
    k.srch("otters")  # type: ignore[attr-defined]  # wrong
    k.search("otters", topic="sport")  # type: ignore[arg-type]  # wrong
    k.search("otters").hits[0].nonsense  # type: ignore[attr-defined]  # wrong
    k.index.add("docs")  # type: ignore[arg-type]  # wrong


def values(hit: Hit) -> None:
    Query("otters", time_range="fortnight")  # type: ignore[arg-type]  # wrong
    Settings(mode="frist")  # type: ignore[arg-type]  # wrong
    Kensaku(cach_ttl=60)  # type: ignore[call-arg]  # wrong
    SyncKensaku(timeout="soon")  # type: ignore[arg-type]  # wrong
    tools_for("langchian")  # type: ignore[call-overload]  # wrong
    hit.explain.ranks  # type: ignore[union-attr]  # wrong
