"""Errors as statuses, bodies that have a bound, and work that ends with its client."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from kensaku.database.tables import API_KEYS
from kensaku.testing import faults
from tests.search.support import until

MIB = 2**20


async def test_a_search_ends_when_its_client_hangs_up(make_server, http, upstream):
    """Its slot is free again, long before the search would end by itself."""
    server = await make_server(timeout=90)
    upstream.fails("tavily", faults.hang())
    asking = asyncio.create_task(http.post(f"{server.url}/search", json={"query": "otters"}))
    await until(lambda: upstream.asked("tavily"))
    assert server.state.admission.running == 1
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    await until(lambda: server.state.admission.running == 0)
    assert len(upstream.asked("tavily")) == 1
    upstream.heals("tavily")
    reply = await http.post(f"{server.url}/search", json={"query": "kelp"})
    assert reply.status_code == 200


async def test_a_second_request_on_a_connection_does_not_end_the_first(server, upstream):
    """What a client sends meanwhile is not taken for its leaving."""
    upstream.fails("tavily", faults.delay(0.2), times=1)
    host, _, port = server.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    one = (
        b'POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 19\r\n\r\n{"query": "otters"}'
    )
    writer.write(one)
    await until(lambda: upstream.asked("tavily"))
    writer.write(one.replace(b"Host", b"Connection: close\r\nHost"))
    async with asyncio.timeout(60):
        said = await reader.read()
    writer.close()

    assert said.count(b"HTTP/1.1 200") == 2


async def test_a_document_may_be_larger_than_fields(http):
    """Twenty mebibytes, and four; not a byte more."""
    for method, path, most in (
        ("POST", "/search", 4 * MIB), ("PUT", "/openwebui/process", 20 * MIB),
    ):  # fmt: skip
        padded = b'{"query": "otters"}'.ljust(most)
        headers = {"Content-Type": "text/plain" if method == "PUT" else "application/json"}
        for more, refused in ((b"", False), (b" ", True)):
            reply = await http.request(method, path, content=padded + more, headers=headers)
            assert (reply.status_code == 413) is refused, path


@pytest.mark.parametrize(
    ("path", "body", "status", "told"),
    [
        ("/search", {"query": "otters", "topic": "sport"}, 400, "detail"),
        ("/exa/search", {"query": ""}, 400, "error"),
        ("/v2/search", {"query": ""}, 400, "error"),
        ("/v2/scrape", {"url": "http://127.0.0.1:1/"}, 422, "error"),  # it cannot be read
        ("/openwebui/search", {"query": ""}, 400, "detail"),
        ("/res/v1/web/search", None, 422, "error"),  # Brave's own status for it
    ],
)
async def test_an_error_is_told_as_the_wire_tells_it(http, path, body, status, told):
    """With the status and the member that the vendor's clients know."""
    reply = await (http.post(path, json=body) if body else http.get(path))

    assert reply.status_code == status
    assert reply.json()[told]


async def test_while_the_database_fails_nobody_is_known(server, make_key, http):
    """A key cannot be checked then: 503, and neither let in nor told that it is wrong."""
    key = await make_key(server)
    async with server.state.database.write() as connection:
        await connection.execute(text(f"ALTER TABLE {API_KEYS.name} RENAME TO hidden"))

    for secret in (key, "ksk_" + "x" * 32):
        reply = await http.post(
            "/search", json={"query": "otters"}, headers={"Authorization": f"Bearer {secret}"}
        )
        assert reply.status_code == 503
        assert "ksk" not in reply.text
