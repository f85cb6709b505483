"""PubMed: articles of medicine and the life sciences, with their abstracts.

Its search gives numbers, and the articles come with a second request:

    Query → esearch → ids → efetch → XML → hits; no ids: nothing was found, and nothing is fetched
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError, ProviderError
from kensaku.messages import msg
from kensaku.providers._classify import redact
from kensaku.providers._filters import days, drop_empty
from kensaku.providers.base import Findings, Provider, Reply, Request, Transport, rows

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from kensaku.models import Hit, Query

ARTICLE = "https://pubmed.ncbi.nlm.nih.gov/"
TOOL = "kensaku"  # NCBI asks programs for their name


class PubMed(Provider):
    name = "pubmed"
    label = "PubMed"
    docs = "https://www.ncbi.nlm.nih.gov/books/NBK25499/"
    known_by = "recorded"
    known_source = "jonatasgrosman/findpapers/tests/data/pubmed/efetch_response.xml"
    url = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    key_variable = "NCBI_API_KEY"
    key_aliases = ("PUBMED_API_KEY",)
    keyless = True
    specialist = True
    knows = frozenset({"papers"})
    max_query_chars = 1_000
    max_results = 50
    filters = frozenset({"dates"})
    family = "pubmed"
    # 3 requests a second for one address, 10 with a key; a search is two of them.
    rate = "5/s"
    keyless_rate = "1/s"
    format = "XML"
    markup = False

    def request(self, query: Query, key: str) -> Request:
        first, last = (day.replace("-", "/") for day in days(query))
        wanted = {
            "db": "pubmed",
            "term": query.text,
            "retmax": min(query.limit, self.max_results),
            "retmode": "json",
            "sort": "relevance",
            "datetype": "pdat" if first or last else None,
            "mindate": (first or "1800/01/01") if first or last else None,
            "maxdate": (last or "3000/01/01") if first or last else None,
            "tool": TOOL,
            "api_key": key,
        }
        return Request(self.base_url + "/esearch.fcgi", params=drop_empty(wanted))

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        try:
            found = await http.send(self.request(query, key), self.name)
            found.keyless = not key
            ids = self._ids(found)
            if not ids:
                return Findings([])
            reply = await http.send(self._fetch(ids, key), self.name)
            reply.keyless = not key
            return self.read(reply, query)
        except ProviderError as error:
            raise redact(error, (key,), query.text) from None

    def _ids(self, reply: Reply) -> list[str]:
        """Return the ids of the articles. Raises a `ProviderError` if it is not a result."""
        if error := self.failure(reply):
            raise error
        try:
            result = reply.json()["esearchresult"]
            ids, count = result["idlist"], int(result["count"])
            if not isinstance(ids, list) or not all(str(i).isdigit() for i in ids):
                raise TypeError("not a list of numbers")
            if (count and not ids) or "ERROR" in result:
                raise ValueError("articles are announced, and there are none")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self.unreadable(reply, msg("the reply is not a list of articles")) from None
        return [str(i) for i in ids[: self.max_results]]

    def _fetch(self, ids: list[str], key: str) -> Request:
        wanted = {
            "db": "pubmed", "id": ",".join(ids), "retmode": "xml", "tool": TOOL, "api_key": key,
        }  # fmt: skip
        return Request(self.base_url + "/efetch.fcgi", params=drop_empty(wanted))

    def decode(self, reply: Reply) -> Any:
        return _articles(reply.body)

    def hits(self, body: Any) -> list[Hit]:
        if not (found := rows(body)):
            raise ValueError("articles were asked for, and there are none")
        return [
            self.hit(
                f"{ARTICLE}{r['pmid']}/" if r["pmid"].isdigit() else "",
                r["title"],
                r["abstract"],
                published=r["date"],
                author=r["authors"],
            )
            for r in found
        ]


def _articles(data: bytes) -> list[dict[str, str]]:
    """The articles of a reply of `efetch`, in its order."""
    from kensaku.extract.formats.xml import elements, local_name

    found: list[dict[str, str]] = []
    try:
        for event, element, _ in elements(data):
            if event == "end" and local_name(element.tag) == "pubmedarticle":
                found.append(_article(element))
                element.clear()  # most of an article's bytes are references
    except KensakuError as error:
        raise ValueError(str(error)) from None
    return found


def _article(element: Element) -> dict[str, str]:
    citation = element.find("MedlineCitation")
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None:
        raise ValueError("not an article")
    authors = [_text(a, "ForeName", "LastName") for a in article.iterfind("AuthorList/Author")]
    abstract = [_whole(part) for part in article.iterfind("Abstract/AbstractText")]
    return {
        "pmid": _text(citation, "PMID"),
        "title": _whole(article.find("ArticleTitle")),
        "abstract": " ".join(filter(None, abstract)),
        "date": _date(article.find("ArticleDate"), article.find("Journal/JournalIssue/PubDate")),
        "authors": ", ".join(filter(None, authors)),
    }


def _text(element: Element, *paths: str) -> str:
    return " ".join(filter(None, ((element.findtext(p) or "").strip() for p in paths)))


def _whole(element: Element | None) -> str:
    """Return an element's text, including nested elements such as <sup>."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _date(*dates: Element | None) -> str:
    """The first date that there is: a day where it is known, else the year."""
    for found in dates:
        if found is not None and (year := _text(found, "Year")):
            month, day = _text(found, "Month"), _text(found, "Day")
            exact = month.isdigit() and day.isdigit()
            return f"{year}-{month:0>2}-{day:0>2}" if exact else year
    return ""
