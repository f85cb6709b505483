"""What every call of the page's API has in common: who may make it, what it takes and returns."""

from __future__ import annotations

import io

import pytest

from tests.server.page_client import PageClient, browsing

LOOKS = [
    "GET /api/chat", "GET /api/chat/0123456789abcdef", "GET /api/chat/0123456789abcdef/events",
    "GET /api/collections", "GET /api/providers", "GET /api/usage", "GET /api/jobs",
]  # fmt: skip
CHANGES = [
    "POST /api/search", "POST /api/chat", "POST /api/chat/0123456789abcdef",
    "DELETE /api/chat/0123456789abcdef", "POST /api/chat/0123456789abcdef/reply",
    "POST /api/chat/0123456789abcdef/cancel", "POST /api/pages", "POST /api/context",
    "POST /api/collections/notes/files", "POST /api/collections/notes/documents",
    "DELETE /api/collections/notes/documents", "DELETE /api/collections/notes",
    "POST /api/collections/notes/sites", "POST /api/compare", "POST /api/jobs/watch",
    "POST /api/jobs/crawl-1/cancel", "POST /api/jobs/crawl-1/resume",
]  # fmt: skip
ADMINS = ["POST /api/providers/tavily/reset", "GET /api/keys", "POST /api/keys",
          "DELETE /api/keys/id"]  # fmt: skip


async def status_of(page: PageClient, call: str, **headers: str) -> int:
    """The status of a call without a body, which says why it is refused."""
    method, path = call.split()
    async with page.http.request(method, page.url + path, headers=headers) as reply:
        if reply.status != 200:
            assert (await reply.json())["error"]["message"]
            assert reply.headers["cache-control"] == "no-store"
        return reply.status


async def test_with_keys_every_call_needs_one_and_some_an_admins(server, make_key):
    """Watching is no exception; who has none is told how to send one."""
    ben = {"Authorization": f"Bearer {await make_key(server, 'ben')}"}
    async with browsing(server.url) as page:
        for call in LOOKS + CHANGES + ADMINS:
            assert await status_of(page, call) == 401, call
        for call in ADMINS:
            assert await status_of(page, call, **ben) == 403, call
        assert await status_of(page, "GET /api/collections", **ben) == 200
        refused = await page.call("GET", "/api/keys", **ben)
        stranger = await page.call("GET", "/api/usage")

    assert refused["error"]["type"] == "Forbidden"
    assert "Authorization: Bearer" in stranger["error"]["message"]


async def test_every_change_needs_the_token_of_the_page(page):
    """Also on a machine without keys: any site could have the browser send it."""
    await page.get()
    own = {"Origin": page.url, "Sec-Fetch-Site": "same-origin"}
    for call in CHANGES + [call for call in ADMINS if not call.startswith("GET")]:
        assert await status_of(page, call, **own) == 403, call
    assert await status_of(page, "GET /api/keys") == 200


async def test_a_body_has_the_bound_of_its_call(page):
    """A file may be larger than JSON."""
    sizes = {
        "/api/compare": [(4 << 20, 400), ((4 << 20) + 1, 413)],
        "/api/collections/notes/files": [(5 << 20, 400), ((20 << 20) + 1, 413)],  # no name
    }
    head = await page.headers()
    for path, bounds in sizes.items():
        for size, status in bounds:
            async with page.http.post(
                page.url + path, data=io.BytesIO(b" " * size), headers=head
            ) as reply:
                assert reply.status == status, (path, size)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("text/plain", "the body must be application/json"),
        ("application/json-x", "the body must be application/json"),
        ("", "the body must be application/json"),
        ("Application/JSON ; charset=utf-8", "routes must be a list of texts"),
    ],
)
async def test_changes_are_json(page, kind, says):
    """A form of another site cannot send JSON without being asked."""
    head = {**await page.headers(), "Content-Type": kind}
    body = b'{"q": "x", "routes": ["tavily", 5]}'
    async with page.http.post(f"{page.url}/api/compare", data=body, headers=head) as reply:
        assert (reply.status, (await reply.json())["error"]["message"]) == (400, says)


async def test_a_stream_that_fails_says_so_as_its_last_event(page):
    """It is neither stored nor held back by a proxy on its way, and takes no slot."""
    address = f"{page.url}/api/chat/0123456789abcdef/events"
    async with page.http.get(address) as reply:
        assert (reply.status, reply.content_type) == (200, "text/event-stream")
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-accel-buffering"] == "no"
        name, data = (await reply.text()).splitlines()[:2]

    assert name == "event: failed"
    assert '"type":"NoConversation"' in data


async def test_who_only_watches_takes_no_slot(server, page, upstream):
    """A page that is open all day is no request that is under way."""
    begun = await page.call("POST", "/api/chat", {"text": "otters", "ask_first": True})
    async with page.http.get(f"{page.url}/api/chat/{begun['id']}/events") as reply:
        await reply.content.readline()
        assert server.state.admission.running == 0
    await page.call("DELETE", f"/api/chat/{begun['id']}")
