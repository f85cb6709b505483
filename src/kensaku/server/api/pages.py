"""Read a page here: fetched, extracted, and made harmless."""

from __future__ import annotations

import asyncio
from typing import Any

from kensaku.errors import KensakuError, Unparsable
from kensaku.models import LOCAL
from kensaku.server.api.base import Call, Endpoint
from kensaku.server.page.render import render
from kensaku.server.page.results import safe_link
from kensaku.text.markdown import to_html

SECONDS = 20.0


async def read(call: Call) -> dict[str, Any]:
    """The text of the page at `url`, as HTML that can do nothing."""
    url = call.text("url", 8_000)
    title, markdown = await (_fetched if safe_link(url) else _stored)(call, url)
    html = await asyncio.to_thread(to_html, markdown)
    return {"title": title, "html": render(call.page, "_reader.html", title=title, text=html)}


async def _fetched(call: Call, url: str) -> tuple[str, str]:
    try:
        return await _from_web(call, url)
    except KensakuError:
        try:  # the page is gone, or there is no network: the index may have it
            return await _stored(call, url)
        except KensakuError:
            pass
        raise


async def _from_web(call: Call, url: str) -> tuple[str, str]:
    done = await call.client.extract([url], timeout=SECONDS)
    if done.failed:
        raise done.failed[0].error
    page = done.results[0]
    if not page.text.strip():
        raise Unparsable("; ".join(page.notes) or "it has no text")
    return page.title, page.markdown or page.text


async def _stored(call: Call, url: str) -> tuple[str, str]:
    """A document of the local index, whatever its address is."""
    asked = call.fields.get("q")
    query = asked if isinstance(asked, str) and asked.strip() else url
    response = await call.client.search(
        query, route=LOCAL, max_results=50, include_raw_content=True, cache=False
    )
    for hit in response.hits:
        if hit.url == url:
            return hit.title, hit.raw_content or hit.content
    raise Unparsable("the index does not hold it any more")


ENDPOINTS = [Endpoint("POST", "/api/pages", read)]
