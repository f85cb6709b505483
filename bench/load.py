"""A load generator: one URL, many connections, JSON figures. `bench/server.py` runs it.

    python bench/load.py URL [--connections 64] [--requests N | --seconds S] [--rate R] [--vary]

By default every connection sends the next request when it has its answer. With `--rate`, requests
are sent at their times whether or not earlier ones were answered, and latency counts from the time
that was planned. `--vary` sends a query of its own with every request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import urlsplit

QUERY = "what is new in the release"


@dataclass(slots=True)
class Tally:
    """What came of the requests."""

    status: Counter[int] = field(default_factory=Counter)
    good: list[float] = field(default_factory=list)  # seconds of every 200
    refused: list[float] = field(default_factory=list)  # seconds of every 429 and 503
    without_retry_after: int = 0  # of the refused
    errors: int = 0  # connections that broke, or an answer that did not come


class Requests:
    """The bytes of one request after the other."""

    def __init__(self, url: str, key: str, vary: bool, fields: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        self.host, self.port = parts.hostname, parts.port
        auth = f"Authorization: Bearer {key}\r\n" if key else ""
        self._head = (
            f"POST {parts.path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{auth}"
            "Content-Type: application/json\r\nContent-Length: "
        )
        self._vary, self._numbers = vary, count()
        self._fields = {"max_results": 5, **json.loads(fields)}
        self._same = self._make(QUERY)

    def next(self) -> bytes:
        """The next request."""
        if not self._vary:
            return self._same
        return self._make(f"{QUERY} {time.time_ns()}{next(self._numbers)}")

    def _make(self, query: str) -> bytes:
        body = json.dumps({"query": query, **self._fields})
        return f"{self._head}{len(body)}\r\n\r\n{body}".encode()


class Connection(asyncio.Protocol):
    """One connection: a request is sent, its answer is a future. Bodies have a Content-Length."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._waiting: asyncio.Future[tuple[int, bool]] | None = None

    def connection_made(self, transport: Any) -> None:
        """Keep the transport."""
        self.transport = transport

    def send(self, request: bytes) -> asyncio.Future[tuple[int, bool]]:
        """Send a request; the future is its status, and whether it has a Retry-After."""
        self._waiting = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self._waiting

    def data_received(self, data: bytes) -> None:
        """Finish the answer when it is whole."""
        self._data += data
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self._data[:end]).lower()
        at = head.index(b"content-length:") + 15
        length = int(head[at:].split(b"\r\n", 1)[0])
        if len(self._data) >= end + 4 + length:
            self._data.clear()
            waiting, self._waiting = self._waiting, None
            if waiting is not None and not waiting.done():
                waiting.set_result((int(head[9:12]), b"\r\nretry-after:" in head))

    def connection_lost(self, error: Exception | None) -> None:
        """Fail the request that waits."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(ConnectionError("the server closed the connection"))


class Load:
    """Connections that are reused, and what came of their requests."""

    def __init__(self, requests: Requests) -> None:
        self.requests, self.tally = requests, Tally()
        self._idle: list[Connection] = []

    async def ask(self, began: float) -> None:
        """Send one request on an idle connection, or on a new one."""
        line: Connection | None = None
        try:
            line = self._idle.pop() if self._idle else await self._connect()
            async with asyncio.timeout(30):
                status, has_retry_after = await line.send(self.requests.next())
        except (OSError, TimeoutError):
            self.tally.errors += 1
            if line is not None:
                line.transport.close()
            return
        self._idle.append(line)
        took = time.perf_counter() - began
        self.tally.status[status] += 1
        if status == 200:
            self.tally.good.append(took)
        elif status in (429, 503):
            self.tally.refused.append(took)
            self.tally.without_retry_after += not has_retry_after

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(Connection, self.requests.host, self.requests.port)
        return line

    async def closed_loop(self, connections: int, requests: int, seconds: float) -> None:
        """Each connection sends its next request when it has its answer."""
        until, left = time.perf_counter() + seconds, iter(range(requests))

        async def work() -> None:
            for _ in left:
                if time.perf_counter() >= until:
                    return
                await self.ask(time.perf_counter())

        await asyncio.gather(*(work() for _ in range(connections)))

    async def open_loop(self, rate: float, seconds: float) -> None:
        """Send requests at their times."""
        began, tasks = time.perf_counter(), set()
        for n in range(int(rate * seconds)):
            planned = began + n / rate
            if (wait := planned - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            tasks.add(task := asyncio.ensure_future(self.ask(planned)))
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)


def milliseconds(seconds: list[float], share: float) -> float:
    """A quantile, in milliseconds."""
    if len(seconds) < 2:
        return 1000 * sum(seconds)
    return 1000 * statistics.quantiles(seconds, n=1000, method="inclusive")[int(share * 1000) - 1]


async def run(options: argparse.Namespace) -> dict[str, Any]:
    """Send the requests and return the figures."""
    load = Load(Requests(options.url, options.key, options.vary, options.fields))
    began = time.perf_counter()
    if options.rate:
        await load.open_loop(options.rate, options.seconds)
    else:
        await load.closed_loop(options.connections, options.requests, options.seconds)
    wall, tally = time.perf_counter() - began, load.tally
    return {
        "rps": len(tally.good) / wall,
        "good": len(tally.good),
        "status": dict(tally.status),
        "errors": tally.errors,
        "p50": milliseconds(tally.good, 0.5),
        "p99": milliseconds(tally.good, 0.99),
        "refused": len(tally.refused),
        "refused_p50": milliseconds(tally.refused, 0.5),
        "without_retry_after": tally.without_retry_after,
        "seconds": wall,
        "cpu": time.process_time(),
    }


def main() -> int:
    """Print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--requests", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--key", default="")
    parser.add_argument("--vary", action="store_true")
    parser.add_argument("--fields", default="{}", help="more fields of the body, as JSON")
    options = parser.parse_args()
    try:
        from uvloop import new_event_loop
    except ImportError:
        from asyncio import new_event_loop  # type: ignore[assignment]
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        print(json.dumps(runner.run(run(options))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
