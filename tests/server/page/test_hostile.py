"""Strangers: payloads in everything that is shown, and requests of other sites."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import product
from urllib.parse import quote

from kensaku.database.keys import create_key
from kensaku.models import Document, Hit
from tests.server.page import xss
from tests.server.page.conftest import needs_chromium
from tests.server.page_client import browsing

RAN = "window.hacked === 1"


class Elements(HTMLParser):
    """The elements of a page, each with the names of its attributes; and its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[tuple[str, ...]] = set()
        self.links: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, *sorted(name for name, _ in attrs)))
        self.links |= {value or "" for name, value in attrs if name in ("href", "src", "action")}


async def test_what_strangers_write_adds_no_element_to_a_page(make_server, upstream):
    """Nor an attribute, nor a link that is none of the web: the HTML itself, without a browser."""
    server = await make_server("tavily")

    async def shown(hits: list[Hit], query: str) -> Elements:
        upstream.answers("tavily", hits)
        async with browsing(server.url) as page:
            return Elements(await page.get(f"/?n=20&q={quote(query, safe='')}"))

    prose = "Of payload {} it is said that window hacked alert text is an image."
    plain = [Hit(f"https://a{n}.example/", f"text {n}", prose.format(n)) for n in range(19)]
    usual = (await shown([*plain, Hit("none", "text", "text")], "payload text")).found
    usual |= (await shown([], "nothing")).found
    texts, urls = xss.texts(), xss.urls()
    hits = [Hit(f"https://a{n}.example/", text, text) for n, text in enumerate(texts)]
    hits += [Hit(url, f"address {n}", url) for n, url in enumerate(urls)]
    for start in range(0, len(hits), 20):
        page = await shown(hits[start : start + 20], f"payload {start} {texts[start % len(texts)]}")
        assert page.found <= usual
        assert all(link.startswith(("https://", "http://", "/", "#", "?")) for link in page.links)


@needs_chromium
async def test_a_hundred_payloads_are_inert_in_titles_snippets_and_addresses(
    make_server, upstream, open_page
):
    """None runs, none is a link that would run, and the policy has nothing to refuse."""
    texts, urls = xss.texts(), xss.urls()
    assert len(texts) + len(urls) >= 100
    hits = [Hit(f"https://a{n}.example/", text, text) for n, text in enumerate(texts)]
    hits += [Hit(url, f"address {n}", url) for n, url in enumerate(urls)]
    server = await make_server("tavily")
    page = await open_page("about:blank")
    for start in range(0, len(hits), 20):
        upstream.answers("tavily", hits[start : start + 20])
        await page.goto(f"{server.url}/?q=payload+{start}&n=20")
        assert not await page.evaluate(RAN)
        bad = "a => !/^(https?:|http:\\/\\/127|#|\\?|\\/)/.test(a.getAttribute('href'))"
        links = f"[...document.links].filter({bad}).map(a => a.outerHTML)"
        assert await page.evaluate(links) == []
        for handler in ("onerror", "onload", "onfocus", "onmouseover"):
            assert await page.locator(f"main [{handler}]").count() == 0


@needs_chromium
async def test_payloads_are_inert_in_documents_names_and_queries(make_server, open_page):
    """In what is read here, listed in a collection, uploaded, and asked for."""
    server, texts = await make_server("local"), xss.texts()
    everything = "\n\n".join(texts)
    documents = [Document(f"file:///{n}", text, f"payload {text}") for n, text in enumerate(texts)]
    await server.client.index.add([*documents, Document("file:///all", "payload", everything)], "x")
    page = await open_page(f"{server.url}/page/collections?name=x")
    assert not await page.evaluate(RAN)

    await page.goto(f"{server.url}/?q=payload&n=20&collection=x")
    for button in await page.locator("[data-read]").all():
        await button.click()
    await page.wait_for_function(
        "() => [...document.querySelectorAll('.reader')].every(r => r.children.length)"
    )
    assert not await page.evaluate(RAN)
    assert (
        await page.locator(".reader :is(script, img, iframe, svg, style, form, input)").count() == 0
    )
    for text in texts[:5] + texts[36:41]:
        await page.fill("input[name=q]", text)
        await page.press("input[name=q]", "Enter")
        await page.wait_for_selector(
            "#results[aria-busy=false] .hit, #results[aria-busy=false] .state"
        )
        assert not await page.evaluate(RAN)


@needs_chromium
async def test_payloads_are_inert_in_the_names_of_keys_and_files(make_server, open_page):
    """An admin looks at what others have called themselves."""
    server, texts = await make_server("local"), [t for t in xss.texts() if t.isprintable()]
    page = await open_page(server.url)
    for text in texts[::6]:
        await create_key(server.state.database, text[:200], admin=True)
    _, secret = await create_key(server.state.database, "admin", admin=True)
    async with browsing(server.url) as other:
        for text in texts[::12]:
            path = f"/api/collections/x/files?name={quote(text[:250], safe='')}"
            head = {"Authorization": f"Bearer {secret}"}
            async with other.http.post(server.url + path, data=b"# payload", headers=head) as reply:
                assert reply.status == 200, await reply.text()
    await page.context.set_extra_http_headers({"Authorization": f"Bearer {secret}"})
    for view in ("/page/keys", "/page/collections?name=x", "/page/usage?by=key"):
        await page.goto(server.url + view)
        assert not await page.evaluate(RAN)
        assert await page.locator("main :is(script, img, iframe)").count() == 0


FORGED = [
    {},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://other.localhost"},
]
KINDS = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/json",
]


async def test_changes_that_another_site_sends_are_refused(make_server):
    """Twenty ways, each with the reader's cookie; and again with a stolen token, but a wrong origin."""
    server = await make_server("local")
    await server.client.index.add([Document("file:///a", "a", "otters")], "notes")
    targets = [("POST", "/api/keys"), ("POST", "/page/sign-in"), ("POST", "/page/sign-out"),
               ("POST", "/api/search"), ("POST", "/chat"), ("POST", "/api/chat"),
               ("POST", "/chat/0123456789abcdef"), ("DELETE", "/api/collections/notes")]  # fmt: skip
    async with browsing(server.url) as page:
        token = (await page.headers())["X-Kensaku-Token"]
        stolen = ({}, {"X-Kensaku-Token": token})
        for (method, path), *parts, kind in product(targets, FORGED, stolen, KINDS):
            sent = {"Content-Type": kind, **parts[0], **parts[1]}
            body = b'{"name":"mallory","q":"otters"}'
            async with page.http.request(
                method, server.url + path, data=body, headers=sent
            ) as reply:
                assert reply.status == 403, (method, path, sent, await reply.text())
                assert "access-control-allow-origin" not in reply.headers
        listed = await page.call("GET", "/api/keys")
        kept = await page.call("GET", "/api/collections")

    assert listed == {"keys": []}
    assert list(kept["collections"]) == ["notes"]
