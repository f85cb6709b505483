"""Europe PMC: the records of PubMed and preprints of the life sciences, with their abstracts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import days
from kensaku.providers.base import Provider, Request, member, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

ARTICLE = "https://europepmc.org/article/"
FREE = ("OA", "F")  # open access, free to read


class EuropePmc(Provider):
    name = "europepmc"
    label = "Europe PMC (PubMed)"
    docs = "https://europepmc.org/RestfulWebService"
    url = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    keyless = True
    pooled = True
    specialist = True
    knows = frozenset({"papers"})
    max_query_chars = 1_000
    max_results = 100
    filters = frozenset({"dates"})
    family = "pubmed"
    rate = keyless_rate = "5/s"

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        span = f" AND FIRST_PDATE:[{first or '1800-01-01'} TO {last or '2999-12-31'}]"
        return Request(
            url=self.base_url + "/search",
            params={
                "query": f"({query.text}){span}" if first or last else query.text,
                "format": "json",
                "resultType": "core",  # with abstracts
                "pageSize": min(query.limit, self.max_results),
            },
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                _address(r),
                r.get("title"),
                r.get("abstractText"),
                published=r.get("firstPublicationDate"),
                author=r.get("authorString"),
            )
            for r in rows(body["resultList"]["result"])
        ]


def _address(row: dict[str, Any]) -> Any:
    """The page where everybody can read the text, else the one with its abstract."""
    pages = member(row, "fullTextUrlList", "fullTextUrl")
    for page in pages if isinstance(pages, list) else ():
        if member(page, "availabilityCode") in FREE and member(page, "documentStyle") == "html":
            return member(page, "url")
    known = row.get("source") and row.get("id")
    return f"{ARTICLE}{row['source']}/{row['id']}" if known else None
