"""The worker: what it answers, when it exits, and how it starts and ends."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("qdrant_client")

from kensaku import __version__
from kensaku.index.collections import Collections
from kensaku.index.engines.base import open_engine
from kensaku.index.worker import server
from kensaku.index.worker.lock import DirectoryLock
from kensaku.index.worker.protocol import decode_body, encode_frame, socket_path

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
    """A worker in this process."""

    def __init__(self, directory: Path, idle_timeout: float) -> None:
        self.path = socket_path(directory)
        self.lock = DirectoryLock(directory)
        self.lock.acquire()
        self.collections = Collections(open_engine(url=":memory:"))
        worker = server.IndexWorker(self.collections, self.lock, idle_timeout)
        self.listener = server._listen(self.path)
        self.serving = asyncio.create_task(worker.serve(self.listener))
        self.worker = worker

    async def connect(self) -> Program:
        return Program(*await asyncio.open_unix_connection(self.path))

    async def settle(self, clients: int) -> None:
        """Wait until the worker has begun, and has seen who came and who left."""
        while self.worker._exit_timer is None or self.worker._clients != clients:  # noqa: ASYNC110
            await asyncio.sleep(0)


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Any]:
    started: list[Running] = []

    def start(idle_timeout: float = 100.0) -> Running:
        started.append(Running(tmp_path, idle_timeout))
        return started[-1]

    yield start
    for running in started:
        running.serving.cancel()
        await asyncio.gather(running.serving, return_exceptions=True)
        running.listener.close()
        running.collections.close()
        running.lock.release()


async def test_calls_are_answered_by_their_id(run):
    """A result, an error of ours with its type, or anything else as a fault of the index."""
    program = await run().connect()

    assert await program.ask(HELLO) == HELLO_REPLY
    assert await program.ask({"id": 7, "call": "collections", "arguments": {}}) == {
        "id": 7,
        "result": [],
    }
    unknown = {"id": 8, "call": "drop", "arguments": {"collection": "dogs"}}
    reply = await program.ask(unknown)
    assert (reply["id"], reply["error"]["type"], reply["error"]["name"]) == (
        8,
        "UnknownName",
        "dogs",
    )
    for call, arguments in (("nonsense", {}), ("collections", {"x": 1}), ("collections", [])):
        reply = await program.ask({"id": 9, "call": call, "arguments": arguments})
        assert (reply["id"], reply["error"]["type"]) == (9, "IndexFault")
        assert reply["error"]["message"].startswith("the index cannot be read or written (")
    await program.leave()


async def test_a_frame_over_the_bound_ends_the_connection(run, monkeypatch):
    """Before it is read; one of exactly that size is answered."""
    running = run()
    size = len(encode_frame(HELLO)) - 4
    monkeypatch.setattr(server, "MAX_FRAME", size)
    fits = await running.connect()
    assert await fits.ask(HELLO) == HELLO_REPLY

    monkeypatch.setattr(server, "MAX_FRAME", size - 1)
    with pytest.raises(asyncio.IncompleteReadError) as caught:
        await fits.ask(HELLO)

    assert caught.value.partial == b""
    await fits.leave()


async def test_a_worker_exits_when_nobody_comes(run, clock):
    """After a minute, for the program that started it is about to connect."""
    running = run(idle_timeout=0)
    await running.settle(clients=0)
    clock.advance(30)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not running.serving.done()
    assert running.lock.owner() == os.getpid()

    clock.advance(30)
    await running.serving

    assert running.lock.owner() is None  # worth waiting for: it is about to release the lock
    with pytest.raises(OSError):
        await running.connect()


async def test_a_worker_stays_while_a_program_is_connected(run, clock):
    """And for the idle timeout after the last has left."""
    running = run(idle_timeout=100)
    first, second = await running.connect(), await running.connect()
    for program in (first, second):
        assert await program.ask(HELLO) == HELLO_REPLY
    await first.leave()
    await running.settle(clients=1)
    clock.advance(10_000)
    assert await second.ask(HELLO) == HELLO_REPLY
    await second.leave()
    await running.settle(clients=0)
    clock.advance(50)
    third = await running.connect()  # in time: the worker stays for this one
    assert await third.ask(HELLO) == HELLO_REPLY
    clock.advance(10_000)
    assert await third.ask(HELLO) == HELLO_REPLY
    await third.leave()
    await running.settle(clients=0)
    assert not running.serving.done()

    clock.advance(100)
    await running.serving


async def test_a_program_that_was_killed_within_a_frame_is_forgotten(run):
    """The others are served on."""
    running = run()
    killed, other = await running.connect(), await running.connect()
    killed.writer.write(encode_frame(HELLO)[:9])
    await killed.leave()
    await running.settle(clients=1)

    assert await other.ask(HELLO) == HELLO_REPLY
    await other.leave()


def test_a_socket_that_a_killed_worker_left_is_replaced(tmp_path):
    """Many programs may connect at once."""
    path = socket_path(tmp_path)
    path.touch()
    listener = server._listen(path)
    programs = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(100)]
    for program in programs:
        program.setblocking(False)
        program.connect(str(path))

    for program in (*programs, listener):
        program.close()


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_directory_that_another_process_holds_is_told_apart(tmp_path, usual_umask, capfd):
    """By the exit status; who holds it is on stderr, with what to do."""
    holder = DirectoryLock(tmp_path)
    holder.acquire()
    held = server.main(tmp_path, 0.0)
    holder.release()

    assert held == 3
    said = f"the index at {tmp_path} is held by process {os.getpid()}\n"
    assert capfd.readouterr().err == said + "wait for it to finish, or end it\n"


def test_a_directory_that_cannot_be_used_is_a_sentence_on_stderr(tmp_path, usual_umask, capfd):
    """With another exit status."""
    (tmp_path / "file").touch()

    assert server.main(tmp_path / "file" / "index", 0.0) == 4
    message, remedy = capfd.readouterr().err.splitlines()
    assert message.startswith(f"{tmp_path}/file/index cannot be read or written (NotADirectory")
    assert remedy.startswith("save what can be read")


def test_a_worker_that_ends_leaves_the_directory_free(tmp_path):
    """No socket, no lock."""
    lock = DirectoryLock(tmp_path)
    lock.acquire()
    lock.clear_owner()
    listener = server._listen(socket_path(tmp_path))
    thresholds = gc.get_threshold()
    try:
        worker = threading.Thread(target=server._run, args=(tmp_path, lock, listener, 0.0))
        worker.start()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as program:
            program.connect(str(socket_path(tmp_path)))
            program.sendall(encode_frame(HELLO))
            size = int.from_bytes(program.recv(4, socket.MSG_WAITALL), "big")
            assert decode_body(program.recv(size, socket.MSG_WAITALL)) == HELLO_REPLY
            assert lock.owner() == os.getpid()
        worker.join()
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)

    assert not socket_path(tmp_path).exists()
    assert listener.fileno() == -1
    assert not lock.acquired
    DirectoryLock(tmp_path).acquire(timeout=0)
