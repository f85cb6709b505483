"""The worker: what it answers, and when it exits."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("qdrant_client")

from kensaku import __version__
from kensaku.index.collections import Collections
from kensaku.index.engines.base import open_engine
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import decode_body, encode_frame, socket_path
from kensaku.index.worker.server import IndexWorker

HELLO = {"id": 0, "call": "hello", "arguments": {}}
HELLO_REPLY = {"id": 0, "result": {"version": __version__, "pid": os.getpid()}}


class Program:
    """One connection to a worker."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.writer.write(encode_frame(message))
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        return decode_body(await self.reader.readexactly(size))

    async def leave(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


class Running:
    """A worker in this process, over an index in memory."""

    def __init__(self, directory: Path, idle_timeout: float) -> None:
        self.path = socket_path(directory)
        self.lock = DirectoryLock(directory)
        self.lock.acquire()
        self.collections = Collections(open_engine(url=":memory:"))
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(self.path))
        self.listener.listen()
        worker = IndexWorker(self.collections, self.lock, idle_timeout)
        self.serving = asyncio.create_task(worker.serve(self.listener))

    async def connect(self) -> Program:
        return Program(*await asyncio.open_unix_connection(self.path))


Start = Callable[..., Running]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    started: list[Running] = []

    def run(idle_timeout: float = 100.0) -> Running:
        started.append(Running(tmp_path, idle_timeout))
        return started[-1]

    yield run
    for running in started:
        running.serving.cancel()
        await asyncio.gather(running.serving, return_exceptions=True)
        running.listener.close()
        running.collections.close()
        running.lock.release()


async def _pass(clock: Any, seconds: int) -> None:
    """Let time pass, second by second, and everything that is due happen."""
    for _ in range(seconds):
        clock.advance(1)
        await asyncio.sleep(0)


async def test_calls_are_answered_by_their_id(start):
    """A result, an error of ours with its type, or anything else as a fault of the index."""
    program = await start().connect()

    assert await program.ask(HELLO) == HELLO_REPLY
    listed = {"id": 7, "call": "collections", "arguments": {}}
    assert await program.ask(listed) == {"id": 7, "result": []}
    unknown = {"id": 8, "call": "drop", "arguments": {"collection": "dogs"}}
    reply = await program.ask(unknown)
    assert (reply["id"], reply["error"]["type"]) == (8, "UnknownName")
    assert reply["error"]["name"] == "dogs"
    for call, arguments in (("nonsense", {}), ("collections", {"x": 1}), ("collections", [])):
        reply = await program.ask({"id": 9, "call": call, "arguments": arguments})
        assert (reply["id"], reply["error"]["type"]) == (9, "IndexFault")
    assert await program.ask(HELLO) == HELLO_REPLY
    await program.leave()


async def test_a_frame_over_the_bound_ends_its_connection_alone(start):
    """Before a gigabyte of it is read."""
    running = start()
    greedy, other = await running.connect(), await running.connect()
    greedy.writer.write((1 << 30).to_bytes(4, "big"))

    async with asyncio.timeout(60):
        assert await greedy.reader.read() == b""
    assert await other.ask(HELLO) == HELLO_REPLY
    for program in (greedy, other):
        await program.leave()


async def test_a_program_that_was_killed_within_a_frame_is_forgotten(start):
    """The others are served on."""
    running = start()
    killed, other = await running.connect(), await running.connect()
    killed.writer.write(encode_frame(HELLO)[:9])
    await killed.leave()

    assert await other.ask(HELLO) == HELLO_REPLY
    await other.leave()


async def test_a_worker_that_nobody_uses_gives_the_directory_back(start, clock):
    """After a while, for the program that started it is about to connect."""
    running = start(idle_timeout=0)
    await _pass(clock, 30)
    assert not running.serving.done()
    assert running.lock.owner() == os.getpid()

    await _pass(clock, 60)
    await running.serving

    assert running.lock.owner() is None  # worth waiting for: it is about to release the lock
    with pytest.raises(OSError):
        await running.connect()


async def test_a_worker_stays_while_a_program_is_connected(start, clock):
    """And for the idle timeout after the last has left."""
    running = start(idle_timeout=100)
    first, second = await running.connect(), await running.connect()
    for program in (first, second):
        assert await program.ask(HELLO) == HELLO_REPLY
    await first.leave()
    clock.advance(10_000)
    assert await second.ask(HELLO) == HELLO_REPLY
    await second.leave()
    await _pass(clock, 50)
    third = await running.connect()  # in time: the worker stays for this one
    assert await third.ask(HELLO) == HELLO_REPLY
    clock.advance(10_000)
    assert await third.ask(HELLO) == HELLO_REPLY
    await third.leave()
    await _pass(clock, 50)
    assert not running.serving.done()

    await _pass(clock, 100)
    await running.serving
