"""Khoj: its own search and reading functions; the program itself needs PostgreSQL."""

from __future__ import annotations

import os
import sys

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "khoj",
    title="Khoj",
    package="khoj",
    first=("torch==2.13.0",),  # pip takes the build for CPUs, where it is told of one
    without=("torch", "triton"),
    way="`KHOJ_SEARXNG_URL=http://any:KEY@…/searxng`, `EXA_API_URL=…/exa`, or "
    "`FIRECRAWL_API_URL=…/firecrawl`; as a web scraper in its admin panel: Exa or Firecrawl, with "
    "the same API URL",
)


def configure(place: Place) -> None:
    """Set what is read when its modules are imported, and import them as its server does."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "khoj.app.settings",
        "KHOJ_SEARXNG_URL": f"http://any:{place.key}@{place.host}/searxng",
        "EXA_API_URL": place.url + "/exa",
        "EXA_API_KEY": place.key,
        "FIRECRAWL_API_URL": place.url + "/firecrawl",
        "FIRECRAWL_API_KEY": place.key,
    }
    import django
    import khoj

    sys.path.insert(0, os.path.dirname(khoj.__file__))
    django.setup()


async def search(place: Place, name: str) -> None:
    configure(place)
    from khoj.processor.tools import online_search
    from khoj.utils.rawconfig import LocationData

    where = LocationData(city="Berlin", region="Berlin", country="Germany", country_code="DE")
    _, found = await getattr(online_search, f"search_with_{name}")(QUERY, where)
    assert FACT in str(found["organic"][0]), found


for name in ("searxng", "exa", "firecrawl"):
    PROGRAM.check(f"search ({name})")(lambda place, name=name: search(place, name))


@PROGRAM.check("pages by Exa and Firecrawl")
async def read(place: Place) -> None:
    configure(place)
    from khoj.processor.tools.online_search import (
        read_webpage_with_exa,
        read_webpage_with_firecrawl,
    )

    page = place.site + "/pep-0745"
    assert FACT in await read_webpage_with_firecrawl(page, place.key, place.url + "/firecrawl")
    assert FACT in await read_webpage_with_exa(page, place.key, place.url + "/exa")
