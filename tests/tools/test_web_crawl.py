"""`web_crawl`: the pages that a site links to."""

from __future__ import annotations

from kensaku.tools import WebCrawlTool
from kensaku.tools.base import progress_to


async def test_it_reads_the_pages_that_are_linked(site, fetching):
    """From one address on."""
    result = await WebCrawlTool(fetching).invoke({"url": site})

    assert result.success
    assert result.output["base_url"] == site
    assert {p["url"] for p in result.output["results"]} == {site, f"{site}one"}
    assert "# One" in result.text


async def test_it_keeps_to_its_limit(site, fetching):
    """A site may have millions."""
    result = await WebCrawlTool(fetching).invoke({"url": site, "limit": 1})

    assert [p["url"] for p in result.output["results"]] == [site]


async def test_whoever_shows_a_crawl_hears_how_far_it_is(site, fetching):
    """A crawl goes on for a while."""
    heard = []

    with progress_to(heard.append):
        await WebCrawlTool(fetching).invoke({"url": site})

    assert heard


async def test_a_site_that_does_not_answer_is_a_failure(site, fetching):
    """It is no site without pages."""
    result = await WebCrawlTool(fetching).invoke({"url": f"{site}nowhere"})

    assert (result.success, result.error) == (False, "no page could be had")
