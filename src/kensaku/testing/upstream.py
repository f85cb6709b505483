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

from kensaku.testing._wire import Seen, Wire, reply
from kensaku.testing.faults import Fault, as_bytes
from kensaku.testing.sample import Sample, built_in

if TYPE_CHECKING:
    from types import TracebackType

    from kensaku.models import Hit

_UNKNOWN = reply(404, b'{"error": "the fake upstream has nothing here"}', "application/json")


@dataclass(slots=True)
class _Plan:
    fault: Fault
    left: int | None
    chance: float
    when: Callable[[Seen], bool] | None


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
        self.samples = {**built_in(), **(samples or {})}
        self.connections = 0  # how many were opened, ever
        self._log: deque[Seen] = deque(maxlen=keep)
        self._ready: dict[str, list[tuple[str, bytes]]] = {}
        self._nothing: dict[str, bytes] = {}
        self._pages: dict[str, bytes] = {}
        self._plans: dict[str, list[_Plan]] = {}
        self._random = random.Random(seed)
        self._open: set[Wire] = set()
        self._server: asyncio.Server | None = None
        self._port = port
        for name in self.samples:
            self.answers(name)

    # --- where it is

    @property
    def url(self) -> str:
        """The root of the server."""
        return f"http://127.0.0.1:{self._port}"

    def base_url(self, provider: str) -> str:
        """What to give as this provider's base URL."""
        return f"{self.url}/{provider}"

    def environment(
        self, *providers: str, keys: bool = True, rate: str | None = None
    ) -> dict[str, str]:
        """Variables that point providers (all, or these) here, with keys that are not keys.

        `rate`, such as "9999/s", lifts the rates under which the providers are otherwise kept.
        """
        from kensaku.providers import BUILT_IN, provider_class

        found: dict[str, str] = {}
        for name in providers or [n for n in BUILT_IN if n in self.samples]:
            cls, prefix = provider_class(name), name.upper()
            found[f"{prefix}_BASE_URL"] = self.base_url(name)
            if keys and cls.key_variable:
                found[cls.key_variable] = f"{name}-test-key"
            if rate:
                found[f"{prefix}_RATE"] = rate
            found |= {cls.options[option]: f"test-{option}" for option in cls.needs}
        return found

    # --- what it says

    def answers(
        self, provider: str, hits: Sequence[Hit] | None = None, *, body: Any = None
    ) -> None:
        """Answer with these hits in the provider's own format, or with `body` as it is.

        With neither, answer with the sample again. An empty list is the provider's "nothing".
        """
        sample = self.samples[provider]
        self._nothing[provider] = _nothing(sample)
        self._ready[provider] = [
            (s.path, _whole(s, hits, body)) for s in (*sample.also, sample) if _served(s, sample)
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
        when: Callable[[Seen], bool] | None = None,
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

    # --- what it was asked

    @property
    def requests(self) -> list[Seen]:
        """What came in, oldest first (at most `keep` of them)."""
        return list(self._log)

    def asked(self, provider: str) -> list[Seen]:
        """What came in for one provider."""
        return [seen for seen in self._log if seen.provider == provider]

    # --- for the wire

    def opened(self, wire: Wire) -> None:
        self.connections += 1
        self._open.add(wire)

    def closed(self, wire: Wire) -> None:
        self._open.discard(wire)

    def answer_to(self, seen: Seen) -> tuple[bytes, Fault | None]:
        self._log.append(seen)
        whole = self._usual(seen)
        if self._plans and (fault := self._planned(seen)):
            return self._faulty(seen, whole, fault), fault
        return whole, None

    def _usual(self, seen: Seen) -> bytes:
        path = seen.target.partition("?")[0]
        if path in self._pages:
            return self._pages[path]
        for end, whole in self._ready.get(seen.provider, ()):
            if path.endswith(end):
                return whole
        return _UNKNOWN

    def _planned(self, seen: Seen) -> Fault | None:
        plans: list[_Plan] = [*self._plans.get(seen.provider, ()), *self._plans.get("*", ())]
        for plan in plans:
            if plan.left == 0 or (plan.when and not plan.when(seen)):
                continue
            if plan.chance < 1 and self._random.random() >= plan.chance:
                continue
            if plan.left is not None:
                plan.left -= 1
            return plan.fault
        return None

    def _faulty(self, seen: Seen, whole: bytes, fault: Fault) -> bytes:
        if fault.end == "empty":
            return self._nothing.get(seen.provider, _UNKNOWN)
        if fault.body is None:
            return whole
        return reply(fault.status, fault.body, "application/json", fault.headers)

    # --- its life

    async def __aenter__(self) -> FakeUpstream:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Wire(self), "127.0.0.1", self._port)
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
        for wire in list(self._open):
            wire.transport.abort()
        await self._server.wait_closed()
        await asyncio.sleep(0)  # connections that were aborted are told in the next round

    @classmethod
    @contextmanager
    def in_thread(cls, *args: Any, **options: Any) -> Iterator[FakeUpstream]:
        """The same server on a loop in a thread of its own, for code that does not await."""
        up, loop = cls(*args, **options), asyncio.new_event_loop()
        ready: Future[None] = Future()
        stop = asyncio.Event()

        async def live() -> None:
            try:
                await up.__aenter__()
            except OSError as error:  # the port is taken
                ready.set_exception(error)
                return
            ready.set_result(None)
            await stop.wait()
            await up.__aexit__()

        thread = threading.Thread(target=loop.run_until_complete, args=(live(),), daemon=True)
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


def _whole(sample: Sample, hits: Sequence[Hit] | None, body: Any) -> bytes:
    if body is None and hits is not None and not hits:
        return _nothing(sample)
    if body is None:
        body = sample.body if hits is None else sample.written(hits)
    return reply(200, as_bytes(body), sample.content_type)


def _nothing(sample: Sample) -> bytes:
    return reply(sample.empty_status, as_bytes(sample.empty), sample.content_type)
