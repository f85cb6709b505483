"""Onyx: its own search and crawl clients, from a clone; the program itself is a cluster of servers."""

from __future__ import annotations

import sys

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "onyx",
    title="Onyx",
    package="onyx-dot-app/onyx",
    by="checkout",
    way="Web Search: SearXNG, base URL `http://any:KEY@…/searxng`; "
    "web crawler: Firecrawl, base URL `…/firecrawl/v2/scrape`",
)


def import_from_clone() -> None:
    assert PROGRAM.checkout
    sys.path.insert(0, str(PROGRAM.checkout / "backend"))


@PROGRAM.check("its SearXNG client")
def searxng(place: Place) -> None:
    import_from_clone()
    from onyx.tools.tool_implementations.web_search.clients.searxng_client import SearXNGClient

    client = SearXNGClient(f"http://any:{place.key}@{place.host}/searxng")
    assert client.test_connection() == {"status": "ok"}
    assert FACT in client.search(QUERY)[0].snippet


@PROGRAM.check("its Firecrawl client")
def firecrawl(place: Place) -> None:
    import_from_clone()
    from onyx.tools.tool_implementations.open_url.firecrawl import FirecrawlClient

    client = FirecrawlClient(place.key, base_url=place.url + "/firecrawl/v2/scrape")
    read = client.contents([place.site + "/pep-0745"])
    assert FACT in read[0].full_content, read
