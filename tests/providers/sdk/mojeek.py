"""Mojeek, by `pymojeek`, a client of somebody else's. Its address cannot be configured."""

from __future__ import annotations

from typing import Any
from urllib.request import HTTPSHandler, Request, build_opener, install_opener

from pymojeek import Search

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "pymojeek"
LIVES_AT = "https://www.mojeek.com"


def search(base_url: str, reply: Sample) -> list[Row]:
    class Redirected(HTTPSHandler):
        def https_open(self, req: Request) -> Any:
            url = req.full_url.replace(LIVES_AT, base_url)
            return self.parent.open(Request(url, headers=req.headers), timeout=req.timeout)

    install_opener(build_opener(Redirected))
    found = Search(api_key=KEY, safe_search=True).search(
        "otters", start=1, count=7, include_domains=["a.example"], exclude_domains=["b.example"]
    )
    return [Row(r.url, r.title, r.description) for r in found]
