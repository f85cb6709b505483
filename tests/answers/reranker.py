"""A reranker on loopback, over real HTTP, in the shapes of Jina, Cohere and vLLM, and of TEI."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

TEI_BATCH = 32  # its default of --max-client-batch-size


class StandIn:
    """Scores a text by `score`; `/jina`, `/cohere`, `/vllm` and `/tei` speak as these do."""

    def __init__(self, score: Callable[[str], float]) -> None:
        self.score = score
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.reply: Any = None  # instead of scores
        self.status = 200
        self.hangs = False
        app = web.Application(client_max_size=2**24)
        for name in ("jina", "cohere", "vllm"):
            app.router.add_post(f"/{name}/v1/rerank", getattr(self, name))
        app.router.add_post("/tei/rerank", self.tei)
        self.server = TestServer(app)

    def settings(self, shape: str, **more: Any) -> dict[str, Any]:
        """What points a client here."""
        path = "/tei/rerank" if shape == "tei" else f"/{shape}/v1/rerank"
        model = "" if shape == "tei" else "some-reranker"
        return {"rerank_url": str(self.server.make_url(path)), "rerank_model": model, **more}

    async def jina(self, request: web.Request) -> web.Response:
        rows = await self._documents(request)
        usage = {"total_tokens": 9}
        return self._send({"model": "m", "object": "list", "usage": usage, "results": rows})

    async def cohere(self, request: web.Request) -> web.Response:
        meta = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
        return self._send({"id": "1", "results": await self._documents(request), "meta": meta})

    async def vllm(self, request: web.Request) -> web.Response:
        rows = [{**row, "document": {"text": ""}} for row in await self._documents(request)]
        return self._send({"id": "rerank-1", "model": "m", "usage": {}, "results": rows})

    async def tei(self, request: web.Request) -> web.Response:
        body = await self._body(request)
        if set(body) != {"query", "texts", "truncate"} or len(body["texts"]) > TEI_BATCH:
            return web.json_response(
                {"error": "batch size", "error_type": "Validation"}, status=422
            )
        return self._send(self._rows(body["texts"], "score"))

    async def _documents(self, request: web.Request) -> list[dict[str, Any]]:
        body = await self._body(request)
        return self._rows(body["documents"], "relevance_score")[: body["top_n"]]

    def _rows(self, texts: list[str], name: str) -> list[dict[str, Any]]:
        """The best first, as all of them send it."""
        rows = [{"index": n, name: self.score(text)} for n, text in enumerate(texts)]
        return sorted(rows, key=lambda row: -row[name])

    async def _body(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        self.asked.append(body)
        self.keys.append(request.headers.get("Authorization"))
        if self.hangs:
            await asyncio.Event().wait()
        return body

    def _send(self, scores: Any) -> web.Response:
        said = scores if self.reply is None else self.reply
        return web.json_response(said, status=self.status)
