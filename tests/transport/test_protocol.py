"""The bounds on a request: the size of its head, the time it may take, and the connections."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from uvicorn.config import Config
from uvicorn.server import ServerState

from kensaku.transport.connections import Connections
from kensaku.transport.protocol import BODY_SECONDS, HEAD_SECONDS, LINGER, MAX_HEAD, BoundedProtocol

BEGIN = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "


class Connection(asyncio.Transport):
    """One end of a connection: what the server wrote."""

    written = b""
    closed = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def is_closing(self) -> bool:
        return self.closed

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def pause_reading(self) -> None:
        """It is held until it is read."""

    resume_reading = pause_reading

    def close(self) -> None:
        self.closed = True


async def empty(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def connect(bounds: Connections | None = None) -> tuple[BoundedProtocol, Connection]:
    """A connection that was just made."""
    config = Config(empty, log_config=None, lifespan="off")
    config.load()
    protocol, connection = BoundedProtocol(config, ServerState(), {}, bounds=bounds), Connection()
    protocol.connection_made(connection)
    return protocol, connection


@pytest.fixture
async def connected() -> tuple[BoundedProtocol, Connection]:
    return connect()


async def answered(protocol: BoundedProtocol) -> None:
    """Wait until the requests that were taken are answered."""
    await asyncio.gather(*protocol.tasks)


async def test_a_head_is_held_up_to_the_bound_and_refused_with_the_next_byte(connected):
    """It may come in any number of parts."""
    protocol, connection = connected
    protocol.data_received(BEGIN)
    protocol.data_received(b"a" * (MAX_HEAD - len(BEGIN)))
    assert connection.written == b""

    protocol.data_received(b"a")
    assert connection.written.startswith(b"HTTP/1.1 431 ")

    protocol.data_received(b"a")
    assert connection.written.count(b"431") == 1


async def test_a_body_is_no_part_of_the_head(connected):
    """Half a megabyte of it is taken, and the next head is counted from nothing."""
    protocol, connection = connected
    protocol.data_received(b"POST / HTTP/1.1\r\nHost: e.org\r\nContent-Length: 600000\r\n\r\n")
    protocol.data_received(b"b" * 600_000)
    await answered(protocol)
    assert connection.written.startswith(b"HTTP/1.1 204 ")

    protocol.data_received(BEGIN)
    protocol.data_received(b"a" * (MAX_HEAD - len(BEGIN)))
    assert b"431" not in connection.written
    protocol.data_received(b"a")
    assert b"HTTP/1.1 431 " in connection.written


async def test_a_connection_that_is_closing_is_told_nothing(connected):
    protocol, connection = connected
    protocol.data_received(BEGIN)
    connection.closed = True

    protocol.data_received(b"a" * MAX_HEAD)

    assert connection.written == b""


WHOLE = b"GET / HTTP/1.1\r\nHost: e.org\r\n\r\n"
UPLOAD = b"POST / HTTP/1.1\r\nHost: e.org\r\nContent-Length: 9\r\n\r\n"


async def rounds() -> None:
    """Let the event loop do what is due."""
    for _ in range(5):
        await asyncio.sleep(0)


async def reading(scope: Any, receive: Any, send: Any) -> None:
    """Answer when the body is there."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] == "http.request":
        await empty(scope, receive, send)


@pytest.mark.parametrize(
    ("parts", "seconds"),
    [
        ([], HEAD_SECONDS),
        ([BEGIN, b"a", b"a"], HEAD_SECONDS),
        ([b"\r\n", b"\r\n"], HEAD_SECONDS),
        ([WHOLE, BEGIN], HEAD_SECONDS),
        ([WHOLE, b"\r\n"], HEAD_SECONDS),
        ([UPLOAD], BODY_SECONDS),
        ([UPLOAD, b"1", b"2"], BODY_SECONDS),
    ],
)
async def test_a_request_that_does_not_come_is_closed(clock, parts, seconds):
    """However it drips: the time is counted from where the head, or the body, began."""
    clock.stop()
    protocol, connection = connect()
    protocol.app = reading
    for part in parts:
        protocol.data_received(part)
        if part == WHOLE:
            await answered(protocol)
    connection.written = b""

    clock.advance(seconds - 0.1)
    await rounds()
    assert connection.written == b""

    clock.advance(0.2)
    await rounds()
    assert connection.written.startswith(b"HTTP/1.1 408 ")
    clock.advance(LINGER)
    await rounds()
    assert connection.closed
    protocol.connection_lost(None)
    await answered(protocol)


async def test_a_reply_may_take_its_time(clock):
    """What is bounded is how long a client takes to ask."""
    clock.stop()
    protocol, connection = connect()
    done = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await done.wait()
        await empty(scope, receive, send)

    protocol.app = slow
    protocol.data_received(WHOLE + BEGIN)  # and half of the next request
    clock.advance(HEAD_SECONDS + BODY_SECONDS)
    await rounds()
    assert connection.written == b""

    done.set()
    await answered(protocol)
    assert connection.written.startswith(b"HTTP/1.1 204 ")


async def test_a_peer_over_its_bound_loses_what_waits_longest():
    """A connection that is at work stays; the new one is refused only if all are at work."""
    bounds = Connections(per_peer=2)
    (first, one), (second, two) = connect(bounds), connect(bounds)
    first.app = second.app = reading
    first.data_received(UPLOAD + b"123456789")
    second.data_received(BEGIN)

    third, three = connect(bounds)
    assert (one.closed, two.closed, three.closed) == (False, True, False)
    assert two.written.startswith(b"HTTP/1.1 408 ")
    third.app = reading
    third.data_received(WHOLE)

    _, four = connect(bounds)
    assert (one.closed, three.closed, four.closed) == (False, False, True)
    assert four.written.startswith(b"HTTP/1.1 503 ")

    await answered(first)
    _, five = connect(bounds)  # the first has its answer, and waits again
    assert (one.closed, five.closed) == (True, False)
    await answered(third)


class Held:
    """A connection that may be closed."""

    def __init__(self, peer: str) -> None:
        self.peer, self.closed = peer, False

    def end(self) -> None:
        self.closed = True


STEPS = st.lists(
    st.tuples(st.sampled_from(["admit", "work", "wait", "remove"]), st.integers(0, 30)),
    max_size=60,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
@given(STEPS)
def test_there_are_never_more_connections_than_the_bounds(steps):
    """Of each peer and in all; and nobody who is at work is closed."""
    bounds, held, working = Connections(per_peer=3, in_all=5), [], set()
    for action, n in steps:
        if action == "admit":
            made = Held("abc"[n % 3])
            if bounds.admit(made, made.peer):
                held.append(made)
        elif held:
            chosen = held[n % len(held)]
            getattr(bounds, action)(chosen, chosen.peer)
            working.discard(chosen)
            if action == "work":
                working.add(chosen)
            elif action == "remove":
                held.remove(chosen)
        assert not any(one.closed for one in working)
        held = [one for one in held if not one.closed]
        assert len(held) <= 5
        assert all(sum(one.peer == peer for one in held) <= 3 for peer in "abc")
