"""Read a page here: fetched, extracted, and made harmless."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError, Unparsable
from kensaku.messages import msg
from kensaku.models import LOCAL
from kensaku.server.page.render import render
from kensaku.server.page.results import safe_link
from kensaku.server.page.tabs import api, one_search, text_in
from kensaku.text.markdown import to_html

if TYPE_CHECKING:
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

SECONDS = 20.0


async def read(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Read the page at `url`: its text, as HTML that can do nothing."""
    url = text_in(asked, "url", 8_000)
    title, markdown, note = await (_fetched if safe_link(url) else _stored)(page, asked, url)
    html = await asyncio.to_thread(to_html, markdown)
    shown = render(page, "_reader.html", title=title, text=html, note=note)
    return {"title": title, "html": shown}


async def _fetched(page: PageRequest, asked: Asked, url: str) -> tuple[str, str, str]:
    try:
        return await _from_web(page, url)
    except KensakuError:
        try:  # the page is gone, or there is no network: the index may have it
            return await _stored(page, asked, url)
        except KensakuError:
            pass
        raise


async def _from_web(page: PageRequest, url: str) -> tuple[str, str, str]:
    done = await page.client.extract([url], timeout=SECONDS)
    if done.failed:
        raise done.failed[0].error
    found = done.results[0]
    if not found.text.strip():
        raise Unparsable("; ".join(found.notes) or "it has no text")
    return found.title, found.markdown or found.text, found.copy_note


async def _stored(page: PageRequest, asked: Asked, url: str) -> tuple[str, str, str]:
    """A document of the local index, whatever its address is."""
    q = asked.fields.get("q")
    response = await page.client.search(
        q if isinstance(q, str) and q.strip() else url,
        route=LOCAL,
        max_results=50,
        include_raw_content=True,
        cache=False,
    )
    for hit in response.hits:
        if hit.url == url:
            return hit.title, hit.raw_content or hit.content, ""
    raise Unparsable(msg("the index does not hold it any more"))


ENDPOINTS = [api("POST", "/api/pages", read, cost=one_search, is_owners=False)]
