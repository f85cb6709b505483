"""Exa: `POST /search`, `/findSimilar`, `/contents` and `/answer`, which may stream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from kensaku.answers.write import deltas
from kensaku.errors import InvalidQuery
from kensaku.server.http import data_frame
from kensaku.server.perform import outcome_of, perform
from kensaku.server.wires import _fields as fields
from kensaku.server.wires import _operators as operators
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Extract, Found, Read, Search, Wire
from kensaku.text.clean import cut
from kensaku.text.urls import host_of

if TYPE_CHECKING:
    from kensaku.models import Hit, Page
    from kensaku.server.request import Request

MAX_RESULTS, MAX_URLS = 100, 20
DEPTHS = {"lite": "ultra-fast", "instant": "ultra-fast", "fast": "fast", "deep": "advanced"}
_TEXTS = {"type": "array", "items": {"type": "string"}}
PARAMETERS: dict[str, Any] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "numResults": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
    "type": {"type": "string"},
    "category": {"type": "string"},
    "includeDomains": {**_TEXTS, "maxItems": 300},
    "excludeDomains": {**_TEXTS, "maxItems": 300},
    "startPublishedDate": {"type": "string"},
    "endPublishedDate": {"type": "string"},
    "userLocation": {"type": "string"},
    "contents": {"type": "object"},
}
CONTENTS: dict[str, Any] = {"urls": {**_TEXTS, "minItems": 1, "maxItems": MAX_URLS}}
ANSWER: dict[str, Any] = {
    "query": PARAMETERS["query"],
    "text": {"type": "boolean"},
    "stream": {"type": "boolean"},
    "userLocation": PARAMETERS["userLocation"],
}
SIMILAR: dict[str, Any] = {
    "url": {"type": "string", "minLength": 1, "maxLength": 2_000},
    "excludeSourceDomain": {"type": "boolean"},
    **{n: s for n, s in PARAMETERS.items() if n not in ("query", "type")},
}


MIN_TITLE = 3  # words that say what a page is about
MAX_SUBJECT = 200  # characters of a query that is made of a page
NOTHING = "None of the sources answers this."


@dataclass(frozen=True, slots=True)
class Similar:
    """Find pages like the one at an address."""

    url: str
    search: Search

    searches: ClassVar[int] = 1


class Exa(Wire):
    name = "exa"
    label = "Exa"
    docs = "https://exa.ai/docs/reference/search"
    client = 'Exa(api_key, base_url="{url}/exa")'

    def endpoints(self) -> Sequence[Endpoint]:
        similar = "Find pages like a page"
        return [
            Endpoint("POST", path, read, write, about, schema, required=(needed,), do=do)
            for path, read, write, about, schema, needed, do in (
                ("/search", read_search, write_search, "Search", PARAMETERS, "query", None),
                ("/findSimilar", read_similar, write_search, similar, SIMILAR, "url", find_similar),
                ("/contents", read_contents, write_contents, "Read pages", CONTENTS, "urls", None),
                ("/answer", read_answer, write_answer, "Answer", ANSWER, "query", None),
            )
        ]

    def error(self, status: int, message: str) -> Any:
        tag = {401: "INVALID_API_KEY", 429: "RATE_LIMITED", 432: "NO_MORE_CREDITS"}
        known = tag.get(status, "INVALID_REQUEST_BODY" if status < 500 else "INTERNAL_ERROR")
        return {"error": message, "tag": known}

    def status(self, status: int) -> int:
        return 402 if status == 432 else status


def read_search(asked: Asked) -> Search:
    from kensaku.models import MAX_RESULTS as MOST
    from kensaku.models import Query

    body = asked.body
    kind = str(body.get("type") or "auto")
    query = Query(
        fields.text(body, "query", most=2_000),
        max_results=min(fields.integer(body, "numResults", 10, 1, MAX_RESULTS), MOST),
        depth=DEPTHS.get(kind, "basic"),  # type: ignore[arg-type]
        topic="news" if body.get("category") == "news" else "general",
        start_date=operators.iso_day(body.get("startPublishedDate")),
        end_date=operators.iso_day(body.get("endPublishedDate")),
        include_domains=fields.texts(body, "includeDomains", 300),
        exclude_domains=fields.texts(body, "excludeDomains", 300),
        country=_country(body),
        include_raw_content=bool(_contents(body).get("text")),
    )
    return Search(query, raw="markdown" if query.include_raw_content else None)


def read_similar(asked: Asked) -> Similar:
    body = asked.body
    url = fields.text(body, "url", most=2_000)
    if not url:
        raise InvalidQuery("url is missing", remedy="give the address of a page")
    hosts = fields.texts(body, "excludeDomains", 300)
    if fields.switch(body, "excludeSourceDomain") and (own := host_of(url)):
        hosts = (*hosts, own)
    asking = {**body, "query": url, "excludeDomains": hosts, "type": "auto"}
    return Similar(url, read_search(replace(asked, body=asking)))


async def find_similar(request: Request, call: Similar) -> Found:
    """Read a page, and search for what it is about. Raises a `FetchError`."""
    done = await request.client.extract([call.url])
    if done.failed:
        raise done.failed[0].error
    words = subject(done.results[0])
    query = replace(call.search.query, text=words)
    found: Found = await perform(request.client, replace(call.search, query=query))
    hits = [hit for hit in found.hits if hit.url.rstrip("/") != call.url.rstrip("/")]
    request.outcome, request.cached = outcome_of(found)
    return replace(found, hits=hits)


def subject(page: Page) -> str:
    """Return what a page is about, as a query: its title; the text's beginning for a short one."""
    if len(page.title.split()) >= MIN_TITLE:
        return page.title
    return cut(f"{page.title} {' '.join(page.text.split())}".strip(), MAX_SUBJECT) or page.url


def write_search(call: Any, found: Found, exchange: Exchange) -> dict[str, Any]:
    contents = _contents(exchange.asked.body)
    return {
        "requestId": exchange.request_id,
        "resolvedSearchType": "neural",
        "searchType": str(exchange.asked.body.get("type") or "auto"),
        "results": [_row(hit, contents) for hit in found.hits],
        "costDollars": {"total": found.cost},
    }


def read_contents(asked: Asked) -> Extract:
    body = asked.body
    name = "urls" if body.get("urls") else "ids"
    urls = fields.texts({name: body.get(name)}, name, MAX_URLS)
    if not urls:
        raise InvalidQuery("urls are missing", remedy=f"give 1 to {MAX_URLS} of them")
    return Extract(urls)


def write_contents(call: Extract, read: Read, exchange: Exchange) -> dict[str, Any]:
    most = _most(exchange.asked.body.get("text"))
    results = [
        {
            "id": page.url,
            "url": page.url,
            "title": page.title,
            "author": page.author,
            "publishedDate": page.published,
            "text": content[:most],
            "favicon": page.favicon,
        }
        for page, content in read.pages
    ]
    fine = [{"id": page.url, "status": "success"} for page, _ in read.pages]
    failed = [
        {"id": url, "status": "error", "error": {"tag": "CRAWL_NOT_FOUND", "message": why}}
        for url, why in read.failed
    ]
    cost = {"total": 0.0}
    return {
        "requestId": exchange.request_id,
        "results": results,
        "statuses": [*fine, *failed],
        "costDollars": cost,
    }


def read_answer(asked: Asked) -> Search:
    from kensaku.models import Query

    body = asked.body
    if body.get("outputSchema"):  # ignored, a client would misread the reply
        raise InvalidQuery("outputSchema is not supported here", remedy="leave outputSchema out")
    query = Query(
        fields.text(body, "query", most=2_000),
        max_results=10,
        include_answer=True,
        include_raw_content=fields.switch(body, "text"),
        country=_country(body),
    )
    return Search(query, answer=True, raw="markdown" if query.include_raw_content else None)


async def _chunks(found: Found, body: Mapping[str, Any]) -> AsyncIterator[bytes]:
    for part in deltas(found.answer or NOTHING):
        yield data_frame({"choices": [{"index": 0, "delta": {"content": part}}]})
    yield data_frame({"citations": _citations(found, body), "costDollars": {"total": found.cost}})


def write_answer(call: Search, found: Found, exchange: Exchange) -> Any:
    if exchange.asked.body.get("stream") is True:
        return _chunks(found, exchange.asked.body)
    return {
        "requestId": exchange.request_id,
        "answer": found.answer or NOTHING,
        "citations": _citations(found, exchange.asked.body),
        "costDollars": {"total": found.cost},
    }


def _citations(found: Found, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_row(hit, {"text": body.get("text")}) for hit in found.hits]


def _country(body: Mapping[str, Any]) -> str | None:
    """Where the user is: a country, or an object with one; coordinates are not used."""
    place = body.get("userLocation")
    if isinstance(place, Mapping):
        return fields.text(place, "country", most=100) or None
    return fields.text(body, "userLocation", most=100) or None


def _contents(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is wanted beside the addresses: nested, or at the top as older clients send it."""
    nested = body.get("contents")
    if isinstance(nested, Mapping):
        return nested
    return {name: body.get(name) for name in ("text", "highlights", "summary")}


def _most(text: Any) -> int | None:
    """How many characters of a page are wanted."""
    most = text.get("maxCharacters") if isinstance(text, Mapping) else None
    return most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else None


def _row(hit: Hit, contents: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": hit.url,
        "title": hit.title,
        "url": hit.url,
        "publishedDate": hit.published,
        "author": hit.author,
        "favicon": hit.favicon,
        "score": hit.score,
    }
    if contents.get("text"):
        row["text"] = (hit.raw_content or hit.content)[: _most(contents["text"])]
    if contents.get("highlights"):
        score = 0.5 if hit.score is None else hit.score
        row |= {"highlights": [hit.content], "highlightScores": [score]}
    if contents.get("summary"):
        row["summary"] = hit.content
    return {name: value for name, value in row.items() if value is not None}
