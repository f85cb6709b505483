"""The bound on a request's head, counted over reads and over the requests of one connection."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from kensaku.transport.protocol import MAX_HEAD, BoundedProtocol

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


@pytest.fixture
async def connected() -> tuple[BoundedProtocol, Connection]:
    config = Config(empty, log_config=None, lifespan="off")
    config.load()
    protocol, connection = BoundedProtocol(config, ServerState(), {}), Connection()
    protocol.connection_made(connection)
    return protocol, connection


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
