"""HTTP on ASGI: read a bounded body, write a reply, a status for every error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from kensaku.errors import (
    BudgetExceeded,
    DatabaseFault,
    FetchError,
    IndexFault,
    InvalidQuery,
    KensakuError,
    MissingExtra,
    UnknownJob,
    UsageError,
)
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

try:
    import orjson
except ImportError:
    raise MissingExtra("orjson", "server") from None

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

MAX_BODY = 4 * 2**20
MAX_UNKEYED_BODY = 64 * 1024  # of which a server with keys reads to look for a key in it
MAX_FIELDS = 500
JSON = b"application/json"
Headers = Iterable[tuple[str, str]]
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are no JSON


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


class BodyTooLarge(InvalidQuery):
    """The body of a request is over the bound."""

    status = 413


class BodiesTooLarge(KensakuError):
    """Those who have no key send more at once than the server holds for them."""

    status, retry_after = 503, 5.0

    def __init__(self) -> None:
        super().__init__(
            "too many large requests without a key are under way",
            remedy="try again, or create a key: kensaku keys create NAME",
        )


class ClientDisconnected(Exception):
    """The client went away before its request was whole."""


_STATUS: tuple[tuple[type[KensakuError], int], ...] = (
    (UnknownJob, 404),
    (UsageError, 400),
    (FetchError, 422),  # the document, or its address, cannot be read: not a failure of ours
    (BudgetExceeded, 432),
    (IndexFault, 503),
    (DatabaseFault, 503),
)


def status_of(error: KensakuError) -> tuple[int, list[tuple[str, str]]]:
    """Return the status of an error, which may have its own, and the headers that go with it."""
    retry = getattr(error, "retry_after", None)
    headers = [("retry-after", str(max(1, round(retry))))] if retry else []
    own = getattr(error, "status", None)
    if isinstance(own, int) and 400 <= own < 600:
        return own, headers
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500), headers


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers of a request, names in lower case. Of two of one name, the first."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1"), value.decode("latin-1"))
    return found


def params_of(scope: Scope) -> dict[str, str]:
    """Return the query of the URL. Of two parameters of one name, the first."""
    raw: bytes = scope.get("query_string", b"")
    return pairs(raw.decode("latin-1")) if raw else {}


class BodyMemory:
    """Bounds the bodies of those who have no key: the bytes of all of them that are held."""

    def __init__(self, most: int = 48 * 2**20) -> None:
        self._most, self._held = most, 0

    def take(self, size: int) -> None:
        """Hold so many bytes more. Raises `BodiesTooLarge`."""
        if self._held + size > self._most:
            raise BodiesTooLarge
        self._held += size

    def give_back(self, size: int) -> None:
        """Hold so many bytes less."""
        self._held -= size


async def read_body(
    receive: Receive, most: int = MAX_BODY, take: Callable[[int], None] | None = None
) -> bytes:
    """Return the whole body. Raises `BodyTooLarge` before it is read to the end.

    `take` is told of every part before it is kept, and may raise.
    """
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > most:
            raise BodyTooLarge(msg("the body is over {most:,} bytes", most=most))
        if take is not None:
            take(len(part))
        parts.append(part)
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def decode_body(raw: bytes, content_type: str) -> Mapping[str, Any]:
    """Return the fields of a JSON object or a form. Raises `InvalidQuery`."""
    if not raw:
        return {}
    is_form = content_type.startswith("application/x-www-form-urlencoded")
    if is_form and not raw.lstrip().startswith(b"{"):  # curl -d '{…}' says that it is a form
        return pairs(raw.decode("utf-8", "replace"))
    try:
        body = decode_json(raw, decoder=_DECODER)
    except ValueError:
        raise InvalidQuery(msg("the body is not valid JSON")) from None
    if not isinstance(body, dict):
        raise InvalidQuery(msg("the body must be a JSON object"))
    return body


def encode(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; half characters are replaced."""
    try:
        return orjson.dumps(value)
    except TypeError:  # half characters and numbers over 64 bits, which orjson refuses
        return _JSON.encode(value).encode("utf-8", "replace")


def data_frame(value: Any) -> bytes:
    """Return a value as a server-sent event."""
    return b"data: " + encode(value) + b"\n\n"


class Whole:
    """A reply in one piece, as an ASGI application."""

    def __init__(
        self, body: bytes, status: int = 200, headers: Headers = (), media_type: bytes = JSON
    ) -> None:
        self.body, self.status, self._headers, self._type = body, status, headers, media_type

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fields = [(b"content-type", self._type), (b"content-length", b"%d" % len(self.body))]
        fields += [(n.encode("latin-1"), _header(v)) for n, v in self._headers]
        await send({"type": "http.response.start", "status": self.status, "headers": fields})
        await send({"type": "http.response.body", "body": self.body})


def _header(value: str) -> bytes:
    """A value of a header: nothing in it may begin another one."""
    return re.sub(r"[^\x20-\x7e]", "?", value)[:1_000].encode("latin-1")


def pairs(text: str) -> dict[str, str]:
    """Return the fields of a form, or of the query of a URL. Raises `InvalidQuery`."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise InvalidQuery(
            msg("there are more than {max_fields} fields", max_fields=MAX_FIELDS)
        ) from None
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found
