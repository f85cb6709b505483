"""A search as events: who is asked, hits as they come, the ranked whole, the answer of a model.

And its context: the best passages, under a number of tokens.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sse_starlette import ServerSentEvent

from kensaku.answers.model import has_model
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.messages import msg
from kensaku.models import LOCAL, Outcome
from kensaku.providers.local import Local, came_too_late
from kensaku.search import listen
from kensaku.search.listen import PartialHits, Said, SearchEvent, listening
from kensaku.search.pipeline import instead_of_web
from kensaku.server.page import snippets
from kensaku.server.page.render import render
from kensaku.server.page.results import attempt_views, begun, hit_view, response_values
from kensaku.server.page.search.form import SearchForm
from kensaku.server.page.tabs import api, event, one_search

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Attempt, Hit, Query, Response
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

MAX_TOKENS = 100_000
CONTEXT_RESULTS = 20
LOOK_SECONDS = 0.4  # between two looks at how far the local index is


async def stream(page: PageRequest, asked: Asked) -> AsyncIterator[ServerSentEvent]:
    """Search; parts of the page come as events, as they are known."""
    form = SearchForm.read(asked.fields)
    follow = Follow(page, form)
    heard: asyncio.Queue[SearchEvent | None] = asyncio.Queue()
    search = asyncio.create_task(_search(page, form, heard))
    try:
        async for said in _heard(heard, page.client):
            yield follow.shown(said)
        try:
            response = await search
        except KensakuError as error:
            yield event("failed", {"html": render(page, "_error.html", error=error)})
            return
        page.outcome, page.cached = str(response.outcome), response.cached
        yield event("response", follow.whole(response))
        if response.outcome is Outcome.UNAVAILABLE and came_too_late(response.attempts):
            async for share in _fill(page.client):
                yield follow.shown(share)
            response = instead_of_web(await page.client.search(response.query, route=LOCAL))
            page.outcome = str(response.outcome)
            yield event("response", follow.whole(response))
        if response.hits and has_model(page.client.settings):
            yield await _model_answer(page, response)
    finally:
        search.cancel()
        with contextlib.suppress(asyncio.CancelledError, KensakuError):
            await search


def preparing(client: Kensaku) -> float | None:
    """Which share of the local index is filled, while it is filled for the first time."""
    local = client.resources.provider(LOCAL)
    return local.preparing if isinstance(local, Local) else None


async def _heard(
    heard: asyncio.Queue[SearchEvent | None], client: Kensaku
) -> AsyncIterator[SearchEvent | Filling]:
    """Yield what is heard of the search, and meanwhile how far the local index is."""
    shown = None
    while True:
        try:
            said = await asyncio.wait_for(heard.get(), LOOK_SECONDS)
        except TimeoutError:
            share = preparing(client)
            if share is not None and share != shown:
                shown = share
                yield Filling(share)
            continue
        if said is None:
            return
        yield said


async def _fill(client: Kensaku) -> AsyncIterator[Filling]:
    """Wait until the local index is filled; yield how far it is."""
    local, shown = client.resources.provider(LOCAL), None
    if not isinstance(local, Local):
        return
    filling = asyncio.ensure_future(local.prepare())
    try:
        while not filling.done():
            if (share := local.preparing) is not None and share != shown:
                shown = share
                yield Filling(share)
            await asyncio.wait([filling], timeout=LOOK_SECONDS)
    finally:
        filling.cancel()
        with contextlib.suppress(asyncio.CancelledError, KensakuError):  # the search says why
            await filling


@dataclass(frozen=True, slots=True)
class Filling:
    """The local index is being filled; `share` of it is there."""

    share: float


async def _search(
    page: PageRequest, form: SearchForm, heard: asyncio.Queue[SearchEvent | None]
) -> Response:
    route, mode = form.routing
    try:
        with listening(heard.put_nowait):
            query = form.query(page.client.settings.max_results)
            return await page.client.search(query, route=route, mode=mode)
    finally:
        heard.put_nowait(None)


@dataclass
class Follow:
    """What is known so far of a search under way."""

    page: PageRequest
    form: SearchForm
    began: float = field(default_factory=time.perf_counter)
    starts: dict[str, float] = field(default_factory=dict)  # provider → when it was asked, ms
    waiting: dict[str, float] = field(default_factory=dict)
    ended: list[tuple[Attempt, float]] = field(default_factory=list)
    hits: dict[str, Hit] = field(default_factory=dict)  # by URL

    def shown(self, said: SearchEvent | Filling) -> ServerSentEvent:
        """The part of the page that something changes."""
        match said:
            case listen.Asked(provider, at):
                self.starts[provider] = self.waiting[provider] = at
            case Said(attempt, at):
                self.waiting.pop(attempt.provider, None)
                started = self.starts.get(attempt.provider, at - attempt.elapsed_ms)
                self.ended.append((attempt, started))
            case Filling(share):
                html = render(self.page, "_preparing.html", preparing=share)
                return event("preparing", {"html": html})
            case PartialHits(_, hits):
                self.hits |= {h.url: h for h in hits if h.url not in self.hits}
                return event("hits", {"html": self._provisional(), "n": len(self.hits)})
        return event("asked", {"html": self._asked((time.perf_counter() - self.began) * 1000)})

    def whole(self, response: Response) -> Mapping[str, Any]:
        """The ranked whole, and all that stands around it."""
        page, settings = self.page, self.page.client.settings
        if not self.ended:  # from the cache, or a search that somebody else began
            self.ended = begun(response, self.form.routing[1] or settings.mode)
        self.waiting.clear()
        values = response_values(response, page.t, preparing=preparing(page.client))
        waits = bool(response.hits and has_model(settings))
        return {
            "html": render(page, "_results.html", form=self.form, writing=waits, **values),
            "asked": self._asked(response.elapsed_ms, response),
            "use": render(page, "_use.html", use=snippets.for_search(page, self.form)),
            "outcome": str(response.outcome),
            "address": self.form.address(page.root),
            "title": self.form.q,
        }

    def _asked(self, now: float, response: Response | None = None) -> str:
        rows = attempt_views(self.ended, self.waiting, now, self.page.t)
        return render(self.page, "_asked.html", attempts=rows, response=response)

    def _provisional(self) -> str:
        hits = enumerate(self.hits.values(), 1)
        views = [hit_view(n, h, self.form.q, self.page.t) for n, h in hits]
        return render(self.page, "_hits.html", hits=views, provisional=True)


async def _model_answer(page: PageRequest, response: Response) -> ServerSentEvent:
    """The configured model's answer; the extract when the model fails."""
    answer = await page.client.answer(response)
    numbers = {h.url: n for n, h in enumerate(response.hits, 1)}
    cites = {c.n: numbers[c.url] for c in answer.citations if c.url in numbers}
    values = response_values(response, page.t, answer.text, cites)
    html = render(
        page, "_answer.html", written_by=answer.written_by, writing=False,
        model_notes=answer.notes, **values,
    )  # fmt: skip
    return event("answer", {"html": html, "found": response.outcome is Outcome.FOUND})


def read_context(asked: Asked) -> tuple[SearchForm, Query, int]:
    """Check what is asked for, before it counts. Raises `UsageError`."""
    form, most = SearchForm.read(asked.fields), asked.fields.get("max_tokens", 2_000)
    if not isinstance(most, int) or not 1 <= most <= MAX_TOKENS:
        raise InvalidQuery(
            msg("max_tokens must be a number from 1 to {max_tokens:,}", max_tokens=MAX_TOKENS)
        )
    return form, form.query(CONTEXT_RESULTS), most


async def context(page: PageRequest, call: tuple[SearchForm, Query, int]) -> dict[str, Any]:
    """Search with the fields of the form, and pack what was found into `max_tokens`."""
    form, query, most = call
    route, mode = form.routing
    packed = await page.client.context(query, max_tokens=most, route=route, mode=mode)
    said = page.t("{n} tokens", n=f"{packed.tokens:,}")
    return {**packed.to_dict(), "said": said}


ENDPOINTS = [
    api("POST", "/api/search", stream, cost=one_search, is_owners=False),
    api("POST", "/api/context", context, read=read_context, cost=one_search, is_owners=False),
]
