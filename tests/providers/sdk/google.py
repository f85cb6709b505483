"""Google Custom Search, by Google's client and the description of the API that it brings along."""

from __future__ import annotations

from googleapiclient.discovery import build

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "google-api-python-client"


def search(base_url: str, reply: Sample) -> list[Row]:
    service = build("customsearch", "v1", developerKey=KEY, static_discovery=True,
                    client_options={"api_endpoint": base_url})  # fmt: skip
    call = service.cse().list(
        cx="test-cx", q="otters", num=7, start=1, gl="jp", hl="en", lr="lang_en",
        dateRestrict="w1", safe="active", siteSearch="a.example", siteSearchFilter="i",
    )  # fmt: skip
    return [Row(r["link"], r["title"], r["snippet"]) for r in call.execute()["items"]]
