"""`web_map`: the addresses of a site."""

from __future__ import annotations

from kensaku.tools import WebMapTool


async def test_it_lists_addresses_inside_a_fence(site, fetching):
    """An address is text of the web, too."""
    result = await WebMapTool(fetching).invoke({"url": site})

    assert result.success
    assert set(result.output["results"]) == {site, f"{site}one"}
    assert result.confidence_factors == {"pages": 2}
    assert f"{site}one" in result.text.partition("<<<web ")[2]
