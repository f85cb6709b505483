"""A real HTTP server on 127.0.0.1 that speaks every provider's wire format.

    async with FakeUpstream() as up:
        up.answers("brave", [Hit(url="https://a.example/", title="A")])
        up.fails("tavily", faults.status(429, headers={"Retry-After": "3"}), times=2)
        client = Kensaku(...)  # with up.environment()

Each provider has a path of its own (`up.base_url("brave")`), so the server knows who is asked.
Answers are bytes made beforehand: it serves thousands of requests a second.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing._wire import Connection, ReceivedRequest, reply
from kensaku.testing.faults import Fault, as_bytes
from kensaku.testing.sample import Sample, built_in_samples

if TYPE_CHECKING:
    from types import TracebackType

    from kensaku.models import Hit

_UNKNOWN = reply(404, b'{"error": "the fake upstream has nothing here"}', "application/json")


@dataclass(slots=True)
class _Plan:
    fault: Fault
    left: int | None
    chance: float
    when: Callable[[ReceivedRequest], bool] | None


class FakeUpstream:
    """Every provider on one loopback port: answers, faults, and a log of what was asked."""

    def __init__(
        self,
        samples: Mapping[str, Sample] | None = None,
        *,
        port: int = 0,
        seed: int = 0,
        keep: int = 10_000,
    ) -> None:
        self.samples = {**built_in_samples(), **(samples or {})}
        self.connections = 0  # how many were opened, ever
        self._log: deque[ReceivedRequest] = deque(maxlen=keep)
        self._ready: dict[str, list[tuple[str, bytes]]] = {}
        self._nothing: dict[str, bytes] = {}
        self._pages: dict[str, bytes] = {}
        self._plans: dict[str, list[_Plan]] = {}
        self._random = random.Random(seed)
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._port = port
        for name in self.samples:
            self.answers(name)

    # --- addresses

    @property
    def url(self) -> str:
        """The root of the server."""
        return f"http://127.0.0.1:{self._port}"

    def base_url(self, provider: str) -> str:
        """Return this provider's base URL."""
        return f"{self.url}/{provider}"

    def environment(
        self, *providers: str, keys: bool = True, rate: str | None = None
    ) -> dict[str, str]:
        """Return variables that point providers (all, or these) here, with made-up keys.

        `rate`, such as "9999/s", lifts the rates under which the providers are otherwise kept.
        """
        variables: dict[str, str] = {}
        for name in providers or [n for n in BUILT_IN if n in self.samples]:
            cls, prefix = provider_class(name), name.upper()
            variables[f"{prefix}_BASE_URL"] = self.base_url(name)
            if keys and cls.key_variable:
                variables.setdefault(cls.key_variable, f"{name}-test-key")  # some share one
            if rate:
                variables[f"{prefix}_RATE"] = rate
            variables |= {cls.options[option]: f"test-{option}" for option in cls.needs}
        return variables

    # --- answers and faults

    def answers(
        self, provider: str, hits: Sequence[Hit] | None = None, *, body: Any = None
    ) -> None:
        """Answer with these hits in the provider's own format, or with `body` as it is.

        With neither, answer with the sample again. An empty list is the provider's "nothing".
        """
        sample = self.samples[provider]
        self._nothing[provider] = _nothing(sample)
        first = [
            (end, reply(200, as_bytes(before), "application/json"))
            for end, before in sample.before.items()
        ]
        self._ready[provider] = first + [
            (s.path, _reply(s, hits, body)) for s in (*sample.also, sample) if _served(s, sample)
        ]

    def serves(
        self, path: str, body: bytes | str, content_type: str = "text/html", status: int = 200
    ) -> str:
        """Serve a page of your own under `path`, and return its address."""
        data = body.encode() if isinstance(body, str) else body
        self._pages[path] = reply(status, data, content_type)
        return self.url + path

    def fails(
        self,
        provider: str,
        fault: Fault,
        *,
        times: int | None = None,
        chance: float = 1.0,
        when: Callable[[ReceivedRequest], bool] | None = None,
    ) -> None:
        """Answer badly: always, `times` times, with a `chance`, or `when` the request is so.

        `provider` "*" means everyone. Of several faults the first that applies is used.
        """
        self._plans.setdefault(provider, []).append(_Plan(fault, times, chance, when))

    def heals(self, provider: str = "*") -> None:
        """Forget the faults of one provider, or of all."""
        if provider == "*":
            self._plans.clear()
        else:
            self._plans.pop(provider, None)

    # --- received requests

    @property
    def requests(self) -> list[ReceivedRequest]:
        """The requests received, oldest first (at most `keep` of them)."""
        return list(self._log)

    def asked(self, provider: str) -> list[ReceivedRequest]:
        """Return the requests received for one provider."""
        return [request for request in self._log if request.provider == provider]

    # --- called by its connections

    def connection_opened(self, connection: Connection) -> None:
        self.connections += 1
        self._connections.add(connection)

    def connection_closed(self, connection: Connection) -> None:
        self._connections.discard(connection)

    def respond(self, request: ReceivedRequest) -> tuple[bytes, Fault | None]:
        self._log.append(request)
        whole = self._answer(request)
        if self._plans and (fault := self._next_fault(request)):
            return self._apply(request, whole, fault), fault
        return whole, None

    def _answer(self, request: ReceivedRequest) -> bytes:
        path = request.target.partition("?")[0]
        if path in self._pages:
            return self._pages[path]
        for end, whole in self._ready.get(request.provider, ()):
            if path.endswith(end):
                return whole
        return _UNKNOWN

    def _next_fault(self, request: ReceivedRequest) -> Fault | None:
        plans: list[_Plan] = [*self._plans.get(request.provider, ()), *self._plans.get("*", ())]
        for plan in plans:
            if plan.left == 0 or (plan.when and not plan.when(request)):
                continue
            if plan.chance < 1 and self._random.random() >= plan.chance:
                continue
            if plan.left is not None:
                plan.left -= 1
            return plan.fault
        return None

    def _apply(self, request: ReceivedRequest, whole: bytes, fault: Fault) -> bytes:
        if fault.end == "empty":
            return self._nothing.get(request.provider, _UNKNOWN)
        if fault.body is None:
            return whole
        return reply(fault.status, fault.body, "application/json", fault.headers)

    # --- start and stop

    async def __aenter__(self) -> FakeUpstream:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._connections):
            connection.transport.abort()
        await self._server.wait_closed()
        await asyncio.sleep(0)  # aborted connections are reported in the next iteration

    @classmethod
    @contextmanager
    def in_thread(cls, *args: Any, **options: Any) -> Iterator[FakeUpstream]:
        """Run the server in a thread with its own event loop, for sync code."""
        up, loop = cls(*args, **options), asyncio.new_event_loop()
        ready: Future[None] = Future()
        stop = asyncio.Event()

        async def serve() -> None:
            try:
                await up.__aenter__()
            except OSError as error:  # the port is taken
                ready.set_exception(error)
                return
            ready.set_result(None)
            await stop.wait()
            await up.__aexit__()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
        thread.start()
        try:
            ready.result()
            yield up
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            loop.close()


def _served(sample: Sample, main: Sample) -> bool:
    return sample is main or bool(sample.path)


def _reply(sample: Sample, hits: Sequence[Hit] | None, body: Any) -> bytes:
    if body is None and hits is not None and not hits:
        return _nothing(sample)
    if body is None:
        body = sample.reply if hits is None else sample.with_hits(hits)
    return reply(200, as_bytes(body), sample.content_type)


def _nothing(sample: Sample) -> bytes:
    return reply(sample.empty_status, as_bytes(sample.enclosed(sample.empty)), sample.content_type)
