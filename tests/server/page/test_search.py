"""The Search view as HTML: whole without scripts."""

from __future__ import annotations

import asyncio
import re

import aiohttp
import pytest

from kensaku.errors import IndexFault
from kensaku.index import Index
from kensaku.models import Document, Hit
from kensaku.testing import faults

OTTERS = [
    Hit("https://a.example/otters", "Otters", "Otters swim in rivers.", published="2026-11-01"),
    Hit("https://b.example/", "Rivers", "Where otters live."),
]


@pytest.fixture
async def http():
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def get(http, url: str, **headers: str) -> str:
    async with http.get(url, headers=headers) as reply:
        return await reply.text()


async def test_a_search_works_without_scripts(http, make_server, upstream):
    """The results, who was asked and the answer are in the page itself."""
    upstream.answers("tavily", OTTERS)
    server = await make_server("tavily")

    page = await get(http, f"{server.url}/?q=otters")

    assert page.count('class="hit"') == 2
    assert 'href="https://a.example/otters"' in page
    assert "<mark>Otters</mark> swim" in page
    assert "tavily #1" in page
    assert "Found 2 results from tavily" in page


async def test_who_cannot_search_never_says_that_there_is_nothing(http, make_server, upstream):
    """Three outcomes, three states; each failure with what to do."""
    upstream.fails("brave", faults.status(401))
    server = await make_server("brave")

    page = await get(http, f"{server.url}/?q=otters")

    assert "Nobody could search" in page
    assert "it does not take this key (401)" in page
    assert "check BRAVE_API_KEY" in page
    assert "Nothing found" not in page


async def test_nothing_found_says_who_searched(http, make_server, upstream):
    """`empty` is a fact about the web, not about us."""
    upstream.answers("tavily", [])
    server = await make_server("tavily")

    page = await get(http, f"{server.url}/?q=otters&time=day")

    assert "Nothing found" in page
    assert "tavily searched, and there is nothing" in page
    assert "Search again without filters" in page


async def test_a_query_out_of_bounds_is_one_sentence(http, server):
    """And no server error."""
    async with http.get(f"{server.url}/?q={'x' * 3000}") as reply:
        page = await reply.text()

    assert reply.status == 200
    assert "2,000" in page or "2000" in page


async def test_the_filters_offer_what_there_is(http, make_server, upstream):
    """Those who can be asked, the collections; nothing is searched for an empty box."""
    server = await make_server(
        "tavily", "brave", "local", "exa", env={"BRAVE_API_KEY": "", "EXA_ENABLED": "0"}
    )
    await server.client.index.add([Document("file:///a", "A", "otters")], "notes")

    page = await get(http, f"{server.url}/?language=ja")

    offered = {
        name: re.findall(r'<option value="([^"]*)"( selected)?>', options)
        for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', page, re.DOTALL)
    }
    assert [value for value, _ in offered["route"]] == ["", "all", "local", "tavily"]
    assert [value for value, _ in offered["collection"]] == ["", "notes"]
    assert [value for value, chosen in offered["language"] if chosen] == ["ja"]
    assert upstream.requests == []


async def test_a_page_opens_while_its_index_hangs_or_is_broken(
    http, make_server, clock, monkeypatch
):
    """It offers no collections then; the search itself says what is wrong."""
    server = await make_server("tavily")
    hangs = asyncio.Event()

    async def hang(index: Index) -> list[str]:
        hangs.set()
        return await asyncio.get_running_loop().create_future()

    async def fail(index: Index) -> list[str]:
        raise IndexFault("broken")

    monkeypatch.setattr(Index, "collections", hang)
    opening = asyncio.create_task(get(http, f"{server.url}/"))
    await hangs.wait()
    clock.advance(2)
    slow = await opening
    monkeypatch.setattr(Index, "collections", fail)
    broken = await get(http, f"{server.url}/")

    for page in (slow, broken):
        assert 'name="q"' in page
        assert 'name="collection"' not in page


async def test_the_page_is_in_japanese_for_who_reads_it(http, server):
    """By the browser's languages, or by the switch, which is remembered."""
    by_header = await get(http, f"{server.url}/", **{"Accept-Language": "xx;q=0.9, ja;q=0.8"})
    switched = await get(http, f"{server.url}/?language_of_page=ja")
    remembered = await get(http, f"{server.url}/")

    for page in (by_header, switched, remembered):
        assert '<html lang="ja"' in page
        assert "何を探しますか" in page


async def test_the_page_is_in_a_third_language_when_there_is_a_file(http, server, machine):
    """It is offered beside the others; what is not translated stays English."""
    (machine / "locale").mkdir(parents=True)
    header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
    name = (
        'msgctxt "the name of this language, in this language"\nmsgid "English"\nmsgstr "Deutsch"'
    )
    title = 'msgid "What would you like to find?"\nmsgstr "Was suchen Sie?"'
    text = "\n\n".join((header, name, title))
    (machine / "locale" / "qaa.po").write_text(text + "\n", encoding="utf-8")

    english = await get(http, f"{server.url}/")
    german = await get(http, f"{server.url}/?language_of_page=qaa")

    offered = [
        re.findall(r'hreflang="(\w+)" lang="\w+">([^<]+)<', page) for page in (english, german)
    ]
    assert {("qaa", "Deutsch"), ("ja", "日本語")} <= set(offered[0])
    assert {("en", "English"), ("ja", "日本語")} <= set(offered[1])
    assert '<html lang="qaa"' in german
    assert "Was suchen Sie?" in german
    assert "My collections only" in german


async def test_a_theme_is_in_the_first_byte_of_the_page(http, server):
    """So that nothing flashes."""
    await get(http, f"{server.url}/?theme=dark")

    assert '<html lang="en" data-theme="dark">' in await get(http, f"{server.url}/")
    assert '<html lang="en" data-theme="light">' in await get(http, f"{server.url}/?theme=light")
    assert '<html lang="en">' in await get(http, f"{server.url}/?theme=pink")


async def test_pages_have_a_strict_policy(http, server):
    """No inline script or style, nothing from elsewhere, in no frame."""
    async with http.get(f"{server.url}/") as reply:
        policy, page = reply.headers["content-security-policy"], await reply.text()

    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r'\sstyle=|\son\w+=|(?:src|href)="http', page)
