"""Without keys, no page of another site makes a browser search here: money would be spent."""

from __future__ import annotations

from itertools import product

ORIGINS = ["https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost:1"]
SIMPLE = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]


async def test_a_form_or_a_simple_request_is_refused(server, http, upstream):
    """A browser sends these without asking first."""
    for origin, kind in product(ORIGINS, SIMPLE):
        headers = {"Origin": origin, **({"Content-Type": kind} if kind else {})}
        reply = await http.post(
            f"{server.url}/search", headers=headers, content=b'{"query": "otters"}'
        )
        assert reply.status_code == 403, headers
    assert not upstream.requests


async def test_an_image_of_another_site_searches_nothing(http, upstream):
    """It has no origin, but a browser says where it stands."""
    paths = ["/search?q=x&format=json", "/jina/s/?q=x", "/jina/r/x.example",
             "/gpt-researcher?query=x", "/res/v1/web/search?q=x"]  # fmt: skip
    for path, site in product(paths, ("cross-site", "same-site")):
        reply = await http.get(path, headers={"Sec-Fetch-Site": site})
        assert reply.status_code == 403, path
    assert not upstream.requests


async def test_a_program_and_our_own_page_are_answered(server, http):
    """Neither is foreign."""
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    for headers in ({}, own, {"Sec-Fetch-Site": "none"}):
        reply = await http.post(f"{server.url}/search", headers=headers, json={"query": "otters"})
        assert reply.status_code == 200
