"""Firecrawl, versions 1 and 2: search, scrape, map; crawl, batch and extract as jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import FetchError, InvalidQuery, KensakuError
from kensaku.server.wires._firecrawl_account import account_endpoints
from kensaku.server.wires._firecrawl_jobs import job_endpoints
from kensaku.server.wires._firecrawl_pages import (
    MAP,
    SCRAPE,
    SEARCH,
    read_map,
    read_scrape,
    read_search,
    write_map,
    write_map_v1,
    write_scrape,
    write_search,
    write_search_v1,
)
from kensaku.server.wires.base import Endpoint, Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.server.request import Request


class NotScraped(InvalidQuery):
    """The page could not be read."""

    status = 422


class Firecrawl(Wire):
    name = "firecrawl"
    label = "Firecrawl"
    docs = "https://docs.firecrawl.dev/api-reference/endpoint/search"
    at_root = True
    client = 'Firecrawl(api_key=…, api_url="{url}/firecrawl")'

    def endpoints(self) -> Sequence[Endpoint]:
        performed = [
            Endpoint("POST", version + path, read, write, about, schema, required=(needed,))
            for version, write_found, write_listed in (
                ("/v2", write_search, write_map),
                ("/v1", write_search_v1, write_map_v1),
            )
            for path, read, write, about, schema, needed in (
                ("/search", read_search, write_found, "Search", SEARCH, "query"),
                ("/scrape", read_scrape, write_scrape, "Read a page", SCRAPE, "url"),
                ("/map", read_map, write_listed, "List a site's pages", MAP, "url"),
            )
        ]
        jobs = [*job_endpoints("/v2"), *job_endpoints("/v1")]
        return [*performed, *jobs, *account_endpoints()]

    def error(self, status: int, message: str) -> Any:
        return {"success": False, "error": message}

    def status(self, status: int) -> int:
        return 402 if status == 432 else status

    def refuse(self, request: Request | None, error: KensakuError) -> ASGIApp:
        """A page that cannot be read is 422, as with Firecrawl."""
        return super().refuse(
            request, NotScraped(error.message) if isinstance(error, FetchError) else error
        )
