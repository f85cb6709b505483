"""The HTTP client of the providers.

    Request → the pooled session of this event loop → Reply, or Timeout / Unreachable / Unreadable

The operator sets the addresses that `HttpClient` connects to. Pages, which a model or a stranger
names, go through `fetch/transport.py`. Both take their sessions from `transport/sessions.py`.

The deadline is the caller's (`asyncio.timeout_at` around the call); cancelling closes the socket.
Proxies come from the settings, never from the environment.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncGenerator, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kensaku.errors import Unreadable
from kensaku.messages import msg
from kensaku.transport.decode import STEP, Decoder, decoder
from kensaku.transport.egress import Egress, EgressRefused
from kensaku.transport.per_loop import PerLoop
from kensaku.transport.reply import Reply

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.transport.request import Request
    from kensaku.transport.sessions import Response, Session

ENCODINGS = ("gzip", "x-gzip", "deflate", "identity")
MAX_REFUSAL = 4_096  # bytes that are read of the body of a refusal
DECODED_AT_ONCE = 4 * STEP  # bytes that are decoded on the event loop; a thread does the rest


class UnknownEncoding(Exception):
    """The body is encoded in a way that the request did not accept."""


class HttpClient(PerLoop["Session"]):
    """The pooled client for the providers' own addresses, which the operator has set."""

    def __init__(
        self, *, user_agent: str, proxy: str | None = None, egress: Egress | None = None
    ) -> None:
        super().__init__()
        self.proxy = proxy
        self._egress = egress or Egress()
        self._headers = {
            "User-Agent": user_agent,
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        }

    async def send(self, request: Request, provider: str) -> Reply:
        """Send a request once and read the whole reply, up to the bounds of `sessions`.

        Redirects are not followed: a key must not travel to a host that a reply names.
        """
        session = await self._session()
        try:
            async with self._open_request(session, request) as response:
                return await _read(response)
        except Exception as error:
            from kensaku.transport.sessions import provider_error

            raise provider_error(error, provider) from None

    async def stream(self, request: Request, provider: str) -> AsyncGenerator[bytes, None]:
        """Send a request once and yield the body of the reply while it arrives.

        Raises `Unreadable` for another status than 200. Closing the generator closes the
        connection. The bounds are those of `send`.
        """
        session = await self._session()
        try:
            plain = {"Accept": "text/event-stream, application/json", "Accept-Encoding": "identity"}
            async with self._open_request(session, request, plain) as response:
                if response.status != 200:
                    said = (await response.content.read(MAX_REFUSAL)).decode("utf-8", "replace")
                    message = msg("the server answered {status}", status=response.status)
                    raise Unreadable(provider, message, status=response.status, body=said)
                if encoding := response.headers.get("Content-Encoding", ""):
                    raise UnknownEncoding(encoding)
                while data := await response.content.readany():
                    yield data
                    await asyncio.sleep(0)  # as in `_read`
                if error := response.content.exception():
                    raise error
        except Exception as error:
            from kensaku.transport.sessions import provider_error

            raise provider_error(error, provider) from None

    def _open_request(
        self, session: Session, request: Request, own: Mapping[str, str] | None = None
    ) -> Any:
        """Return the context of a request that is about to be sent. Raises `ValueError`."""
        url, credentials = _address(request.url)
        allowed = self._egress.allows_name(url.host or "")
        if allowed is False or (allowed is None and self.proxy and not self._egress.public):
            raise EgressRefused
        headers = {**(own or {}), **credentials, **request.headers}
        body = None
        if request.json is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(request.json).encode()
        _check_headers(headers)
        return session.request(
            request.method,
            url,
            params=request.params or None,
            data=body,
            headers=headers,
            allow_redirects=False,
            proxy=self.proxy,
        )

    async def _make(self) -> Session:
        sessions = await import_sessions()
        session: Session = sessions.provider_session(self._headers, self._egress)
        return session


async def import_sessions() -> Any:
    """Import `transport.sessions` in a thread: aiohttp takes a third of a second."""
    return await asyncio.to_thread(import_module, "kensaku.transport.sessions")


@lru_cache(maxsize=256)
def _address(text: str) -> tuple[URL, dict[str, str]]:
    """Split an address into the URL to ask and the header for its user name and password."""
    from yarl import URL

    url = URL(text)
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("not a web address")
    if not url.user:
        return url, {}
    pair = f"{url.user}:{url.password or ''}".encode()
    return url.with_user(None), {"Authorization": f"Basic {b64encode(pair).decode()}"}


def _check_headers(headers: dict[str, str]) -> None:
    """Raise `ValueError` for a header that cannot be sent: a key with a line break, mostly."""
    text = "".join(map(str, [*headers, *headers.values()]))
    if "\r" in text or "\n" in text or "\0" in text:
        raise ValueError("a header holds a line break")
    text.encode("latin-1")


async def _read(response: Response) -> Reply:
    headers = _headers(response)
    content = response.content
    parts = [await content.readany()]
    while not content.at_eof():
        await asyncio.sleep(0)  # a full buffer would be read on and on without a pause
        parts.append(await content.readany())
    if error := content.exception():  # over a bound, with the very last bytes
        raise error
    body = parts[0] if len(parts) == 1 else b"".join(parts)
    if encoding := headers.get("content-encoding", "").strip().lower():
        if encoding not in ENCODINGS:
            raise UnknownEncoding(encoding)
        body = await _decode(body, decoder(encoding))
    return Reply(response.status, headers, body)


def _headers(response: Response) -> dict[str, str]:
    """Return the headers by lower-case name; repeated ones are joined by commas."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in response.raw_headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


async def _decode(body: bytes, decode: Decoder) -> bytes:
    """Undo a content encoding. A body that becomes large is finished in a thread."""
    steps, parts, size = decode.feed(body), list[bytes](), 0
    for part in steps:
        parts.append(part)
        size += len(part)
        if size >= DECODED_AT_ONCE:
            await asyncio.to_thread(_decode_rest, steps, parts, size)
            break
    decode.finish()
    return b"".join(parts)


def _decode_rest(steps: Iterator[bytes], parts: list[bytes], size: int) -> None:
    from kensaku.transport.sessions import MAX_REPLY_BYTES, ReplyTooLarge

    for part in steps:
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY_BYTES:
            raise ReplyTooLarge("the reply is too large")
