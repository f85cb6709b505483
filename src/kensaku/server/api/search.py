"""A search as events: who is asked, hits as they come, the ranked whole, the answer of a model."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.answers.model import has_model
from kensaku.errors import KensakuError
from kensaku.models import Outcome
from kensaku.search.listen import Asked, PartialHits, Said, SearchEvent, listening
from kensaku.server.api.base import Call, Endpoint, Event
from kensaku.server.page.form import SearchForm
from kensaku.server.page.render import render
from kensaku.server.page.results import attempt_views, begun, hit_view, response_values
from kensaku.server.page.search import use

if TYPE_CHECKING:
    from kensaku.models import Attempt, Hit, Response
    from kensaku.server.page.request import PageRequest


async def stream(call: Call) -> AsyncIterator[Event]:
    """Search; parts of the page come as they are known."""
    form, page = SearchForm.read(call.fields), call.page
    follow = Follow(page, form)
    heard: asyncio.Queue[SearchEvent | None] = asyncio.Queue()
    search = asyncio.create_task(_search(call, form, heard))
    try:
        while (event := await heard.get()) is not None:
            yield follow.shown(event)
        try:
            response = await search
        except KensakuError as error:
            yield "failed", {"html": render(page, "_error.html", error=error)}
            return
        call.session.outcome, call.session.cached = str(response.outcome), response.cached
        yield "response", follow.whole(call, response)
        if response.hits and has_model(call.client.settings):
            yield await _model_answer(call, response)
    finally:
        search.cancel()
        with contextlib.suppress(asyncio.CancelledError, KensakuError):
            await search


async def _search(
    call: Call, form: SearchForm, heard: asyncio.Queue[SearchEvent | None]
) -> Response:
    route, mode = form.routing
    try:
        with listening(heard.put_nowait):
            query = form.query(call.client.settings.max_results)
            return await call.client.search(query, route=route, mode=mode)
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

    def shown(self, event: SearchEvent) -> Event:
        """The part of the page that an event changes."""
        match event:
            case Asked(provider, at):
                self.starts[provider] = self.waiting[provider] = at
            case Said(attempt, at):
                self.waiting.pop(attempt.provider, None)
                started = self.starts.get(attempt.provider, at - attempt.elapsed_ms)
                self.ended.append((attempt, started))
            case PartialHits(_, hits):
                self.hits |= {h.url: h for h in hits if h.url not in self.hits}
                return "hits", {"html": self._provisional(), "n": len(self.hits)}
        return "asked", {"html": self._asked((time.perf_counter() - self.began) * 1000)}

    def whole(self, call: Call, response: Response) -> Mapping[str, Any]:
        """The ranked whole, and all that stands around it."""
        page, t = self.page, self.page.t
        if not self.ended:  # from the cache, or a search that somebody else began
            self.ended = begun(response, self.form.routing[1] or call.client.settings.mode)
        self.waiting.clear()
        values = response_values(response, t)
        waits = bool(response.hits and has_model(call.client.settings))
        return {
            "html": render(page, "_results.html", form=self.form, writing=waits, **values),
            "asked": self._asked(response.elapsed_ms, response),
            "use": render(page, "_use.html", use=use(page, self.form)),
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


async def _model_answer(call: Call, response: Response) -> Event:
    """The configured model's answer; the extract when the model fails."""
    answer = await call.client.answer(response)
    numbers = {h.url: n for n, h in enumerate(response.hits, 1)}
    cites = {c.n: numbers[c.url] for c in answer.citations if c.url in numbers}
    values = response_values(response, call.page.t, answer.text, cites)
    html = render(
        call.page, "_answer.html", written_by=answer.written_by, writing=False,
        model_notes=answer.notes, **values,
    )  # fmt: skip
    return "answer", {"html": html, "found": response.outcome is Outcome.FOUND}


ENDPOINTS = [Endpoint("POST", "/api/search", stream, searches=1)]
