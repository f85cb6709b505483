"""Crossref: the register of scholarly works that have a DOI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import days, drop_empty
from kensaku.providers.base import Provider, Request, member, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

# Abstracts are in JATS, mostly under the heading "Abstract".
_HEADING = re.compile(r"\A\s*<jats:title>\s*(?:Abstract|Summary)\s*</jats:title>", re.IGNORECASE)
_TAG = re.compile(r"</?jats:[^<>]{1,200}>")


class Crossref(Provider):
    name = "crossref"
    label = "Crossref"
    docs = "https://www.crossref.org/documentation/retrieve-metadata/rest-api/"
    known_by = "recorded"
    known_source = "sckott/habanero/test/cassettes/test-works/test_works_field_queries.yaml"
    url = "https://api.crossref.org"
    keyless = True
    pooled = True
    specialist = True
    knows = frozenset({"papers"})
    options = {"mailto": "CROSSREF_MAILTO"}  # who gives an address is served first
    max_query_chars = 1_000
    max_results = 100
    filters = frozenset({"dates"})
    family = "crossref"
    rate = keyless_rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        bounds = [f"from-pub-date:{first}"] if first else []
        bounds += [f"until-pub-date:{last}"] if last else []
        wanted = {
            "query": query.text,
            "rows": min(query.limit, self.max_results),
            "select": "DOI,URL,title,abstract,issued,author,container-title",
            "filter": ",".join(bounds),
            "mailto": self.option.get("mailto"),
        }
        return Request(self.base_url + "/works", params=drop_empty(wanted))

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("URL"),
                r.get("title"),
                _abstract(r.get("abstract")) or r.get("container-title"),
                published=_day(member(r, "issued", "date-parts", 0)),
                author=", ".join(filter(None, map(_name, r.get("author") or []))),
            )
            for r in rows(body["message"]["items"])
        ]


def _abstract(value: Any) -> str:
    """An abstract as text."""
    return " ".join(_TAG.sub(" ", _HEADING.sub("", text(value))).split())


def _day(parts: Any) -> str:
    """`[2019, 3]` → "2019-03": as exact as it is known."""
    known = isinstance(parts, list) and parts and all(isinstance(p, int) for p in parts)
    return "-".join(f"{part:02}" for part in parts) if known else ""


def _name(author: Any) -> str:
    return text(member(author, "given"), member(author, "family")) or text(member(author, "name"))
