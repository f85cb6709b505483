"""What else Tavily's API has: /research with its jobs and its stream, /usage, /feedback."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from kensaku.errors import KensakuError, UnknownJob
from kensaku.observe import Caller, caller
from kensaku.search.budget import current_budget
from kensaku.server.endpoint import status_of
from kensaku.server.http import decode_body, headers_of, read_body
from kensaku.server.wires.base import Asked
from kensaku.server.wires.tavily_research import (
    DONE,
    Frames,
    read_research,
    write_created,
    write_job,
)

if TYPE_CHECKING:
    from kensaku.search.budget import Budget
    from kensaku.server.session import Session
    from kensaku.server.state import State
    from kensaku.server.wires.base import Research

MAX_BODY = 12 * 2**20  # five files of 80,000 words, in base64
ENDPOINTS = ("search", "extract", "crawl", "map", "research")


def routes(state: State) -> list[BaseRoute]:
    """The routes of this file, at the root and under /tavily."""
    views = TavilyAccount(state)
    paths = {
        ("POST", "/research"): views.create,
        ("GET", "/research/{id}"): views.poll,
        ("GET", "/usage"): views.usage,
        ("POST", "/feedback"): views.feedback,
    }
    return [
        Route(prefix + path, _telling(view), methods=[method])
        for (method, path), view in paths.items()
        for prefix in ("", "/tavily")
    ]


class TavilyAccount:
    """The handlers of these requests."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def create(self, request: Request) -> Response:
        """Queue a run, or stream it."""
        began = time.perf_counter()
        asked = await _asked(request)
        async with self._state.request(
            request.scope, "tavily/research", asked.headers, asked.body
        ) as session:
            call = read_research(asked)
            budget = await session.check_run()
            if call.stream:
                session.outcome = "found"
                events = self._stream(request, session, call, budget)
                headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
                return StreamingResponse(events, 200, headers, "text/event-stream")
            jobs = await self._state.jobs()
            arguments = {"input": call.input, **call.options}
            tenant, key = session.principal.tenant, session.principal.key_id
            job_id = await jobs.submit("research", arguments, tenant=tenant, key_id=key)
            session.outcome = "found"
        # 200, not 201: the Python clients take nothing else.
        return JSONResponse(write_created(call, job_id, time.perf_counter() - began))

    async def poll(self, request: Request) -> Response:
        """Say how far a run is."""
        began = time.perf_counter()
        headers = headers_of(request.scope)
        principal = await self._state.principal(request.scope, headers, {})
        jobs = await self._state.jobs()
        try:
            job = await jobs.get(request.path_params["id"][:200], tenant=principal.tenant)
        except UnknownJob:
            return JSONResponse({"detail": {"error": "Research task not found"}}, 404)
        status, body = write_job(job, time.perf_counter() - began)
        return JSONResponse(body, status)

    async def usage(self, request: Request) -> Response:
        """What the key has used, in Tavily's words; a credit is a request here."""
        from kensaku.database.usage import summarise

        principal = await self._state.principal(request.scope, headers_of(request.scope), {})
        rows = await summarise(
            self._state.database, by="endpoint", days=31, tenant=principal.tenant
        )
        used = dict.fromkeys(ENDPOINTS, 0)
        for row in rows:
            name = row.group.rpartition("/")[2]
            if name in used:
                used[name] += int(row.requests)
        counts = {f"{name}_usage": n for name, n in used.items()}
        key, total = principal.key, sum(used.values())
        limit = key.searches_per_day * 31 if key and key.searches_per_day else None
        account = {"current_plan": "self-hosted", "plan_usage": total, "plan_limit": limit}
        paygo = {"paygo_usage": 0, "paygo_limit": None}
        return JSONResponse(
            {"key": {"usage": total, "limit": limit} | counts, "account": account | paygo | counts}
        )

    async def feedback(self, request: Request) -> Response:
        """Take an opinion. It is acknowledged, and not kept: what people think is theirs."""
        began = time.perf_counter()
        asked = await _asked(request)
        async with self._state.request(
            request.scope, "tavily/feedback", asked.headers, asked.body
        ) as session:
            await session.check_limits()
            session.outcome = "found"
        elapsed = round(time.perf_counter() - began, 3)
        return JSONResponse(
            {"success": True, "feedback_id": str(uuid.uuid4()), "response_time": elapsed}
        )

    async def _stream(
        self, request: Request, session: Session, call: Research, budget: Budget | None
    ) -> AsyncIterator[bytes]:
        """Stream a run. The request has been admitted, and its context is over."""
        id, who = request.scope["state"]["request_id"], session.principal
        caller.set(Caller(id, who.tenant, who.key_id, "tavily/research"))
        current_budget.set(budget)
        frames = Frames(id, call.options["model"], int(time.time()))
        try:
            async for event in session.client.research_events(call.input, **call.options):
                for frame in frames.of(event):
                    yield frame
        except KensakuError as error:
            yield frames.failed(str(error))
        yield DONE


async def _asked(request: Request) -> Asked:
    headers = headers_of(request.scope)
    raw = await read_body(request.receive, MAX_BODY)
    return Asked(decode_body(raw, headers.get("content-type", "")), headers=headers)


def _telling(view: Any) -> Any:
    """A view whose errors are told as Tavily tells them."""

    async def handle(request: Request) -> Response:
        try:
            response: Response = await view(request)
        except KensakuError as error:
            status, headers = status_of(error)
            return JSONResponse({"detail": {"error": str(error)}}, status, headers=dict(headers))
        return response

    handle.__name__ = f"tavily/{view.__name__}"
    return handle
