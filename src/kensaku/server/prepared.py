"""A request to a wire, and what was made of it before: the same bytes are decoded and read once.

    bytes → Asked → Call                                     pure: kept with the request
    Call, result → JSON with two holes → id and seconds      kept while an equal result is written

Nothing here decides: who asks, and whether it may, is checked for every request. All tenants share
what is kept, as it depends on nothing but the bytes that were sent and, for a reply, on the whole
result, which is compared.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from kensaku.server.http import JSON, decode_body, encode, pairs
from kensaku.server.wires.base import Asked, Exchange, Text

if TYPE_CHECKING:
    from starlette.types import Scope

    from kensaku.server.wires.base import Call, Endpoint

MAX_REQUESTS = 512  # that are kept
MAX_SENT = 2_048  # bytes of a request that is kept
MAX_REPLY = 32_768  # bytes of a reply that is kept
DAY = 86_400
# JSON escapes control characters: no text of a page can look like a hole.
ID, SECONDS = b"\0", b"\1"
_HOLES: Any = (orjson.Fragment(ID), orjson.Fragment(SECONDS))


class Prepared:
    """A request that is decoded."""

    __slots__ = ("_call", "_day", "_endpoint", "_result", "_template", "asked")

    def __init__(self, endpoint: Endpoint, asked: Asked) -> None:
        self.asked, self._endpoint = asked, endpoint
        self._call: Call | None = None
        self._day = 0.0
        self._result: Any = None
        self._template = b""

    def read(self) -> Call:
        """What is asked for. Raises `InvalidQuery`. A wire may look at the date."""
        day = time.time() // DAY
        if self._call is None or day != self._day:
            self._call, self._day, self._result = self._endpoint.read(self.asked), day, None
        return self._call

    def write(
        self, call: Call, result: Any, request_id: str, elapsed: float
    ) -> tuple[bytes, bytes]:
        """The body of the reply, and its media type."""
        seconds = round(elapsed, 3)
        if self._result is None or call is not self._call or result != self._result:
            exchange = Exchange(self.asked, request_id, seconds)
            if not getattr(result, "cached", False) or not self._keep(call, result):
                return _encoded(self._endpoint.write(call, result, exchange))
        filled = self._template.replace(ID, encode(request_id)).replace(SECONDS, encode(seconds))
        return filled, JSON

    def _keep(self, call: Call, result: Any) -> bool:
        """Keep the reply as a template, if it can be one."""
        written = self._endpoint.write(call, result, Exchange(self.asked, *_HOLES))
        try:
            template = b"" if isinstance(written, Text) else orjson.dumps(written)
        except TypeError:  # half characters, and numbers over 64 bits
            template = b""
        if not 0 < len(template) <= MAX_REPLY:
            return False
        self._call, self._result, self._template = call, result, template
        return True


def prepare(endpoint: Endpoint, scope: Scope, headers: Mapping[str, str], raw: bytes) -> Prepared:
    """Decode a request, or take what is kept of the same one. Raises `InvalidQuery`.

    A wire sees what is in `sent`, and nothing else of the request.
    """
    path: Mapping[str, str] = scope.get("path_params") or {}
    sent = (
        raw,
        scope.get("query_string", b""),
        headers.get("content-type", ""),
        *(headers.get(name, "") for name in endpoint.sees),
        *path.values(),
    )
    make = _prepared if sum(map(len, sent)) <= MAX_SENT else _prepared.__wrapped__
    return make(endpoint, tuple(path), *sent)


@lru_cache(maxsize=MAX_REQUESTS)
def _prepared(
    endpoint: Endpoint, captured: tuple[str, ...], raw: bytes, query: bytes, kind: str, *more: str
) -> Prepared:
    text = query.decode("latin-1")
    values = iter(more)
    named = dict(zip(endpoint.sees, values, strict=False))
    asked = Asked(
        {} if endpoint.takes_bytes else decode_body(raw, kind),
        pairs(text) if text else {},
        dict(zip(captured, values, strict=True)),
        {name: value for name, value in named.items() if value},
        text,
        raw if endpoint.takes_bytes else b"",
    )
    return Prepared(endpoint, asked)


def _encoded(written: Any) -> tuple[bytes, bytes]:
    if isinstance(written, Text):
        return written.body.encode("utf-8", "replace"), written.media_type.encode()
    return encode(written), JSON
