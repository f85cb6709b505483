"""What the fake upstream receives and sends, byte for byte."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.testing import FakeUpstream, faults
from kensaku.testing._wire import ReceivedRequest

REQUEST = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_request_is_read_as_it_came():
    """Names of headers in lower case; empty parameters count; of a repeated name, the last."""
    seen = ReceivedRequest(
        b"POST /exa/a%20b?q=x+y&q=z&empty= HTTP/1.1\r\nHost: x\r\nX-Odd:  a:b \r\n\r\n",
        b"name=A+B&none=",
    )

    assert (seen.method, seen.provider, seen.path) == ("POST", "exa", "/exa/a b")
    assert seen.target == "/exa/a%20b?q=x+y&q=z&empty="
    assert seen.param_list == [("q", "x y"), ("q", "z"), ("empty", "")]
    assert seen.params == {"q": "z", "empty": ""}
    assert seen.headers == {"host": "x", "x-odd": "a:b"}
    assert seen.form == {"name": "A B", "none": ""}
    assert repr(seen) == "<POST /exa/a b>"
    assert ReceivedRequest(b"GET /exa?q=1 HTTP/1.1\r\n\r\n", b"").provider == "exa"
    assert ReceivedRequest(b"GET / HTTP/1.1\r\n\r\n", b"").json is None
    assert ReceivedRequest(b"GET / HTTP/1.1\r\n\r\n", b"[1]").json == [1]


async def exchange(upstream, sent: bytes) -> bytes:
    """Everything that comes back until the upstream closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(upstream.url.rsplit(":", 1)[1]))
    writer.write(sent)
    if not upstream._plans:
        writer.write_eof()
    found = await reader.read()
    writer.close()
    return found


async def test_what_it_does_not_have_is_404(upstream):
    """With a body that says whose it is."""
    assert await exchange(upstream, REQUEST % b"nobody/search") == (
        b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 47\r\n\r\n"
        b'{"error": "the fake upstream has nothing here"}'
    )


async def test_half_of_the_body_is_sent_and_the_whole_length_promised(upstream):
    """Whoever reads it must notice; of an empty body the head is sent."""
    upstream.serves("/page", "0123456789")
    upstream.serves("/empty", "")
    upstream.fails("empty", faults.half())
    upstream.fails("page", faults.half())

    assert await exchange(upstream, REQUEST % b"page") == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n01234"
    )
    assert await exchange(upstream, REQUEST % b"empty") == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
    )


async def test_a_reset_is_a_reset(upstream):
    """Not an orderly end."""
    upstream.fails("*", faults.reset())

    with pytest.raises(ConnectionResetError):
        await exchange(upstream, REQUEST % b"exa/search")


def _status(upstream: FakeUpstream, target: str) -> int:
    head = f"GET {target} HTTP/1.1\r\n\r\n".encode()
    return int(upstream.respond(ReceivedRequest(head, b""))[0].split(b" ")[1])


def test_the_latest_requests_are_kept():
    """A benchmark sends millions."""
    upstream = FakeUpstream(keep=2)

    for n in range(3):
        _status(upstream, f"/{n}")

    assert [r.target for r in upstream.requests] == ["/1", "/2"]
    assert len(upstream.asked("2")) == 1


def test_who_has_no_nothing_of_its_own_has_nothing_here():
    """A fault for everyone also meets pages."""
    upstream = FakeUpstream()
    upstream.serves("/page", "x")
    upstream.fails("*", faults.empty())

    assert [_status(upstream, path) for path in ("/page", "/exa/search")] == [404, 200]
