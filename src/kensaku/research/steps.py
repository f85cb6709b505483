"""The steps of a run: each takes the state, and returns JSON.

    perform("search-1-2", state, client) → {"outcome", "hits", …, "elapsed"} → state.record(…)

A step keeps to what is left of the run's timeout. It does nothing twice that a finished step did;
a step that was interrupted is done again as a whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.answers.model import ChatModel
from kensaku.answers.stored import stored_passages
from kensaku.errors import BudgetExceeded, IndexFault
from kensaku.models import LOCAL, Outcome, Query
from kensaku.research.evidence import Evidence
from kensaku.research.findings import find_answers
from kensaku.research.pages import choose_pages, keep_page
from kensaku.research.plan import make_plan
from kensaku.research.write import write_report
from kensaku.search.scrub import QueryWithheld

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.fetch import Extraction
    from kensaku.models import Response
    from kensaku.research.state import Search, State
    from kensaku.search.budget import Budget

READ_SECONDS = 60.0
STORED_TOKENS = 3_000  # of passages that the local index adds to its hits


@dataclass(frozen=True, slots=True)
class Work:
    """One step that is about to be done, and what it may use."""

    name: str
    state: State
    client: Kensaku
    budget: Budget | None
    cache: bool | None

    @property
    def number(self) -> int:
        """The round that the step belongs to."""
        return int(self.name.split("-")[1])

    @property
    def model(self) -> ChatModel | None:
        """The configured model."""
        settings = self.client.settings
        if not settings.llm_url:  # the HTTP client is made on first use
            return None
        return ChatModel.from_settings(settings, self.client.resources.http)


async def perform(
    name: str,
    state: State,
    client: Kensaku,
    *,
    budget: Budget | None = None,
    cache: bool | None = None,
) -> dict[str, Any]:
    """Do one step and return its result, ready for JSON.

    Raises `UsageError` for a request that cannot be carried out. What the web, a page or the
    model fails at is part of the result.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    work = Work(name, state, client, budget, cache)
    result = await _STEPS[name.partition("-")[0]](work)
    return {**result, "elapsed": round(loop.time() - started, 3)}


async def _plan(work: Work) -> dict[str, Any]:
    return await make_plan(work.state.request, work.model, work.state.seconds_left)


async def _search(work: Work) -> dict[str, Any]:
    state, k = work.state, work.client
    search = next(s for s in state.searches(work.number) if s.name == work.name)
    seconds = state.seconds_left
    if seconds <= 0:
        return _not_searched("the time of the run was over before this search")
    try:
        response = await _ask(work, search, seconds)
    except QueryWithheld as withheld:  # nobody is there who could agree
        return _not_searched(withheld.message)
    hits = () if response.outcome is Outcome.UNAVAILABLE else response.hits
    return {
        "outcome": str(response.outcome),
        "hits": [hit.to_dict() for hit in hits],
        "stored": await _stored(k, response) if hits else {},
        "attempts": [attempt.to_dict() for attempt in response.attempts],
        "confidence": response.confidence.score if response.confidence else None,
        "notes": list(response.notes),
    }


async def _ask(work: Work, search: Search, seconds: float) -> Response:
    k, state = work.client, work.state
    request = state.request
    return await k.search(
        Query(
            search.query,
            max_results=state.effort.results,
            include_domains=request.include_domains if search.preferred else (),
            exclude_domains=request.exclude_domains,
            collection=request.collection,
        ),
        route=request.route,
        timeout=min(seconds, k.settings.timeout),
        cache=work.cache,
        budget=work.budget,
    )


def _not_searched(note: str) -> dict[str, Any]:
    return {"outcome": str(Outcome.UNAVAILABLE), "hits": [], "stored": {}, "attempts": [],
            "confidence": None, "notes": [note]}  # fmt: skip


async def _stored(k: Kensaku, response: Response) -> dict[str, Any]:
    """Return more passages of the documents that the local index found."""
    if not any(hit.provider == LOCAL for hit in response.hits):
        return {}
    found = await stored_passages(k.index, response.query.text, response.hits, STORED_TOKENS)
    return {url: [p.to_dict() for p in passages] for url, passages in found.items()}


async def _read(work: Work) -> dict[str, Any]:
    state = work.state
    urls = choose_pages(state, work.number)
    notes: list[str] = []
    budget = work.budget or work.client.budget
    left = budget.left().get("fetches")
    if left is not None and left < len(urls):
        notes.append(f"the budget allows {max(0, int(left))} of {len(urls)} pages to be read")
        urls = urls[: max(0, int(left))]
    seconds = min(READ_SECONDS, state.seconds_left)
    if not urls or seconds <= 0:
        return {"pages": [], "failed": [], "notes": notes}
    try:
        done = await work.client.extract(urls, timeout=seconds, budget=work.budget)
    except (BudgetExceeded, IndexFault) as error:  # the snippets are still worth having
        note = f"the pages were not read: {error.message}"
        return {"pages": [], "failed": [], "notes": [*notes, note]}
    return await asyncio.to_thread(_kept, done, state, notes)


def _kept(done: Extraction, state: State, notes: list[str]) -> dict[str, Any]:
    queries = [q["queries"][0] for q in state.plan["questions"]]
    read = [page for page in done.results if page.text and not page.needs_browser]
    unread = len(done.results) + len(done.failed) - len(read)
    if unread:
        notes.append(f"{unread} of {unread + len(read)} pages could not be read")
    return {
        "pages": [keep_page(page, queries) for page in read],
        "failed": [failure.to_dict() for failure in done.failed],
        "notes": notes,
    }


async def _weigh(work: Work) -> dict[str, Any]:
    """Say which questions have no answer yet. When the time is over, no further round begins."""
    tokenizer = work.client.settings.context_tokenizer
    missing = await asyncio.to_thread(_unanswered, work.state, tokenizer)
    if work.state.seconds_left <= 0:
        return {"missing": [], "open": missing, "notes": ["the time of the run was over"]}
    return {"missing": missing, "open": missing, "notes": []}


def _unanswered(state: State, tokenizer: str) -> list[int]:
    findings = find_answers(state, Evidence(state, tokenizer), 1)
    return [n for n, finding in enumerate(findings) if not finding.sentences]


async def _write(work: Work) -> dict[str, Any]:
    tokenizer = work.client.settings.context_tokenizer
    return await write_report(work.state, tokenizer, work.model, work.state.seconds_left)


_STEPS: dict[str, Callable[[Work], Awaitable[dict[str, Any]]]] = {
    "plan": _plan,
    "search": _search,
    "read": _read,
    "weigh": _weigh,
    "write": _write,
}
