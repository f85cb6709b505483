"""Semantic Scholar: papers of every field, with abstracts or one-sentence summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import days, drop_empty
from kensaku.providers.base import Provider, Request, member, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

PAPER = "https://www.semanticscholar.org/paper/"


class SemanticScholar(Provider):
    name = "semanticscholar"
    label = "Semantic Scholar"
    docs = "https://api.semanticscholar.org/api-docs/graph"
    known_by = "recorded"
    known_source = (
        "jonatasgrosman/findpapers/tests/data/semanticscholar/relevance_search_response.json"
    )
    url = "https://api.semanticscholar.org"
    key_variable = "SEMANTIC_SCHOLAR_API_KEY"
    key_aliases = ("SEMANTICSCHOLAR_API_KEY", "S2_API_KEY")
    keyless = True  # by a rate that everybody without a key shares
    specialist = True
    knows = frozenset({"papers"})
    max_query_chars = 1_000
    max_results = 100
    filters = frozenset({"dates"})
    family = "semanticscholar"
    rate = keyless_rate = "1/s"
    markup = False

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        wanted = {
            "query": query.text,
            "limit": min(query.limit, self.max_results),
            "fields": "title,url,abstract,tldr,publicationDate,year,authors",
            "publicationDateOrYear": f"{first}:{last}" if first or last else None,
        }
        return Request(
            url=self.base_url + "/graph/v1/paper/search",
            params=drop_empty(wanted),
            headers={"x-api-key": key} if key else {},
        )

    def hits(self, body: Any) -> list[Hit]:
        # A search without results has no "data" member.
        found = rows(body["data"]) if body["total"] else rows(body, "data")
        return [
            self.hit(
                r.get("url") or (PAPER + str(r["paperId"]) if r.get("paperId") else ""),
                r.get("title"),
                r.get("abstract") or member(r, "tldr", "text"),
                published=r.get("publicationDate") or str(r.get("year") or ""),
                author=", ".join(_names(r.get("authors"))),
            )
            for r in found
        ]


def _names(authors: Any) -> list[str]:
    named = [member(a, "name") for a in authors] if isinstance(authors, list) else []
    return [name for name in named if isinstance(name, str)]
