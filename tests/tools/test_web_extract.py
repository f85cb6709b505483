"""`web_extract`: the text of pages, and the addresses that could not be fetched."""

from __future__ import annotations

from kensaku.answers.tokenizer import count
from kensaku.tools import WebExtractTool
from kensaku.tools.base import progress_to


async def test_pages_and_failures_are_both_reported(site, fetching):
    """One dead address does not cost the others."""
    urls = [f"{site}one", f"{site}nowhere"]

    result = await WebExtractTool(fetching).invoke({"urls": urls})

    assert result.success
    assert [p["url"] for p in result.output["results"]] == urls[:1]
    assert [f["url"] for f in result.output["failed"]] == urls[1:]
    assert result.confidence_factors == {"pages": 1, "failed": 1}
    assert "# One" in result.text
    assert f"could not be had: {urls[1]}" in result.text


async def test_no_page_at_all_is_a_failure(site, fetching):
    """The model must not take an error page for an answer."""
    result = await WebExtractTool(fetching).invoke({"urls": f"{site}nowhere"})

    assert (result.success, result.error_kind) == (False, "tool")
    assert result.error == "no page could be had"


async def test_pages_share_the_tokens(site, fetching):
    """Each is cut; none is left out."""
    tool = WebExtractTool(fetching, max_tokens=200, fence=False)

    result = await tool.invoke({"urls": [site, f"{site}one"]})

    assert count(result.text) < 300
    assert result.text.count("Sea otters sleep") >= 2
    assert result.text.count("…") == 2
    assert all(len(p["text"]) > 1_000 for p in result.output["results"])


async def test_whoever_shows_it_hears_how_far_it_is(site, fetching):
    """One event a page, at least."""
    heard = []

    with progress_to(heard.append):
        await WebExtractTool(fetching).invoke({"urls": [site, f"{site}one"]})

    assert len(heard) >= 2
