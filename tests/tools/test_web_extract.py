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


async def test_a_long_page_is_read_to_its_end(site, fetching):
    """Each result says outside the fence where to go on; the last one says nothing."""
    tool, offset, shown = WebExtractTool(fetching), 0, ""

    while offset is not None:
        result = await tool.invoke({"urls": [site], "offset": offset, "max_tokens": 100})
        fenced, _, more = result.text.partition("\nmore of this page: offset ")
        shown += fenced
        offset = int(more) if more else None

    (page,) = result.output["results"]
    assert len(page["markdown"]) > 1_000
    for line in page["markdown"].split(". "):
        assert line.strip()[:30] in shown


async def test_each_page_that_was_cut_says_where_it_goes_on(site, fetching):
    """Pages are counted as they are shown: an address could be anybody's words."""
    tool = WebExtractTool(fetching, max_tokens=200)

    result = await tool.invoke({"urls": [site, f"{site}one"]})

    first, second = result.text.splitlines()[-2:]
    assert first.startswith("more of page 1 above: offset ")
    assert second.startswith("more of page 2 above: offset ")


async def test_the_host_decides_how_much_a_model_may_ask_for(site, fetching):
    """`max_tokens` of the tool is the limit, that of a call only less."""
    tool = WebExtractTool(fetching, max_tokens=100, fence=False)

    result = await tool.invoke({"urls": [site], "max_tokens": 20_000})

    assert count(result.text) < 150


async def test_with_a_query_only_passages_are_shown(site, fetching):
    """And an offset with it is refused before anything is fetched."""
    tool = WebExtractTool(fetching, fence=False)

    result = await tool.invoke({"urls": [site], "query": "otters", "max_tokens": 100})
    refused = await tool.invoke({"urls": [site], "query": "otters", "offset": 10})

    assert "[…]" in result.text
    assert (refused.success, refused.error_kind) == (False, "arguments")


async def test_an_offset_past_the_end_says_so(site, fetching):
    """The page may have become shorter since."""
    result = await WebExtractTool(fetching).invoke({"urls": [site], "offset": 90_000_000})

    assert result.text.endswith("\nthis page ends before offset 90000000")
