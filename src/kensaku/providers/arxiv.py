"""arXiv: preprints of physics, mathematics, computer science and more, with their abstracts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kensaku.errors import BadQuery, KensakuError, ProviderError
from kensaku.providers._filters import days
from kensaku.providers.base import Provider, Reply, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

_ID = re.compile(r"(?<![\d.])\d{4}\.\d{4,5}(?:v\d{1,2})?(?![\d.])")  # 1706.03762v7
_OPERATORS = str.maketrans(":()[]", "     ")  # of its query language; a stray one is an error


class Arxiv(Provider):
    name = "arxiv"
    label = "arXiv"
    docs = "https://info.arxiv.org/help/api/user-manual.html"
    known_by = "recorded"
    known_source = "jonatasgrosman/findpapers/tests/data/arxiv-api-search.xml"
    url = "https://export.arxiv.org"
    keyless = True
    pooled = True
    specialist = True
    knows = frozenset({"papers"})
    max_query_chars = 1_000
    max_results = 50
    filters = frozenset({"dates"})
    family = "arxiv"
    rate = keyless_rate = "0.33/s"  # one request in three seconds (info.arxiv.org/help/api/tou)
    format = "Atom"
    markup = False  # "a < b" is mathematics

    def request(self, query: Query, key: str) -> Request:
        if known := _ID.findall(query.text):  # its search does not look at them
            return Request(
                url=self.base_url + "/api/query",
                params={"id_list": ",".join(known), "max_results": min(len(known), query.limit)},
            )
        wanted = query.text.translate(_OPERATORS)
        if any(days(query)):
            first, last = (day.replace("-", "") for day in days(query))
            span = f"[{first or '19910101'}0000 TO {last or '29991231'}2359]"
            wanted = f"({wanted}) AND submittedDate:{span}"
        return Request(
            url=self.base_url + "/api/query",
            params={"search_query": wanted, "max_results": min(query.limit, self.max_results)},
        )

    def decode(self, reply: Reply) -> Any:
        return _feed(reply.body)

    def hits(self, body: Any) -> list[Hit]:
        found = rows(body["entry"])
        if not found and body["total"] != "0":
            raise ValueError("entries are announced, and there are none")
        return [
            self.hit(
                r.get("id"),
                " ".join(r.get("title", "").split()),
                " ".join(r.get("summary", "").split()),
                published=r.get("published"),
                author=r.get("name"),
            )
            for r in found
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        # A query that it cannot read is answered with an entry that describes the error.
        if b"arxiv.org/api/errors" in reply.body[:4_000] and reply.status in (200, 400):
            return self.refusal(reply, BadQuery)
        return super().failure(reply)


def _feed(data: bytes) -> dict[str, Any]:
    """The entries of an Atom feed as objects, and how many there are in all."""
    from kensaku.extract.formats.xml import elements, local_name

    feed: dict[str, Any] = {"entry": [], "total": ""}
    names: list[str] = []
    entry: dict[str, str] = {}
    try:
        for event, element, _ in elements(data):
            name = local_name(element.tag)
            if event == "start":
                names.append(name)
                continue
            names.pop()
            if names == ["feed"] and name == "entry":
                feed["entry"].append(entry)
                entry = {}
            elif names == ["feed"] and name == "totalresults":
                feed["total"] = (element.text or "").strip()
            elif names[:2] == ["feed", "entry"]:
                told = (entry.get(name), (element.text or "").strip())
                entry[name] = ", ".join(filter(None, told))
    except KensakuError as error:
        raise ValueError(str(error)) from None
    return feed
