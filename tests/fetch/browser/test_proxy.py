"""The browser's proxy, without a browser."""

from __future__ import annotations

import asyncio
from base64 import b64encode

import pytest

from kensaku.fetch.browser.proxy import Proxy
from kensaku.fetch.limits import FetchLimits
from tests.fetch.web import sends, whole


async def ask(proxy, text):
    """Send bytes to a proxy, and read what comes until it closes."""
    given = b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
    host, port = proxy.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(text.format(auth=f"Proxy-Authorization: Basic {given}").encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize(
    "request_line",
    ["CONNECT 127.0.0.1:443", "CONNECT [::1]:443", "CONNECT inside.test:443", "CONNECT :443",
     "CONNECT 0x7f.1:80", "CONNECT public.test", "GET http://127.0.0.1/", "GET /",
     "GET http://inside.test/", "GET ftp://public.test/", "POST http://[::1]/",
     "CONNECT public.test:22", "CONNECT none.test:443"],
)  # fmt: skip
async def test_the_proxy_refuses_with_one_answer(web, request_line):
    """Whatever was wrong with it."""
    web.names["inside.test"] = ["10.0.0.1"]
    async with Proxy(web.transport(), 10**6) as proxy:
        answer = await ask(proxy, request_line + " HTTP/1.1\r\n{auth}\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0")
    assert web.dialled == []


async def test_the_proxy_is_for_its_page_alone(web):
    """Other programs on the machine do not know the secret."""
    async with Proxy(web.transport(), 10**6) as proxy:
        answer = await ask(proxy, "GET http://public.test/ HTTP/1.1\r\n\r\n")
    assert b" 407 " in answer
    assert web.dialled == []


@pytest.mark.parametrize("host", ["public.test", "PUBLIC.test", "[2606:4700::1111]", "8.8.8.8"])
async def test_the_proxy_opens_tunnels_to_public_hosts(web, host):
    """By name, and by address of either kind."""

    async def once(writer, request):
        writer.write(whole(200, {"Connection": "close"}, b"hello"))
        writer.close()

    web.pages["/"] = once
    text = f"CONNECT {host}:443 HTTP/1.1\r\n{{auth}}\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"
    async with Proxy(web.transport(), 10**6) as proxy:
        answer = await ask(proxy, text)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 Status")
    assert answer.endswith(b"hello")
    assert len(web.dialled) == 1


async def test_the_proxy_carries_one_request_and_no_second(web):
    """What follows on the same connection may be for another host: it is not sent to this one."""
    web.pages |= {"/a": "first", "/b": "second"}
    line = "GET http://public.test/{path} HTTP/1.1\r\nHost: public.test\r\nProxy-Connection: x\r\n"
    both = "".join(line.replace("{path}", path) + "{auth}\r\n\r\n" for path in "ab")
    async with Proxy(web.transport(), 10**6) as proxy:
        answer = await ask(proxy, both)
    assert b"first" in answer
    assert b"Connection: close" in answer
    assert [request.path for request in web.seen] == ["/a"]
    assert not any(name.startswith("proxy") for name in web.seen[0].headers)


async def test_the_proxy_has_a_budget(web):
    """A page may load so many bytes, in all its connections together."""
    web.pages["/"] = b"x" * 500_000
    async with Proxy(web.transport(), 200_000) as proxy:
        answer = await ask(proxy, "GET http://public.test/ HTTP/1.1\r\n{auth}\r\n\r\n")
        assert len(answer) <= 200_000


@pytest.mark.parametrize(
    ("method", "head", "body"),
    [
        ("GET", b"200 OK\r\ncontent-length:\t7 ", b"the end"),
        ("HEAD", b"200 OK\r\nContent-Length: 12", b""),
        ("GET", b"204 No", b""),
        ("GET", b"304 No\r\nContent-Length: 12", b""),
    ],
)
async def test_a_response_ends_though_its_server_keeps_the_connection(web, method, head, body):
    """By its length, or at once when it has no body."""

    async def keep(writer, request):
        writer.write(b"HTTP/1.1 " + head + b"\r\n\r\n" + body)
        await asyncio.Event().wait()

    web.pages["/"] = keep
    line = f"{method} http://public.test/ HTTP/1.1\r\nHost: x\r\n{{auth}}\r\n\r\n"
    patient = web.transport(FetchLimits(total=900))
    async with asyncio.timeout(60), Proxy(patient, 10**6) as proxy:
        answer = await ask(proxy, line)

    assert answer.endswith(b"\r\nConnection: close\r\n\r\n" + body)


async def test_a_response_in_chunks_is_read_until_its_server_closes(web):
    """Whatever it says of its length."""
    body = b"2\r\nhi\r\n0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
    web.pages["/"] = sends(head + body)
    async with Proxy(web.transport(), 10**6) as proxy:
        answer = await ask(proxy, "GET http://public.test/ HTTP/1.1\r\nHost: x\r\n{auth}\r\n\r\n")

    assert answer.endswith(body)


async def test_a_body_is_sent_and_hosts_that_were_refused_are_remembered(web):
    """With the address that was asked for."""
    web.pages["/"] = "hello"
    web.names["inside.test"] = ["10.0.0.1"]
    post = "POST http://public.test/?q=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nKeep-Alive: 5\r\n{auth}\r\n\r\ntextmore"
    async with Proxy(web.transport(), 10**6) as proxy:
        answer = await ask(proxy, post)
        await ask(proxy, "CONNECT Inside.test:443 HTTP/1.1\r\n{auth}\r\n\r\n")
        await ask(proxy, "CONNECT [::1]:443 HTTP/1.1\r\n{auth}\r\n\r\n")
        assert proxy.refused == {"inside.test", "::1"}
        assert proxy.spent > len("text") + len("hello")
        assert proxy.username == "kensaku"
        assert len(proxy.password) == 32

    assert answer.endswith(b"\r\nConnection: close\r\n\r\nhello")
    [seen] = web.seen
    assert seen.path == "/"
    assert seen.headers["connection"] == "close"
    assert "keep-alive" not in seen.headers
