"""One engine of `ddgs`, without a key, in a thread of its own: the base of those providers.

    Query → request() → [thread: primp sends it as a browser does] → Reply → read() → Findings

`ddgs` itself turns a refusal, a captcha and an empty page into the same "No results found.".
So only its engines are used, to read the results out of a page; the request goes by `primp`, the
client below `ddgs`, and the status and the page are looked at here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from kensaku.errors import (
    BadQuery,
    Blocked,
    KeyRefused,
    NotConfigured,
    NotConnected,
    ProviderError,
    Timeout,
    Unreachable,
    Unreadable,
)
from kensaku.messages import msg
from kensaku.providers._classify import redact
from kensaku.providers._rows import MAX_ROWS
from kensaku.providers.base import Findings, KnownBy, Provider, Reply, Request, Transport
from kensaku.providers.base import usable as with_address

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

T = TypeVar("T")
# ddgs imports all its engines with any of them: two threads would wait for each other.
_IMPORTING = threading.Lock()

ENGINE_SECONDS = 8  # how long a thread can outlive a caller who no longer waits
MAX_PAGE_BYTES = 4 * 2**20  # decoded; a page of results has about a hundred kilobytes
_NETWORK = "check the network, or add another provider to the route"
RANGES = {"day": "d", "week": "w", "month": "m", "year": "y"}


class WebPageEngine(Provider):
    """A search engine's own web page, read by the engine of `ddgs` of the same name."""

    docs = "https://github.com/deedy5/ddgs"
    known_by: ClassVar[KnownBy] = "sdk"
    keyless = True
    max_query_chars = 500
    max_results = 10  # one page
    keyless_rate = "10/m"
    format = "a page of results"

    engine: ClassVar[str]  # "module:Class" in ddgs.engines
    posts: ClassVar[bool] = False  # the query is sent as a form
    robot_signs: ClassVar[tuple[str, ...]]  # on a page that takes us for a robot
    result_signs: ClassVar[tuple[str, ...]]  # on a page that did search, also without results

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        request, proxy = self.request(query, key), getattr(http, "proxy", None)
        try:
            return await in_thread(lambda: self.read(self._exchange(request, proxy)))
        except ProviderError as error:
            raise redact(error, (), query.text) from None

    def _exchange(self, request: Request, proxy: str | None) -> Reply:
        """Send the request as a browser does, and read the page up to a bound.

        ddgs' own client follows redirects to any address, reads proxies from the environment and
        reads a page to its end; this one does none of it.
        """
        primp, _ = self._libraries()
        client = primp.Client(
            timeout=ENGINE_SECONDS,
            impersonate="random",
            impersonate_os="random",
            follow_redirects=False,
        )
        client.proxy = proxy  # also when it is None: the constructor reads the environment
        try:
            return self._send(client, request)
        except ProviderError:
            raise
        except primp.DNSError:
            # Another try would ask the same resolver, and use up a turn of a slow rate.
            message = "its name cannot be looked up"
            raise NotConnected(self.name, message, remedy=_NETWORK, transient=False) from None
        except primp.ConnectError:
            raise NotConnected(
                self.name, msg("it cannot be connected to"), remedy=_NETWORK
            ) from None
        except primp.TimeoutError:
            raise Timeout(
                self.name,
                msg("no answer within {engine_seconds:g} s", engine_seconds=ENGINE_SECONDS),
            ) from None
        except Exception as error:  # its text may hold the address
            cause = type(error).__name__
            raise Unreachable(
                self.name, msg("the connection failed ({cause})", cause=cause)
            ) from None

    def _send(self, client: Any, request: Request) -> Reply:
        members = {name: str(value) for name, value in dict(request.params).items()}
        sent: dict[str, Any] = {"data": members} if self.posts else {"params": members}
        method, headers = "POST" if self.posts else "GET", dict(request.headers)
        with client.request(method, request.url, headers=headers, stream=True, **sent) as response:
            found = {name.lower(): value for name, value in response.headers.items()}
            return Reply(response.status_code, found, self._page(response))

    def _page(self, response: Any) -> bytes:
        page = bytearray()
        for part in response.iter_bytes():
            page += part
            if len(page) > MAX_PAGE_BYTES:
                most = MAX_PAGE_BYTES >> 20
                raise Unreadable(
                    self.name, msg("the page of results is larger than {most} MiB", most=most)
                )
        return bytes(page)

    def read(self, reply: Reply, query: Query | None = None) -> Findings:
        if error := self.failure(reply):
            raise error
        page = reply.body.decode("utf-8", "replace")
        try:
            hits, left_out = with_address(self.hits(page))
        except ProviderError:
            raise
        except Exception:  # of its HTML parser, on what is not a page
            raise self.unreadable(reply, msg("the reply is not a page of results")) from None
        if not hits and not any(sign in page for sign in self.result_signs):
            raise self.unreadable(reply, msg("the reply is not a page of results"))
        return Findings(hits, notes=left_out)

    def failure(self, reply: Reply) -> ProviderError | None:
        page = reply.body[:200_000].decode("utf-8", "replace")
        robot = any(sign in page for sign in self.robot_signs)
        error = super().failure(reply)
        # A challenge comes with 200, 202 or 403. There is no key that it could refuse, and a form
        # like a browser's is no wrong query: 400 and 418 are sent to robots, too.
        if robot or isinstance(error, KeyRefused | BadQuery):
            return self.refusal(reply, Blocked)
        return error

    def hits(self, body: Any) -> list[Hit]:
        engine = self._libraries()[1]()
        found = engine.post_extract_results(engine.extract_results(body))
        # A page that found nothing may have a row that says so, without an address.
        linked = islice((r for r in found if r.href), MAX_ROWS)
        return [self.hit(self.target(r.href), r.title, r.body) for r in linked]

    def target(self, href: str) -> str:
        """The page behind a link of the engine's own."""
        return href

    def _libraries(self) -> tuple[Any, Any]:
        """Import the client and the engine; both come with the extra."""
        module, _, name = self.engine.partition(":")
        try:
            with _IMPORTING:
                import primp

                return primp, getattr(import_module(f"ddgs.engines.{module}"), name)
        except ImportError:
            raise NotConfigured(
                self.name,
                msg("the package ddgs is not installed"),
                remedy=msg('install it with: pip install "kensaku-search[ddgs]"'),
            ) from None


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a daemon thread.

    `asyncio.to_thread` would do, but the end of the program joins its threads: a caller that gave
    up after one second would still sit out the engine's eight.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(setter: Callable[[], None]) -> None:
        if not done.done():
            setter()

    def run() -> None:
        try:
            setter = partial(done.set_result, work())
        except BaseException as error:
            setter = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, setter)

    threading.Thread(target=run, name="kensaku-ddgs", daemon=True).start()
    return await done
