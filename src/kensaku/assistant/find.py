"""Search for the questions of a plan: collections, then the web, then the pages of its results.

find_out(run, evidence) → every question side by side, each round by round until it is answered
weigh(evidence)         → what the sources say to each
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, Any

from kensaku.errors import IndexFault
from kensaku.models import LOCAL

if TYPE_CHECKING:
    from kensaku.assistant.evidence import Evidence
    from kensaku.assistant.request import Run
    from kensaku.assistant.toolbox import Toolbox
    from kensaku.research.findings import Finding

PAGES = 3  # that are read for one question in one round
MAX_ROUNDS = 3


async def find_out(run: Run, evidence: Evidence) -> None:
    """Search for all questions side by side. The queries are those of the plan."""
    own = await _has_collections(run.tools)
    numbers = range(len(evidence.questions))
    await _side_by_side(_find_out(n, run, evidence, own=own) for n in numbers)


async def _side_by_side(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do independent work at the same time; the first error ends all of it."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in work:
                group.create_task(part)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def _find_out(n: int, run: Run, evidence: Evidence, *, own: bool) -> None:
    """Search for one question: collections, then the web, round by round until it is answered."""
    tools, queries = run.tools, evidence.questions[n].queries[:MAX_ROUNDS]
    if await _is_answered(n, run, evidence):  # by the page that the person named
        return
    if own:
        evidence.add(n, await tools.rag_search(queries[0]))
        if await _is_answered(n, run, evidence):
            return
    if own and tuple(tools.route or tools.client.settings.route) == (LOCAL,):
        return
    for query in queries:
        evidence.add(n, await tools.web_search(query))
        if await _is_answered(n, run, evidence):
            return
        if urls := evidence.unread(n, PAGES):
            evidence.add_pages(await tools.web_extract(urls, [queries[0]]))
            if await _is_answered(n, run, evidence):
                return


async def _is_answered(n: int, run: Run, evidence: Evidence) -> bool:
    finding = await asyncio.to_thread(evidence.finding, n)
    return bool(finding.sentences) and (finding.confidence or 0.0) >= run.thresholds.notify


async def weigh(evidence: Evidence) -> list[Finding]:
    """Return what the sources say to each question."""
    numbers = range(len(evidence.questions))
    return await asyncio.to_thread(lambda: [evidence.finding(n) for n in numbers])


async def _has_collections(tools: Toolbox) -> bool:
    """Whether there is anything of one's own to search. An index that was never filled is not
    opened."""
    if tools.collection is not None:
        return True
    s = tools.client.settings
    if not s.index_url and not (s.home / "index" / "collections").is_dir():
        return False
    try:
        return bool(await tools.client.index.collections())
    except IndexFault as error:
        tools.notes.append(f"the collections could not be searched: {error.message}")
        return False
