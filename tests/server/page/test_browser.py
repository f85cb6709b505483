"""The page in a real browser: streaming, keys, files, both languages and themes, axe."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.models import Document, Hit
from kensaku.testing import faults
from tests.server.page.conftest import assert_accessible, needs_axe, needs_chromium

pytestmark = needs_chromium
OTTERS = [
    Hit(
        "https://a.example/otters",
        "Otters",
        "Otters hold hands while they sleep.",
        published="2026-11-01",
    ),
    Hit("https://b.example/rivers", "Rivers", "Rivers are where otters live."),
    Hit("https://c.example/fish", "Fish", "Otters eat fish every day."),
]
VIEWS = [
    "/?q=otters",
    "/?q=otters&route=brave",  # unavailable
    "/?q=zzzz&route=local",  # empty
    "/",
    "/docs",
    *(f"/page/{v}" for v in ("collections", "compare", "providers", "usage", "jobs", "keys")),
    "/page/collections?name=notes",
    "/page/compare?q=otters&route=tavily&route=local",
]


@pytest.fixture
async def site(make_server, upstream):
    """A server with two providers, of which one refuses, and a collection."""
    upstream.answers("tavily", OTTERS)
    upstream.fails("brave", faults.status(401))
    server = await make_server("brave", "tavily", "local", timeout=600)
    documents = [Document("file:///notes/otters.md", "Otter notes", "A group of otters is a romp.")]
    await server.client.index.add(documents, collection="notes")
    return server


async def search(page, text: str) -> None:
    await page.fill("input[name=q]", text)
    await page.press("input[name=q]", "Enter")
    await page.wait_for_selector(".hit [data-read], .state")


async def test_results_stream_in_before_the_slowest_has_answered(site, upstream, open_page, clock):
    """Hits of the first provider are shown while the second is still asked."""
    upstream.heals("brave")
    upstream.fails("brave", faults.delay(300))
    page = await open_page(site.url)
    await page.select_option("select[name=route]", "all")
    await page.fill("input[name=q]", "otters")
    await page.press("input[name=q]", "Enter")

    await page.wait_for_selector(".provisional .hit")
    assert await page.locator(".try.wait").inner_text() != ""
    clock.advance(300)
    await page.wait_for_selector("#results[aria-busy=false] .hit [data-read]")

    assert await page.locator(".provisional").count() == 0
    assert "q=otters" in page.url
    assert "otters" in await page.title()


async def test_what_a_page_can_do_it_can_do_once_it_is_loaded(site, open_page):
    """However slowly its script comes: a click, or a dropped file, is not lost before it."""
    late = []

    async def hold(route):
        late.append(route.request.url)
        await asyncio.sleep(0.5)
        await route.continue_()

    page = await open_page("about:blank", server=site.url)
    views = {"search": "/", "views": "/page/collections", "chat": "/chat"}
    for script, path in views.items():
        await page.route(f"**/static/{script}.js", hold)
        await page.goto(site.url + path)

        assert late[-1].endswith(f"/static/{script}.js")
        loaded = await page.evaluate("performance.getEntriesByType('resource').map(r => r.name)")
        assert late[-1] in loaded


async def test_a_citation_jumps_to_its_passage(site, open_page):
    """`[n]` in the answer is a link to the n-th hit."""
    page = await open_page(f"{site.url}/?q=what+do+otters+eat+every+day")
    cite = page.locator(".cite").first

    number = await cite.inner_text()
    await cite.click()

    await page.wait_for_url(f"**#h{number}")
    await page.wait_for_selector(f"#h{number}:target")


async def test_everything_can_be_done_by_keys(site, open_page):
    """`/`, Enter, arrows, j and k, r, ?, Esc."""
    page = await open_page(site.url)
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await page.keyboard.type("otters")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".hit [data-read]")
    focused = "document.activeElement.closest('.hit')?.id ?? document.activeElement.name"

    await page.keyboard.press("j")
    assert await page.evaluate(focused) == "h1"
    await page.keyboard.press("ArrowDown")
    assert await page.evaluate(focused) == "h2"
    await page.keyboard.press("k")
    await page.keyboard.press("ArrowUp")
    assert await page.evaluate(focused) == "q"
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("?")
    await page.wait_for_selector("#help", state="visible")
    await page.keyboard.press("Escape")
    await page.wait_for_selector("#help", state="hidden")
    await page.keyboard.press("/")
    assert await page.evaluate(focused) == "q"


async def test_a_hit_is_read_explained_and_kept(site, upstream, open_page):
    """The page behind a hit, in the page; and into a collection."""
    words = "Otters hold hands while they sleep, so that the river does not carry them apart. " * 8
    address = upstream.serves(
        "/otters", f"<html><title>Otters</title><article><h1>Otters</h1><p>{words}</p></article>"
    )
    upstream.answers("tavily", [Hit(address, "Otters", "Otters hold hands.")])
    page = await open_page(f"{site.url}/?q=otters", silent=False)  # the guard refuses loopback: 502

    await page.click(".hit [data-read]")
    await page.wait_for_selector(".reader:not(:has-text('Working'))")
    assert await page.locator(".reader").inner_text() != ""
    await page.click(".hit summary")
    assert "ranks it #1" in await page.locator(".hit details").inner_text()
    await page.click(".hit [data-keep]")
    await page.wait_for_selector(".said:not(:empty):not(:has-text('Working'))")
    assert await page.locator(".said").first.inner_text() != ""


async def test_a_context_is_made_for_a_model(site, open_page):
    """The slider says how long."""
    page = await open_page(f"{site.url}/?q=otters")
    await page.fill("#tokens", "500")
    await page.click("[data-context]")

    await page.wait_for_selector("#context-text:not([hidden])")
    assert "[1]" in await page.locator("#context-text").inner_text()


async def test_a_dropped_file_is_indexed_and_found(site, open_page):
    """Files are dropped on the zone, or chosen with it."""
    page = await open_page(f"{site.url}/page/collections")
    drop = """() => { const data = new DataTransfer();
      data.items.add(new File(["# Badgers\\n\\nBadgers dig setts."], "badgers.md"));
      document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true})); }"""
    await page.fill("#into", "zoo")
    await page.evaluate(drop)

    await page.wait_for_selector(".uploads .ok")
    await page.wait_for_selector("a[href='?name=zoo']")
    await page.click("a[href='?name=zoo']")
    await page.fill(".inline input[name=q]", "badgers")
    await page.press(".inline input[name=q]", "Enter")
    await page.wait_for_selector(".hit")
    assert "setts" in await page.locator(".hit").first.inner_text()


async def test_a_key_is_made_shown_once_and_revoked(site, open_page):
    """After the first key, this browser goes on, and a stranger is asked for one."""
    page = await open_page(f"{site.url}/page/keys")
    await page.fill("input[name=name]", "alice")
    await page.click("form[data-api] .go")
    await page.wait_for_selector(".secret:not([hidden])")
    secret = await page.locator(".secret code").inner_text()
    assert secret.startswith("ksk_")
    await page.reload()
    assert secret not in await page.content()

    stranger = await open_page(site.url, silent=False)  # 401
    await stranger.fill("#key", secret)
    await stranger.click(".signin .go")
    await stranger.wait_for_selector("#search")
    await stranger.click("text=Sign out")
    await stranger.wait_for_selector("#key")


@needs_axe
async def test_axe_finds_nothing_serious(site, open_page):
    """In both themes, on every view."""
    page = await open_page(site.url, bypass_csp=True)
    for path in VIEWS:
        await page.goto(site.url + path)
        await assert_accessible(page, path)


async def test_no_view_is_wider_than_the_window(site, open_page):
    """In Japanese, too, on a telephone."""
    page = await open_page(f"{site.url}/?q=otters", locale="ja")
    for path in VIEWS:
        await page.goto(site.url + path)
        for width in (360, 768, 1280):
            await page.set_viewport_size({"width": width, "height": 900})
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, path
        language = "en" if path == "/docs" else "ja"  # what the API says of itself is English
        assert await page.evaluate("document.documentElement.lang") == language


async def test_the_theme_stays_and_the_language_is_switched(site, open_page):
    """Both are remembered; the search in the address is kept."""
    page = await open_page(f"{site.url}/?q=otters", color_scheme="light")
    await page.click("[data-theme-switch]")
    await page.click("[data-switch]")
    await page.wait_for_selector("html[lang=ja][data-theme=dark]")

    await page.wait_for_load_state()
    assert "q=otters" in page.url
    assert await page.locator(".hit").count() == 3


async def test_the_page_weighs_at_most_150_kb(site, open_page):
    """Everything that a browser loads for a search, scripts and styles included."""
    page = await open_page("about:blank")
    responses = []
    page.on("response", lambda response: responses.append(response))
    await page.goto(f"{site.url}/?q=otters")
    await page.wait_for_load_state("networkidle")

    assert [r.url for r in responses if not r.url.startswith(site.url)] == []
    assert 20_000 < sum([len(await r.body()) for r in responses]) <= 150_000


async def test_documents_collections_and_keys_are_deleted_by_their_buttons(site, open_page):
    """Each asks first; the view is then what is left."""
    await site.client.index.add([Document("file:///b.md", "Badgers", "Badgers dig.")], "notes")
    page = await open_page(f"{site.url}/page/collections?name=notes")
    page.on("dialog", lambda dialog: dialog.accept())

    await page.click(".documents li:has-text('Badgers') button")
    await page.wait_for_selector(".documents li:has-text('Badgers')", state="detached")
    assert await page.locator(".documents li").count() == 1
    await page.click(".panel .danger")
    await page.wait_for_url("**/page/collections")
    assert "No collection yet" in await page.locator("main").inner_text()

    await page.goto(f"{site.url}/page/keys")
    for name in ("first", "second"):
        await page.fill("input[name=name]", name)
        await page.click("form[data-api] .go")
        await page.wait_for_selector(f"tbody tr:has-text('{name}')")
    await page.click("tbody tr:has-text('second') button")
    await page.wait_for_selector("tbody tr.muted:has-text('second')")


async def test_a_job_is_watched_until_it_ends(site, open_page):
    """The site is on this machine, which is refused: the job says so without a reload."""
    page = await open_page(f"{site.url}/page/collections")
    await page.fill("[data-add] input[name=url]", "http://127.0.0.1:9/")
    await page.click("[data-add] button[value=site]")
    await page.wait_for_function("() => /has begun/.test(document.querySelector('main').innerText)")
    await page.goto(f"{site.url}/page/jobs")

    await page.wait_for_selector("#jobs .card:has-text('127.0.0.1:9') .dot:is(.ok, .bad)")


async def test_results_of_an_index_that_is_being_filled_appear_by_themselves(
    make_server, upstream, open_page, build, clock
):
    """The first search of a fresh home, on a machine without a network."""
    upstream.fails("brave", faults.status(401))
    server = await make_server("brave", "local")
    page = await open_page(server.url)
    await search(page, "end an asyncio task")
    await build.began.wait()
    clock.advance(60)
    await page.wait_for_selector(".state .preparing progress")

    build.may_end.set()
    await page.wait_for_selector(".hit [data-read]")

    assert await page.locator(".hit h3").inner_text() == "Task.cancel"
    assert await page.locator(".preparing").count() == 0


async def test_all_tabs_are_on_the_screen_of_a_phone(site, open_page):
    """None has to be scrolled to; two rows hold them."""
    page = await open_page("about:blank", server=site.url, width=360)
    for language in ("en", "ja"):
        await page.goto(f"{site.url}/?language_of_page={language}")
        assert await page.evaluate("document.documentElement.lang") == language
        tabs = await page.locator("nav a").all()
        assert tabs
        for tab in tabs:
            box = await tab.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360
            assert await tab.evaluate("a => a.scrollWidth <= a.clientWidth")
