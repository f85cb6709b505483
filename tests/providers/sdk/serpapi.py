"""SerpApi, by its official client, which hands the reply on as it is."""

from __future__ import annotations

from serpapi import Client

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "serpapi"


def search(base_url: str, reply: Sample) -> list[Row]:
    client = Client(api_key=KEY)
    client.BASE_DOMAIN = base_url
    news = reply.query.get("topic") == "news"
    found = client.search(
        engine="google", q="otters", num=7, start=10, gl="jp", hl="ja", tbs="qdr:w",
        tbm="nws", safe="active", location="Japan",
    )  # fmt: skip
    rows = found["news_results" if news else "organic_results"]
    return [Row(r["link"], r["title"], r["snippet"]) for r in rows]
