"""A running crawl on the view Jobs, in a real browser: it moves, is cancelled, goes on, ends."""

from __future__ import annotations

import asyncio

import pytest

from tests.jobs.conftest import site as site
from tests.server.page.conftest import needs_chromium

pytestmark = needs_chromium
CARD = "#jobs .card"
REACHED = 1 + 3 + 9 + 27  # pages that are at most three links away
DONE = "() => Number(document.querySelector('#jobs .card .small').innerText.match({})?.[1] ?? -1)"
WORDS = {
    "en-US": (r"/(\d+) of \d+/", "crawling", ("Cancel", "cancelled"), ("Resume", "done")),
    "ja-JP": (
        r"/\d+件中(\d+)件/",
        "クロール中",
        ("キャンセル", "キャンセル済み"),
        ("再開", "完了"),
    ),
}


@pytest.mark.parametrize("locale", WORDS)
async def test_a_crawl_is_watched_cancelled_and_resumed(make_server, site, open_page, locale):
    """The site holds its pages back in between: what is shown is what has been read."""
    count, stage, (cancel, cancelled), (resume, done) = WORDS[locale]
    server = await make_server(
        "local", fetch_allow=("127.0.0.1",), fetch_ports="any", fetch_per_host=8
    )
    read = DONE.format(count)
    site.hold_after(8)
    page = await open_page(f"{server.url}/page/collections", locale=locale)
    await page.fill("[data-add] input[name=url]", site.url)
    async with page.expect_response("**/sites") as begun:
        await page.click("[data-add] button[value=site]")
    assert (await begun.value).ok
    await page.goto(f"{server.url}/page/jobs")
    await asyncio.wait_for(site.is_holding(), 60)
    await page.wait_for_function(f"() => ({read})() > 0")
    first = await page.evaluate(read)
    assert stage in await page.inner_text(f"{CARD} .small")

    site.release()
    site.hold_after(8)
    await asyncio.wait_for(site.is_holding(), 60)
    await page.wait_for_function(f"() => ({read})() > {first}")
    assert len(site.fetched()) < REACHED

    await page.click(f"{CARD} button:text-is('{cancel}')")
    await page.wait_for_selector(f"{CARD} .pill:has(.warn):has-text('{cancelled}')")
    site.release()
    await page.click(f"{CARD} button:text-is('{resume}')")
    await page.wait_for_selector(f"{CARD} .pill:has(.ok):has-text('{done}')")
    assert await page.evaluate(read) == REACHED
    assert await page.query_selector(f"{CARD} button") is None
