"""The Search view as HTML: whole without scripts."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlencode

import pytest

from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.models import Document, Hit
from kensaku.testing import faults
from tests.japanese import is_japanese
from tests.server.conftest import Running
from tests.server.page_client import browsing

OTTERS = [
    Hit("https://a.example/otters", "Otters", "Otters swim in rivers.", published="2026-11-01"),
    Hit("https://b.example/", "Rivers", "Where otters live."),
]


@pytest.fixture
async def several(make_server, upstream) -> Running:
    """A server over a provider without a key, one whose key is refused, and two that search."""
    upstream.fails("brave", faults.status(401))
    upstream.answers("serper", [])
    route = ("exa", "brave", "serper", "tavily")
    made: Running = await make_server(*route, mode="all", env={"EXA_API_KEY": ""})
    return made


async def test_a_search_works_without_scripts(several, upstream):
    """The results, the answer and who failed are in the page; who was not asked has not failed."""
    upstream.answers("tavily", OTTERS)
    async with browsing(several.url) as page:
        html = await page.get("/?q=where+do+otters+swim")

    assert html.count('class="hit"') == 2
    assert '<a class="cite" href="#h1">1</a>' in html
    assert 'href="https://a.example/otters"' in html
    assert "<mark>Otters</mark> <mark>swim</mark>" in html
    assert "tavily #1" in html
    assert "Found 2 results from tavily" in html
    assert re.findall(r'<p class="note" role="note"><b>(\w+): ([^<]*)', html) == [
        ("brave", "it does not take this key (401).")
    ]


async def test_what_is_filled_in_is_what_is_asked_for(page, server, upstream):
    """Spaces around it do not count; a number that is none is the usual one."""
    filled = {
        "q": " otters ", "time": "week", "n": " 7 ", "topic": "news", "depth": "1",
        "site": "a.example, b.example",
    }  # fmt: skip
    for form in (filled, {"q": "kelp", "n": "many"}):
        await page.get(f"/?{urlencode(form)}")

    sent, usual = [request.json for request in upstream.asked("tavily")]
    assert (sent["query"], sent["time_range"], sent["topic"]) == ("otters", "week", "news")
    assert sent["include_domains"] == ["a.example", "b.example"]
    assert sent["search_depth"] == "advanced"
    assert (sent["max_results"], usual["max_results"]) == (7, server.client.settings.max_results)


async def test_a_collection_is_searched_on_this_machine(page, server, upstream):
    """Unless somebody else is to be asked."""
    await server.client.index.add([Document("file:///a", "Kept", "kelp")], "notes")

    here = await page.get("/?q=kelp&collection=notes")
    assert "Kept" in here
    assert upstream.requests == []
    await page.get("/?q=kelp&collection=notes&route=tavily")
    assert len(upstream.asked("tavily")) == 1


async def test_who_cannot_search_never_says_that_there_is_nothing(make_server, upstream):
    """Three outcomes, three states; each failure with what to do."""
    upstream.fails("brave", faults.status(401))
    server = await make_server("brave")
    async with browsing(server.url) as page:
        html = await page.get("/?q=otters")

    assert "Nobody could search" in html
    assert "it does not take this key (401)" in html
    assert "check BRAVE_API_KEY" in html
    assert "Nothing found" not in html


async def test_nothing_found_says_who_searched(several, upstream):
    """`empty` is a fact about the web, not about us."""
    upstream.answers("tavily", [])
    async with browsing(several.url) as page:
        html = await page.get("/?q=otters&time=day")
        plain = await page.get("/?q=otters&n=7&depth=1")

    searched = re.search(r"(\w+) and (\w+) searched, and there is nothing", html)
    assert "Nothing found" in html
    assert searched
    assert {*searched.groups()} == {"serper", "tavily"}  # in the order in which they answered
    assert "Search again without filters" in html
    assert "without filters" not in plain


async def test_a_query_out_of_bounds_is_one_sentence(page):
    """And no server error."""
    html = await page.get(f"/?q={'x' * 3000}")

    assert page.status == 200
    assert "2,000" in html or "2000" in html


async def test_the_filters_offer_what_there_is(make_server, upstream):
    """Those who can be asked, the collections; nothing is searched for an empty box."""
    server = await make_server(
        "tavily", "brave", "local", "exa", env={"BRAVE_API_KEY": "", "EXA_ENABLED": "0"}
    )
    await server.client.index.add([Document("file:///a", "A", "otters")], "notes")
    async with browsing(server.url) as page:
        html = await page.get("/?language=ja")

    offered = {
        name: re.findall(r'<option value="([^"]*)"( selected)?>', options)
        for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', html, re.DOTALL)
    }
    assert [value for value, _ in offered["route"]] == ["", "all", "local", "tavily"]
    assert [value for value, _ in offered["collection"]] == ["", "notes"]
    assert [value for value, chosen in offered["language"] if chosen] == ["ja"]
    assert upstream.requests == []


async def test_a_page_opens_while_its_index_hangs_or_is_broken(page, clock, monkeypatch):
    """It offers no collections then; the search itself says what is wrong."""
    hangs = asyncio.Event()

    async def hang(index: Index) -> list[str]:
        hangs.set()
        return await asyncio.get_running_loop().create_future()

    async def fail(index: Index) -> list[str]:
        raise IndexFault("broken")

    monkeypatch.setattr(Index, "collections", hang)
    opening = asyncio.create_task(page.get("/"))
    await hangs.wait()
    clock.advance(2)
    slow = await opening
    monkeypatch.setattr(Index, "collections", fail)
    broken = await page.get("/")

    for html in (slow, broken):
        assert 'name="q"' in html
        assert 'name="collection"' not in html


async def test_the_page_is_in_japanese_for_who_reads_it(page):
    """By the browser's languages, or by the switch, which is remembered."""
    by_header = await page.get("/", **{"Accept-Language": "xx;q=0.9, ja;q=0.8"})
    switched = await page.get("/?language_of_page=ja")
    remembered = await page.get("/")

    for html in (by_header, switched, remembered):
        assert '<html lang="ja"' in html
        assert "何を探しますか" in html


async def test_why_nobody_could_search_is_said_in_japanese(make_server, upstream):
    """The reasons and what to do about them, on the page and in its API."""
    upstream.fails("brave", faults.status(401))
    upstream.fails("serper", faults.status(429, {"Retry-After": "60"}))
    upstream.fails("tavily", faults.status(503))
    server = await make_server("exa", "brave", "serper", "tavily", env={"EXA_API_KEY": ""})
    async with browsing(server.url) as page:
        japanese = {"Accept-Language": "ja"}
        down = await page.get("/?q=otters", **japanese)
        too_long = await page.get(f"/?q={'x' * 5000}", **japanese)
        refused = await page.call("POST", "/api/context", {"q": "x" * 5000}, **japanese)

    reasons = re.findall(r"(?s)<dd>.*?</dd>", down)
    errors = re.findall(r'(?s)role="alert">.*?</section>', too_long)
    said = [re.sub("<[^>]+>", "\n", html) for html in reasons + errors]
    assert len(reasons) > 3
    assert len(errors) == 1
    assert [text for text in said if not is_japanese(text)] == []
    assert is_japanese(refused["error"]["message"])


async def test_notes_beside_results_are_in_japanese(make_server, upstream):
    """Who failed, what to do about it, and which results were left out."""
    upstream.fails("brave", faults.status(401))
    old = Hit("https://old.example/", "Old otters", "Otters of old.", published="2001-01-01")
    upstream.answers("tavily", [old, Hit("https://new.example/", "Otters", "Otters swim.")])
    server = await make_server("brave", "tavily")
    async with browsing(server.url) as page:
        html = await page.get("/?q=otters&time=week", **{"Accept-Language": "ja"})

    failures = re.findall(r'<p class="note" role="note">.*?</p>', html)
    notes = re.findall(r'(?s)<details class="notes">.*?</details>', html)
    assert 'class="hit"' in html
    assert len(failures) == len(notes) == 1
    for text in failures + notes:
        assert is_japanese(re.sub("<[^>]+>", "\n", text))


async def test_the_page_is_in_a_third_language_when_there_is_a_file(server, machine):
    """It is offered beside the others; what is not translated stays English."""
    (machine / "locale").mkdir(parents=True)
    header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
    name = (
        'msgctxt "the name of this language, in this language"\nmsgid "English"\nmsgstr "Deutsch"'
    )
    title = 'msgid "What would you like to find?"\nmsgstr "Was suchen Sie?"'
    text = "\n\n".join((header, name, title))
    (machine / "locale" / "qaa.po").write_text(text + "\n", encoding="utf-8")

    async with browsing(server.url) as page:
        english = await page.get("/")
        german = await page.get("/?language_of_page=qaa")

    offered = [
        re.findall(r'hreflang="(\w+)" lang="\w+">([^<]+)<', html) for html in (english, german)
    ]
    assert {("qaa", "Deutsch"), ("ja", "日本語")} <= set(offered[0])
    assert {("en", "English"), ("ja", "日本語")} <= set(offered[1])
    assert '<html lang="qaa"' in german
    assert "Was suchen Sie?" in german
    assert "My collections only" in german


async def test_a_theme_is_in_the_first_byte_of_the_page(page):
    """So that nothing flashes."""
    await page.get("/?theme=dark")

    assert '<html lang="en" data-theme="dark">' in await page.get("/")
    assert '<html lang="en" data-theme="light">' in await page.get("/?theme=light")
    assert '<html lang="en">' in await page.get("/?theme=pink")


async def test_no_page_has_an_inline_script_or_style(page):
    """Nor anything from elsewhere; the policy would refuse it."""
    assert not re.search(r'\sstyle=|\son\w+=|(?:src|href)="http', await page.get("/"))
