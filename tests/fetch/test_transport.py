"""One hop: what is sent, what comes back, and what a name may lead to."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Any

import pytest

from kensaku.errors import AddressRefused, PageUnavailable, TooLarge
from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.transport import PageTransport
from kensaku.transport.guard import AddressGuard
from tests.fetch.web import Web, sends, whole

URL = "http://public.test/"
ERROR_BYTES = 262_144


async def test_a_response_is_read_whole(web):
    """Header names in lower case, repeated ones joined; the target of a redirect is no part."""
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Two: a\r\nx-two: b\r\n\r\nhello"
    web.pages["/"] = sends(body)

    page = await web.transport().get(URL)

    assert (page.url, page.status, page.body, page.location) == (URL, 200, b"hello", None)
    assert page.headers == {"content-length": "5", "x-two": "a, b"}
    assert repr(page) == f"PageResponse(url={URL!r}, status=200, location=None)"


@pytest.mark.parametrize(
    ("options", "agent"), [({}, "Kensaku"), ({"user_agent": "Otter"}, "Otter")]
)
async def test_a_request_says_who_asks_and_what_can_be_read(web, options, agent):
    """With the headers of the caller."""
    web.pages["/"] = "hello"

    await web.transport(**options).get(URL, {"If-None-Match": "x"})

    [seen] = web.seen
    assert seen.headers.pop("accept-encoding").startswith("gzip, deflate")
    assert seen.headers == {
        "host": "public.test",
        "user-agent": agent,
        "accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "if-none-match": "x",
    }


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_says_where_it_leads_and_is_not_followed(web, status):
    """As a whole address; its body is not read."""
    web.pages["/"] = (status, {"Location": "/b?x=1"}, b"moved")

    page = await web.transport().get(URL + "?y=2")

    assert (page.status, page.location, page.body) == (status, URL + "b?x=1", b"")
    assert len(web.seen) == 1


@pytest.mark.parametrize(
    ("status", "headers"), [(300, {"Location": "/b"}), (201, {"Location": "/b"}), (302, {})]
)
async def test_what_only_resembles_a_redirect_is_a_page(web, status, headers):
    """Another status, or no target."""
    web.pages["/"] = (status, headers, b"text")

    page = await web.transport().get(URL)

    assert (page.status, page.location, page.body) == (status, None, b"text")


async def test_a_redirect_to_what_is_no_address_is_refused(web):
    """It is said what is wrong."""
    web.pages["/"] = (302, {"Location": "http://[half"}, b"")

    with pytest.raises(AddressRefused, match="leads to what is not a web address"):
        await web.transport().get(URL)


@pytest.mark.parametrize(
    ("fields", "size", "problem"),
    [
        (100, 4_000, None),
        (101, 4_000, "the answer has too many headers"),
        (10, 65_536, None),
        (10, 65_537, "the answer has too much besides the page"),
    ],
)
async def test_headers_have_two_bounds(web, fields, size, problem):
    """So many fields, and so many bytes."""
    names = {f"x{n:03}": "y" for n in range(fields - 3)}
    rest = size - len(whole(200, names | {"last": ""}, b""))
    web.pages["/"] = (200, names | {"last": "z" * rest}, b"")

    if problem is None:
        assert len((await web.transport().get(URL)).headers) == fields
    else:
        with pytest.raises(TooLarge, match=problem):
            await web.transport().get(URL)


async def test_only_the_beginning_of_an_error_page_is_read(web):
    """Enough to recognise a challenge; a page that is no error is whole or refused."""
    small = web.transport(FetchLimits(decoded=10))
    for status, longest in ((399, 10), (400, ERROR_BYTES)):
        web.pages["/"] = (status, {}, b"x" * longest)
        assert len((await small.get(URL)).body) == longest
        web.pages["/"] = (status, {}, b"x" * (longest + 1))
        if status < 400:
            with pytest.raises(TooLarge):
                await small.get(URL)
        else:
            assert 0 < len((await small.get(URL)).body) < longest


async def test_behind_a_proxy_names_that_can_only_be_inside_are_refused(web):
    """An empty setting is no proxy."""
    with pytest.raises(AddressRefused):
        web.transport(proxy="http://proxy.corp:3128").check_url("http://intranet/")
    assert str(web.transport(proxy="").check_url("http://intranet/")) == "http://intranet/"


@pytest.mark.parametrize(
    "found", [["93.184.215.14", "10.0.0.1"], ["10.0.0.1"], [], UnicodeError, TimeoutError, OSError]
)
async def test_a_name_with_one_inside_address_or_none_is_refused(web, found):
    """With the same words, before any socket is made."""

    async def lookup(host: str, port: int) -> list[str]:
        if isinstance(found, type):
            raise found
        return found

    transport = PageTransport(lookup=lookup, make_socket=web.make_socket)
    messages = set()
    for ask in (transport.get(URL), transport.tunnel("public.test", 80, "http")):
        with pytest.raises(AddressRefused) as caught:
            await ask
        messages.add(caught.value.message)
    await transport.close()

    assert len(messages) == 1
    assert web.dialled == []


async def test_a_slow_name_server_is_given_up_like_an_inside_address(web):
    """Who waits longer would learn which names exist."""

    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    limits = FetchLimits(connect=0.002, first_byte=0.002)
    transport = PageTransport(limits=limits, lookup=never, make_socket=web.make_socket)
    for ask in (transport.get(URL), transport.tunnel("public.test", 80, "http")):
        with pytest.raises(AddressRefused):
            await ask
    await transport.close()


async def test_a_server_that_says_nothing_is_given_up(web, clock):
    """After the time for the connection and the first byte together; it is no refusal."""

    async def silent(writer, request):
        clock.advance(15.1)
        await request.gone()

    web.pages["/"] = silent
    with pytest.raises(PageUnavailable, match="the server took too long to answer"):
        await web.transport().get(URL)


class Unreachable:
    """Sockets that cannot be connected to some addresses."""

    def __init__(self, port: int, addresses: set[str]) -> None:
        self.made: list[socket.socket] = []
        self.dialled: list[str] = []
        outer = self

        class Checked(socket.socket):
            def connect(self, address: Any) -> None:
                outer.dialled.append(address[0])
                if address[0] in addresses:
                    raise OSError(errno.ECONNREFUSED, "refused")
                super().connect(("127.0.0.1", port))

        self._kind = Checked

    def make_socket(self, family: int, kind: int, proto: int) -> socket.socket:
        self.made.append(self._kind(family, kind, proto))
        return self.made[-1]


ADDRESSES = ["93.184.215.14", "93.184.215.15", "93.184.215.14"]


async def test_a_tunnel_tries_the_next_address(web):
    """Each once; a socket that could not be connected is closed."""
    sockets = Unreachable(web.port, {ADDRESSES[0]})
    web.names["public.test"] = ADDRESSES
    transport = PageTransport(lookup=web.lookup, make_socket=sockets.make_socket)

    _, writer = await transport.tunnel("[PUBLIC.test]", 80, "http")

    assert web.lookups == ["public.test"]
    assert sockets.dialled == ADDRESSES[:2]
    assert [s.fileno() == -1 for s in sockets.made] == [True, False]
    writer.close()
    await writer.wait_closed()


async def test_a_tunnel_that_reaches_no_address_is_refused(web):
    """And leaves no socket open."""
    sockets = Unreachable(web.port, set(ADDRESSES))
    web.names["public.test"] = ADDRESSES
    transport = PageTransport(lookup=web.lookup, make_socket=sockets.make_socket)

    with pytest.raises(AddressRefused):
        await transport.tunnel("public.test", 80, "http")

    assert [s.fileno() for s in sockets.made] == [-1, -1]


async def test_the_systems_resolver_and_sockets_are_used_by_default():
    """After closing, too."""
    async with Web({"/": "hello"}) as web:
        transport = PageTransport(AddressGuard.allowing(["127.0.0.0/8", "::1"], None))
        for _ in range(2):
            page = await transport.get(f"http://localhost:{web.port}/")
            assert page.body == b"hello"
            await transport.close()
