"""SearXNG: your own instance, or one you may use; it asks many engines at once."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from kensaku.errors import Outage, ProviderError
from kensaku.messages import msg
from kensaku.providers._filters import drop_empty, site_query, time_range
from kensaku.providers.base import Provider, Reply, Request, first_text, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Image, Query


class SearXNG(Provider):
    name = "searxng"
    label = "SearXNG"
    docs = "https://docs.searxng.org/dev/search_api.html"
    known_source = "searxng/searxng/searx/webutils.py (the server's source)"
    keyless = True
    options = {"authorization": "SEARXNG_AUTHORIZATION", "engines": "SEARXNG_ENGINES"}
    filters = frozenset({"dates", "domains", "language", "topic"})
    topics = frozenset({"news", "images"})

    def request(self, query: Query, key: str) -> Request:
        engines = self.option.get("engines")
        wanted = {
            "q": site_query(query, self.max_query_chars),
            "format": "json",
            "language": _locale(query),
            "time_range": time_range(query),
            "engines": engines,
            # With both, the engines of the category join those that were chosen.
            "categories": query.topic if query.topic in self.topics and not engines else None,
        }
        return Request(
            url=self.base_url + "/search",
            params=drop_empty(wanted),
            headers=_credentials(self.option.get("authorization", "")),
        )

    def hits(self, body: Any) -> list[Hit]:
        found = rows(body["results"])
        silent = body.get("unresponsive_engines") or []
        # How many engines were asked is not said: the others may have found nothing, or be none.
        if not found and silent and not self.answer(body):
            engines = f"{len(silent)} of its engines did not answer: {_silent(silent)}"
            raise Outage(
                self.name, msg("it found nothing, and {engines}", engines=engines), status=200
            )
        scores = [r["score"] for r in found if isinstance(r.get("score"), int | float)]
        top = max([1.0, *scores])  # they are sums over engines, and have no upper bound
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                r.get("content"),
                score=r["score"] / top if isinstance(r.get("score"), int | float) else None,
                published=r.get("publishedDate") or r.get("pubdate"),
            )
            for r in found
        ]

    def images(self, body: Any) -> list[Image]:
        found = [(r.get("img_src") or r.get("thumbnail"), r) for r in rows(body["results"])]
        return [self.image(src, r.get("title"), r.get("url")) for src, r in found if src]

    def answer(self, body: Any) -> str | None:
        answers, boxes = body.get("answers") or [], body.get("infoboxes") or []
        return first_text(
            *(a.get("answer") if isinstance(a, dict) else a for a in answers),
            *(box.get("content") for box in boxes if isinstance(box, dict)),
        )

    def remedy(self, kind: type[ProviderError], reply: Reply) -> str:
        if reply.status == 403:
            return (
                "in the instance's settings.yml write `search: formats: [html, json]`, "
                "or set SEARXNG_AUTHORIZATION if it asks for a login"
            )
        return super().remedy(kind, reply)


def _locale(query: Query) -> str | None:
    if query.language and query.country:
        return f"{query.language}-{query.country.upper()}"
    return query.language


def _credentials(value: str) -> dict[str, str]:
    """`Bearer abc` as it is, `Name: value` as a header of that name, else `user:password`."""
    name, colon, rest = value.partition(":")
    if not colon or " " in name:
        return {"Authorization": value} if value else {}
    if rest.startswith(" "):
        return {name: rest.strip()}
    return {"Authorization": "Basic " + b64encode(value.encode()).decode()}


def _silent(engines: list[Any]) -> str:
    return text([", ".join(f"{e[0]} ({e[1]})" for e in engines[:6])])
