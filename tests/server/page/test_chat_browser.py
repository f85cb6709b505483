"""Chat in a real browser: a whole conversation, questions, a reload, both themes, axe."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kensaku.models import Document, Hit
from kensaku.testing import faults
from tests.server.page import xss
from tests.server.page.conftest import assert_accessible, needs_axe, needs_chromium
from tests.server.talk import FOUND, QUESTION

pytestmark = needs_chromium
BOX = "#ask textarea"
OTTERS = [
    Hit(
        "https://a.example/", "What otters eat", "Sea otters eat up to 25 % of their weight a day."
    ),
    Hit("https://b.example/", "A zoo", "Sea otters eat about 30 % of their weight a day."),
]
WEIGHT = "How much of the weight do Sea Otters eat a day?"


@pytest.fixture
async def site(make_server, upstream) -> Any:
    """A server whose searches answer by their words, or not at all."""
    upstream.answers("tavily", [])
    finds = {"非同期": FOUND, "Otters": OTTERS, "otters": OTTERS}
    for word, hits in finds.items():
        body = upstream.samples["tavily"].with_hits(hits)
        upstream.fails(
            "tavily", faults.wrong_shape(body), when=lambda r, word=word: word in r.json["query"]
        )
    upstream.fails("tavily", faults.status(401), when=lambda r: "forbidden" in r.json["query"])
    server = await make_server("tavily", "local")
    notes = Document("file:///notes.md", "Notes", "A romp is a group of otters.")
    await server.client.index.add([notes], collection="notes")
    return server


async def send(page: Any, text: str) -> None:
    """Say something, and wait until it is shown."""
    count = await page.locator(".turn").count()
    await page.fill(BOX, text)
    await page.press(BOX, "Enter")
    await page.wait_for_function(
        f"() => document.querySelectorAll('.turn').length > {count % 1000}"
    )


async def settle(page: Any) -> None:
    """Wait until every run has ended or asks something."""
    await page.wait_for_function(
        "() => [...document.querySelectorAll('.turn[data-state=running]')]"
        ".every(t => t.querySelector('[data-ask]'))"
    )


async def press_first_ask(page: Any, button: int) -> None:
    """Reply to the first question by a button, and wait for what comes of it."""
    id = await page.locator("[data-ask]").first.get_attribute("data-ask")
    await page.locator(f'[data-ask="{id}"] button').nth(button).click()
    await page.wait_for_selector(f'[data-ask="{id}"]', state="detached")
    await settle(page)


async def test_a_conversation_in_japanese_with_sources(site, open_page):
    """Ask, read the passage behind a mark, ask on, reload, export, delete."""
    page = await open_page(f"{site.url}/chat", locale="ja")
    await send(page, QUESTION)
    await page.wait_for_selector(".turn[data-state=done] a.cite")

    assert "/chat/" in page.url
    assert "asyncio" in await page.locator(".answer .text").inner_text()
    assert "tavily" in await page.locator(".step", has_text="web_search").first.inner_text()
    passage = page.locator(".sources blockquote").first
    assert not await passage.is_visible()
    await page.locator("a.cite").first.click()
    assert await passage.is_visible()
    assert await passage.evaluate("e => e === document.activeElement")

    await send(page, QUESTION)
    await page.wait_for_function(
        "() => document.querySelectorAll('.turn[data-state=done]').length === 2"
    )
    await page.reload()
    assert await page.locator(".turn[data-state=done] .answer").count() == 2
    assert await page.locator(".step", has_text="tavily").count() >= 2
    assert await page.locator(".history [aria-current]").inner_text() != ""

    await page.click(".menu summary >> nth=0")
    async with page.expect_download() as download:
        await page.click("text=Markdown")
    saved = await (await download.value).path()
    assert "asyncio" in saved.read_text(encoding="utf-8")
    await page.click(".menu summary >> nth=1")
    await page.click(".pop button.danger")
    await page.wait_for_url("**/chat")
    assert await page.locator(".history li").count() == 0


async def test_consent_is_given_by_a_button_after_a_reload(site, open_page, upstream):
    """The question is still there; the query can be changed; it counts once."""
    page = await open_page(f"{site.url}/chat")
    await page.check("input[type=checkbox][name=ask_first]")
    await send(page, "forbidden fruit")
    await page.wait_for_selector("[data-ask]")
    assert upstream.asked("tavily") == []
    await page.reload()
    assert await page.locator("input[type=checkbox][name=ask_first]").is_checked()
    await page.fill("[data-ask] input[name=text]", QUESTION)
    await page.click("[data-ask] button[value=proceed]")

    await page.wait_for_selector(".step.ok")
    await settle(page)
    assert upstream.asked("tavily")[0].json["query"] == QUESTION
    while await page.locator("[data-ask]").count():
        await press_first_ask(page, 1)
    await page.wait_for_selector(".turn:not([data-state=running])")


async def test_a_form_asks_for_other_words(site, open_page):
    """Nothing is found, the person helps, and the answer is there."""
    page = await open_page(f"{site.url}/chat")
    await send(page, "zzzz qqqq")
    await page.wait_for_selector("[data-ask].help, .ask-person.help")
    assert await page.locator(BOX).get_attribute("placeholder") != "Ask on"
    await page.fill(".ask-person.help input[name=text]", "otters eat weight")
    await page.click(".ask-person.help button[value=modify]")
    await page.wait_for_selector(".step:has-text('otters eat weight')")
    await settle(page)
    if await page.locator(".ask-person.confirm").count():
        await page.click(".ask-person.confirm button[value=proceed]")
    await page.wait_for_selector(".turn:not([data-state=running])")


async def test_nobody_could_search_and_nothing_was_found_are_two_states(site, open_page):
    """Each says what to do."""
    page = await open_page(f"{site.url}/chat")
    for text, said in (("zzzz", "Nothing was found"), ("forbidden fruit", "Nobody could search")):
        await page.goto(f"{site.url}/chat")
        await send(page, text)
        await page.wait_for_selector(".ask-person.help")
        await page.click(".ask-person.help button[value=skip]")
        await page.wait_for_selector(".turn .state")
        assert said in await page.locator(".turn .state").inner_text()
    assert (
        "it does not take this key" in await page.locator(".turn .state.bad .reasons").inner_text()
    )


async def test_a_run_is_stopped_and_asked_again(site, open_page, upstream):
    """Stop is there only while something runs."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    page = await open_page(f"{site.url}/chat")
    assert not await page.locator("[data-stop]").is_visible()
    await send(page, QUESTION)
    await page.wait_for_selector(".step.busy:has-text('web_search')")
    await page.click("[data-stop]")
    await page.wait_for_selector(".turn[data-state=cancelled] .stopped")
    assert not await page.locator("[data-stop]").is_visible()

    upstream.heals("tavily")
    upstream.answers("tavily", FOUND)
    await page.click("[data-again] button")
    await page.wait_for_selector(".turn[data-state=done]")


async def test_keys_do_everything_and_composing_sends_nothing(site, open_page):
    """`/`, Shift Enter, Enter, j, k, n; Enter that ends a choice of characters stays in the box."""
    page = await open_page(f"{site.url}/chat")
    await page.fill(BOX, "ひらがな")
    composing = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true})"
    await page.evaluate(f"document.querySelector('{BOX}').dispatchEvent({composing})")
    await page.press(BOX, "Shift+Enter")
    assert "ひらがな\n" in await page.input_value(BOX)
    await page.fill(BOX, "")
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".turn[data-state=done]")
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("j")
    assert await page.evaluate("document.activeElement.className") == "turn"
    await page.keyboard.press("n")
    await page.wait_for_url("**/chat")


async def test_payloads_are_inert_in_questions_titles_passages_and_answers(
    site, open_page, upstream
):
    """In the stream, after a reload, and in the list."""
    upstream.heals("tavily")
    texts = [re.sub(r"\s+", " ", text) for text in xss.texts()]
    word = "Payloads about otters sleeping in rivers"
    hits = [
        Hit(
            f"https://a{n}.example/",
            text,
            f"{word} are {text} [1](https://evil.example) [1]: https://evil.example",
        )
        for n, text in enumerate(texts[::6])
    ]
    upstream.answers("tavily", hits)
    page = await open_page(f"{site.url}/chat")
    await send(page, f"{word} {texts[0]} {texts[3]}")
    await settle(page)
    for _ in range(3):
        if not await page.locator("[data-ask]").count():
            break
        await press_first_ask(page, 0)
    for _ in range(2):
        assert not await page.evaluate("window.hacked === 1")
        assert (
            await page.locator("#turns :is(script, img, iframe, svg *[onload], style)").count() == 0
        )
        links = "[...document.querySelectorAll('#turns .text a')].map(a => a.getAttribute('href'))"
        assert all(link.startswith("#c-") for link in await page.evaluate(links))
        await page.reload()


@needs_axe
async def test_axe_finds_nothing_serious_in_any_state(site, open_page):
    """Empty, asking, answered, refused; on a telephone, too."""
    page = await open_page(f"{site.url}/chat", bypass_csp=True)

    async def check(what: str) -> None:
        for width in (1280, 360):
            await page.set_viewport_size({"width": width, "height": 900})
            wide = await page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, what
            await assert_accessible(page, f"{what}, {width}")

    await check("empty")
    await send(page, QUESTION)
    await page.wait_for_selector(".turn[data-state=done] a.cite")
    await page.locator("a.cite").first.click()
    await check("answered")
    await send(page, "forbidden fruit")
    await page.wait_for_selector("[data-ask]")
    await check("asking")
    await page.click(".ask-person.help button[value=skip]")
    await page.wait_for_selector(".turn .state")
    await check("unavailable")
