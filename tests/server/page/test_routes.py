"""The pages' addresses: signing in and out, cookies, static files, errors."""

from __future__ import annotations

from tests.server.page_client import browsing

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


async def form(page, path: str, fields: dict | bytes, origin: str | None = None):
    """What a form of the page is answered with: status, headers and body."""
    head = {"Origin": origin or page.url, "Content-Type": "application/x-www-form-urlencoded"}
    async with page.http.post(
        page.url + path, data=fields, headers=head, allow_redirects=False
    ) as reply:
        return reply.status, reply.headers, await reply.text()


async def test_signing_in_and_out(make_server, make_key):
    """A session in a cookie that no script reads; it ends here and in the browser."""
    server = await make_server("tavily")
    secret = await make_key(server, "bob")
    async with browsing(server.url) as page:
        asked = await page.get("/page/usage?by=key")
        assert 'name="back" value="/page/usage?by=key"' in asked
        token = (await page.headers())["X-Kensaku-Token"]
        wrong = await form(page, "/page/sign-in", {"token": token, "key": "ksk_no", "back": "/x"})
        right = await form(page, "/page/sign-in", {"token": token, "key": f" {secret} "})
        cookie = right[1].getall("Set-Cookie")[0]
        shown = await page.get("/page/usage")
        assert page.status == 200
        token = (await page.headers())["X-Kensaku-Token"]
        out = await form(page, "/page/sign-out", {"token": token})
        await page.get("/page/usage")
        assert page.status == 401

    assert wrong[0] == 401
    assert "not known here" in wrong[2]
    assert 'name="back" value="/x"' in wrong[2]
    assert "not known here" not in asked
    assert (right[0], right[1]["Location"]) == (303, "/")
    assert {n: right[1].get(n) for n in HEADERS} == HEADERS
    for part in ("HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=strict"):
        assert part in cookie
    assert "Secure" not in cookie
    assert secret not in cookie
    assert "Usage" in shown
    assert (out[0], out[1]["Location"]) == (303, "/")
    gone = next(c for c in out[1].getall("Set-Cookie") if c.startswith("kensaku_session="))
    assert "Max-Age=0" in gone
    for part in ("HttpOnly", "Path=/", "SameSite=strict"):
        assert part in gone


async def test_who_signs_in_is_sent_back_to_a_path_of_this_server(server, make_key):
    """Or to the start: no link of a stranger leads elsewhere by signing in."""
    secret = await make_key(server, "bob")
    own = ["/page/usage?by=key", "/" + "x" * 1_998]
    foreign = ["https://evil.example", "//evil.example", "/\\evil.example", "/a\\b", "/a\nb",
               "javascript:x", "a", "", "/" + "x" * 1_999]  # fmt: skip
    async with browsing(server.url) as page:
        token = (await page.headers())["X-Kensaku-Token"]
        for back in own + foreign:
            sent = {"token": token, "key": secret, "back": back}
            status, headers, _ = await form(page, "/page/sign-in", sent)
            assert (status, headers["Location"]) == (303, back if back in own else "/")
            page.http.cookie_jar.clear()
            token = (await page.headers())["X-Kensaku-Token"]


async def test_a_form_of_the_chat_is_answered_in_the_frame_of_the_page(server, make_key):
    """Who has not signed in does so first; what cannot be is said there."""
    secret = await make_key(server, "bob")
    async with browsing(server.url) as page:
        token = (await page.headers())["X-Kensaku-Token"]
        stranger = await form(page, "/chat", {"token": token, "text": "Otters?"})
        await page.sign_in(secret)
        token = (await page.headers())["X-Kensaku-Token"]
        lost = await form(page, "/chat/0123456789abcdef", {"token": token, "do": "delete"})
        empty = await form(page, "/chat", {"token": token, "text": ""})

    assert (stranger[0], 'name="back" value="/chat"' in stranger[2]) == (401, True)
    assert (lost[0], empty[0]) == (404, 400)
    assert "there is no such conversation here" in lost[2].lower()
    for status, headers, body in (stranger, lost, empty):
        assert headers["content-security-policy"] == POLICY, status
        assert 'href="/page/static/page.css"' in body


async def test_a_form_that_is_too_large_or_not_of_the_page_is_one_sentence(make_server):
    """Without the words of a reader of whom nothing is known."""
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        token = (await page.headers())["X-Kensaku-Token"]
        start = f"token={token}&key="
        fits = await form(page, "/page/sign-in", (start + "x" * (10_000 - len(start))).encode())
        large = await form(page, "/page/sign-in", (start + "x" * (10_001 - len(start))).encode())
        talk = await form(page, "/chat", b"text=" + b"x" * 50_000)
        foreign = [
            await form(page, path, {"token": token}, "http://evil.example")
            for path in ("/page/sign-in", "/page/sign-out", "/chat")
        ]

    assert fits[0] == 401  # no such key
    assert large[0] == talk[0] == 413
    assert "10,000 bytes" in large[2]
    assert "50,000 bytes" in talk[2]
    for status, headers, body in foreign:
        assert status == 403
        assert headers["content-security-policy"] == POLICY
        assert "did not come from the page" in body


async def test_choices_of_the_reader_are_remembered_for_a_year(make_server):
    """If they are words."""
    server = await make_server("tavily")
    async with browsing(server.url, owner=False) as page:
        async with page.http.get(f"{page.url}/?theme=dark&language_of_page=ja") as reply:
            named = {c.partition("=")[0]: c for c in reply.headers.getall("Set-Cookie")}
        async with page.http.get(f"{page.url}/?theme=twelveletter&language_of_page=a%20b") as reply:
            odd = reply.headers.getall("Set-Cookie", [])
        async with page.http.get(f"{page.url}/?theme=ninechars") as reply:
            nine = reply.headers.getall("Set-Cookie", [])
            headers = {n.lower(): v for n, v in reply.headers.items()}

    assert named["kensaku_theme"] == ("kensaku_theme=dark; Max-Age=31536000; Path=/; SameSite=lax")
    assert named["kensaku_language"] == (
        "kensaku_language=ja; Max-Age=31536000; Path=/; SameSite=lax"
    )
    assert "kensaku_session" in named
    assert odd == []
    assert [c.partition(";")[0] for c in nine] == ["kensaku_theme=ninechars"]
    assert HEADERS.items() <= headers.items()


async def test_browsers_can_add_the_search_and_update_what_is_static(make_server):
    """The address in the description is the one that was asked."""
    server = await make_server("tavily")
    async with browsing(server.url) as page:
        async with page.http.get(f"{page.url}/page/opensearch.xml") as reply:
            described = await reply.text()
            kind = reply.headers["content-type"]
        async with page.http.get(f"{page.url}/page/static/page.css") as reply:
            static = reply.status, reply.headers.get("cache-control")

    assert described == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">\n'
        "<ShortName>Kensaku</ShortName><InputEncoding>UTF-8</InputEncoding>\n"
        f'<Url type="text/html" template="{server.url}/?q={{searchTerms}}"/>\n'
        "</OpenSearchDescription>"
    )
    assert kind == "application/opensearchdescription+xml"
    assert static == (200, "no-cache")


async def test_a_view_for_admins_says_so_to_others(make_server, make_key):
    """And is not in their menu."""
    server = await make_server("tavily")
    bob = await make_key(server, "bob")
    root = await make_key(server, "root", admin=True)
    async with browsing(server.url) as page:
        refused = await page.get("/page/keys", Authorization=f"Bearer {bob}")
        assert page.status == 403
        shown = await page.get("/page/keys", Authorization=f"Bearer {root}")
        assert page.status == 200
        lost = await page.get("/chat/0123456789abcdef", Authorization=f"Bearer {bob}")
        assert page.status == 404
        async with page.http.get(f"{page.url}/chat/0123456789abcdef/export.md") as reply:
            assert reply.status == 401
            assert 'name="back" value="/chat/0123456789abcdef/export.md"' in await reply.text()

    assert 'href="/page/keys"' not in refused
    assert 'href="/page/keys"' in shown
    assert "there is no such conversation here" in lost.lower()
