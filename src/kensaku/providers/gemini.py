"""Gemini with Google Search: an answer, and the pages it is grounded on. By name only.

A hit's text is what the answer says on that page's authority. Its address is Google's redirect to
the page, and its title the page's site. The redirects are not resolved: that is a request to Google
for each hit, which tells it what is looked at; reading a page follows its redirect anyway.
An answer takes seconds and costs cents, so `auto` never asks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import KeyRefused, ProviderError, QuotaExhausted
from kensaku.providers._classify import reason_in
from kensaku.providers.base import Provider, Reply, Request, first_text, member, rows, section, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MODEL = "gemini-2.5-flash"
REDIRECT = "/grounding-api-redirect/"


class Gemini(Provider):
    name = "gemini"
    label = "Gemini with Google Search"
    docs = "https://ai.google.dev/gemini-api/docs/google-search"
    known_by = "sdk"
    known_source = "google-genai 3.1.0, GenerateContentResponse"
    url = "https://generativelanguage.googleapis.com"
    key_variable = "GEMINI_API_KEY"
    specialist = True
    options = {"model": "GEMINI_SEARCH_MODEL"}
    max_results = 20
    family = "google"
    markup = False
    reads_pages = True
    price = 0.035
    price_source = "ai.google.dev/gemini-api/docs/pricing, 2026-10"
    rate = "10/m"

    def request(self, query: Query, key: str) -> Request:
        model = self.option.get("model") or MODEL
        return Request(
            url=f"{self.base_url}/v1/models/{model}:generateContent",
            headers={"x-goog-api-key": key},
            json={
                "contents": [{"role": "user", "parts": [{"text": query.text}]}],
                "tools": [{"googleSearch": {}}],
            },
        )

    def hits(self, body: Any) -> list[Hit]:
        grounding = section(_candidate(body), "groundingMetadata")
        supports = rows(grounding, "groundingSupports")
        return [
            self.hit(
                member(chunk, "web", "uri"),
                member(chunk, "web", "title"),
                text([member(s, "segment", "text") for s in supports if _rests_on(s, n)]),
                site=_site(chunk),
            )
            for n, chunk in enumerate(rows(grounding, "groundingChunks"))
        ]

    def answer(self, body: Any) -> str | None:
        parts = rows(section(_candidate(body), "content"), "parts")
        return text([p.get("text") for p in parts if not p.get("thought")]) or None

    def failure(self, reply: Reply) -> ProviderError | None:
        words = reason_in(reply) if reply.status in (400, 429) else ""
        if reply.status == 400 and "API key" in words:
            return self.refusal(reply, KeyRefused, words)
        if reply.status == 429 and "current quota" in words:
            return self.refusal(reply, QuotaExhausted, words)
        return super().failure(reply)


def _candidate(body: Any) -> dict[str, Any]:
    """The answer. Raises when there is none, as for a prompt that was blocked."""
    candidate = rows(body["candidates"])[0]
    section(candidate, "content")["parts"]
    return candidate


def _site(chunk: dict[str, Any]) -> str | None:
    """Where a redirect leads to; the `domain` is Vertex's, in the others the title is one."""
    if REDIRECT not in text(member(chunk, "web", "uri")):
        return None
    return first_text(member(chunk, "web", "domain"), member(chunk, "web", "title")) or ""


def _rests_on(support: dict[str, Any], number: int) -> bool:
    found = support.get("groundingChunkIndices")
    return isinstance(found, list) and number in found
