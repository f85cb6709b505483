"""Jina: `s/` searches, `r/` reads a page; plain text, or JSON for who accepts it.

`v1/rerank` orders documents: by the reranker of the settings, else by our own ranking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs

from kensaku.answers.tokenizer import count
from kensaku.errors import InvalidQuery, ProviderError
from kensaku.search.passages import score_texts
from kensaku.server.auth import KEY_PLACES, KeyPlace
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import (
    Asked,
    Endpoint,
    Exchange,
    Extract,
    Found,
    Read,
    Search,
    Text,
    Wire,
)

if TYPE_CHECKING:
    from kensaku.models import Hit, Page
    from kensaku.server.request import Request

MAX_NUM = 20
SEARCH: dict[str, Any] = {
    "q": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "num": {"type": "integer", "minimum": 1, "maximum": MAX_NUM},
    "gl": {"type": "string"},
    "hl": {"type": "string"},
    "type": {"type": "string"},
}
HEADERS = ("accept", "x-respond-with")
READ: dict[str, Any] = {"url": {"type": "string", "minLength": 1}}

MAX_DOCUMENTS = 500  # each of at most fields.MAX_TEXT characters
RERANK: dict[str, Any] = {
    "model": {"type": "string", "maxLength": 200},
    "query": {"type": "string", "minLength": 1, "maxLength": 4_000, "pattern": r"\S"},
    "documents": {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_DOCUMENTS,
        "items": {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"text": {"type": "string"}}},
            ]
        },
    },
    "top_n": {"type": "integer", "minimum": 1},
    "return_documents": {"type": "boolean"},
}
OWN_MODEL = "kensaku"  # named in the reply when no reranker scored


class NotRead(InvalidQuery):
    """The page could not be read."""

    status = 422


class Jina(Wire):
    name = "jina"
    label = "Jina"
    docs = "https://jina.ai/reader"
    client = "curl {url}/jina/r/https://example.com"
    keys = (*KEY_PLACES, KeyPlace("header"))  # Open WebUI sends the key without "Bearer"

    def endpoints(self) -> Sequence[Endpoint]:
        search = (read_search, write_search, "Search", SEARCH, HEADERS)
        page = (read_page, write_page, "Read a page", READ, HEADERS)
        return [
            Endpoint("GET", "/s/", *search, required=("q",)),
            Endpoint("POST", "/s/", *search, required=("q",)),
            Endpoint("GET", "/s/{q:path}", *search),
            Endpoint("POST", "/r/", *page, required=("url",)),
            Endpoint("GET", "/r/{url:path}", *page),
            Endpoint(
                "POST", "/v1/rerank", read_rerank, write_rerank, "Rerank documents", RERANK,
                required=("query", "documents"), do=rerank,
            ),
        ]  # fmt: skip

    def error(self, status: int, message: str) -> Any:
        return {
            "data": None,
            "code": status,
            "status": status * 100,
            "message": message,
            "readableMessage": message,
        }

    def status(self, status: int) -> int:
        return 402 if status == 432 else status


def read_search(asked: Asked) -> Search:
    from kensaku.models import Query

    given = {**asked.path, **asked.fields}
    text, only, never = operators.split_sites(fields.text(given, "q", most=2_000))
    sites = parse_qs(asked.query_string, max_num_fields=500).get("site", [])
    country = fields.text(given, "gl", most=20)
    language, _ = operators.locale(fields.text(given, "hl", most=20))
    raw = asked.headers.get("x-respond-with", "") != "no-content"
    query = Query(
        text,
        max_results=fields.integer(given, "num", 5, 1, MAX_NUM, clip=True),
        topic="news" if given.get("type") == "news" else "general",
        country=country or None,
        language=language,
        include_domains=(*only, *sites),
        exclude_domains=never,
        include_raw_content=raw,
    )
    return Search(query, raw="markdown" if raw else None)


def write_search(call: Search, found: Found, exchange: Exchange) -> Any:
    if _wants_json(exchange.asked):
        rows = [_row(hit, call.raw is not None) for hit in found.hits]
        return {"code": 200, "status": 20000, "data": rows}
    return Text("\n\n".join(_told(n, hit) for n, hit in enumerate(found.hits, 1)) + "\n")


def read_page(asked: Asked) -> Extract:
    # In the path, what follows a question mark belongs to the page.
    url = asked.path.get("url") or fields.text(asked.body, "url", most=2_000)
    if asked.path.get("url") and asked.query_string:
        url = f"{url}?{asked.query_string}"
    if not url:
        raise InvalidQuery("there is no URL to read", remedy="write it behind /r/")
    return Extract((url if "://" in url else f"https://{url}",))


def write_page(call: Extract, read: Read, exchange: Exchange) -> Any:
    if not read.pages:
        raise NotRead(read.failed[0][1] if read.failed else "the page could not be read")
    page, content = read.pages[0]
    if _wants_json(exchange.asked):
        return {"code": 200, "status": 20000, "data": _page(page, content)}
    head = [f"Title: {page.title}", f"URL Source: {page.url}"]
    if page.published:
        head.append(f"Published Time: {page.published}")
    if page.copy_note:
        head.append(f"Warning: {page.copy_note}")
    return Text("\n\n".join([*head, f"Markdown Content:\n{content}"]) + "\n")


@dataclass(frozen=True, slots=True)
class Rerank:
    """Order documents by how relevant they are to a query."""

    query: str = field(repr=False)
    documents: tuple[str, ...] = field(repr=False)
    top_n: int
    return_documents: bool = True

    searches: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of the documents, who gave them, and how many tokens they had."""

    scores: Sequence[float]
    model: str
    tokens: int
    notes: tuple[str, ...] = ()


def read_rerank(asked: Asked) -> Rerank:
    body = asked.body
    query = fields.text(body, "query", most=4_000)
    if not query.strip():
        raise InvalidQuery("query is empty", remedy="say what the documents are ranked by")
    given = body.get("documents")
    if not isinstance(given, list) or not 1 <= len(given) <= MAX_DOCUMENTS:
        raise InvalidQuery(f"documents must be a list of 1 to {MAX_DOCUMENTS} texts")
    documents = tuple(_document(n, value) for n, value in enumerate(given))
    most = len(documents)
    return Rerank(
        query,
        documents,
        min(most, fields.integer(body, "top_n", most, 1, fields.MAX_INTEGER)),
        fields.switch(body, "return_documents", True),
    )


def _document(position: int, value: Any) -> str:
    text = value.get("text") if isinstance(value, Mapping) else value
    if not isinstance(text, str):
        raise InvalidQuery(f"documents[{position}] must be a text, or an object with a text")
    if len(text) > fields.MAX_TEXT:
        raise InvalidQuery(
            f"documents[{position}] has {len(text):,} characters; "
            f"at most {fields.MAX_TEXT:,} are taken"
        )
    return text


async def rerank(request: Request, call: Rerank) -> Scored:
    """Score by the reranker of the settings; by our own ranking if there is none, or it fails."""
    tokens = await asyncio.to_thread(lambda: sum(map(count, (call.query, *call.documents))))
    reranker = request.client.resources.reranker
    notes: tuple[str, ...] = ()
    if reranker is not None:
        try:
            scores = await reranker.score(call.query, call.documents)
            return Scored(scores, reranker.model or "rerank", tokens)
        except ProviderError as error:
            notes = (f"the reranker failed ({error.message}); these scores are our own",)
    own = await asyncio.to_thread(score_texts, call.query, call.documents)
    return Scored(own, OWN_MODEL, tokens, notes)


def write_rerank(call: Rerank, scored: Scored, exchange: Exchange) -> dict[str, Any]:
    ranked = sorted(enumerate(scored.scores), key=lambda row: -row[1])[: call.top_n]
    rows = [
        {"index": n, "relevance_score": score}
        | ({"document": {"text": call.documents[n]}} if call.return_documents else {})
        for n, score in ranked
    ]
    return {
        "model": scored.model,
        "object": "list",
        "usage": {"total_tokens": scored.tokens},
        "results": rows,
        **({"notes": list(scored.notes)} if scored.notes else {}),
    }


def _wants_json(asked: Asked) -> bool:
    return "application/json" in asked.headers.get("accept", "")


def _page(page: Page, content: str) -> dict[str, Any]:
    return {
        "title": page.title,
        "description": "",
        "url": page.url,
        "content": content,
        "publishedTime": page.published,
        "usage": {"tokens": len(content) // 4},
        **({"warning": page.copy_note} if page.copy_note else {}),
    }


def _row(hit: Hit, raw: bool) -> dict[str, Any]:
    content = (hit.raw_content or "") if raw else ""
    return {
        "title": hit.title,
        "url": hit.url,
        "description": hit.content,
        "date": hit.published,
        "favicon": hit.favicon,
        **({"content": content} if raw else {}),
        "usage": {"tokens": len(content or hit.content) // 4},
    }


def _told(n: int, hit: Hit) -> str:
    rows = [f"[{n}] Title: {hit.title}", f"[{n}] URL Source: {hit.url}"]
    rows.append(f"[{n}] Description: {hit.content}")
    if hit.published:
        rows.append(f"[{n}] Date: {hit.published}")
    if hit.raw_content:
        rows.append(f"[{n}] Markdown Content:\n{hit.raw_content}")
    return "\n".join(rows)
