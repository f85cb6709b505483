"""What every request passes first: ids, paths, headers, and failures without a word too much."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.observe import Observer, Observers, caller
from kensaku.operations import RequestOperation
from kensaku.server.entry import Entry

SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
]
START = {"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]}
BODY = {"type": "http.response.body", "body": b"ok"}


class Ended(Observer):
    """The requests that have ended."""

    kinds = (RequestOperation,)

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def end(self, operation: Any) -> None:
        self.requests.append(operation)


class Served:
    """An entry over an application that sends these messages, then fails if it is to."""

    def __init__(self, *messages: Any, error: Exception | None = None, **exact: Any) -> None:
        self.messages, self.error, self.scopes = messages, error, []
        self.sent: list[Any] = []
        self.ended = Ended()
        self.callers: list[Any] = []
        state = SimpleNamespace(client=SimpleNamespace(observers=Observers([self.ended])))
        self.entry = Entry(self._app, state, exact.get("exact"))  # type: ignore[arg-type]

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        self.callers.append(caller.get())
        if scope["type"] == "http" and not scope.get("endpoint"):
            scope["endpoint"] = self._app
        for message in self.messages:
            await send(message)
        if self.error:
            raise self.error

    async def ask(self, path: str = "/search", *headers: tuple[bytes, bytes], **more: Any) -> None:
        async def send(message: Any) -> None:
            self.sent.append(message)

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": "POST", "path": path, "headers": list(headers), **more}
        await self.entry(scope, receive, send)


async def test_a_reply_gets_an_id_and_headers_that_keep_browsers_out():
    """Beside its own."""
    served = Served(START, BODY)

    await served.ask("/search", (b"accept", b"*/*"), (b"x-request-id", b"request-0001"))

    assert served.sent == [
        {**START, "headers": [(b"x-own", b"1"), (b"x-request-id", b"request-0001"), *SAFE]},
        BODY,
    ]
    assert served.scopes[0]["state"] == {"request_id": "request-0001"}
    assert served.callers[0].request_id == "request-0001"
    assert caller.get() is None
    (request,) = served.ended.requests
    assert (request.method, request.request_id, request.status, request.endpoint) == (
        "POST",
        "request-0001",
        200,
        "_app",
    )


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        (b"12345678", True),
        (b"1234567", False),
        (b"x" * 64, True),
        (b"x" * 65, False),
        (b"has space", False),
        (b"line\nbreak", False),
        (b"a.b-c_d.e", True),
    ],
)
async def test_an_id_of_the_client_is_taken_when_it_is_one(sent, taken):
    """Between 8 and 64 letters, digits, dots and dashes; else it gets a random UUID."""
    served = Served(START, BODY)

    await served.ask("/search", (b"x-request-id", sent))

    id = dict(served.sent[0]["headers"])[b"x-request-id"]
    uuid = rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert id == sent if taken else re.fullmatch(uuid, id)


async def test_new_ids_differ():
    """Each request has its own, of all four variants."""
    served = Served(START)
    for _ in range(200):
        await served.ask()

    ids = [scope["state"]["request_id"] for scope in served.scopes]
    assert len(set(ids)) == 200
    assert {id[19] for id in ids} == set("89ab")


@pytest.mark.parametrize(
    ("path", "served_path"),
    [
        ("//search", "/search"),
        ("///a//b", "/a//b"),
        ("/r/https://a.example", "/r/https://a.example"),
    ],
)
async def test_slashes_at_the_start_of_a_path_are_one(path, served_path):
    """Some clients join an address and a path with two."""
    served = Served(START, BODY)

    await served.ask(path, state={"of": "lifespan"})

    assert served.scopes[0]["path"] == served_path
    assert served.scopes[0]["state"].keys() == {"of", "request_id"}


async def test_headers_and_address_have_a_bound():
    """64 KiB together; what is over is refused before anything reads it."""
    head = 1 + 1 + len(b"x-a")
    fits, over = Served(START, BODY), Served(START, BODY)

    await fits.ask("/", (b"x-a", b"y" * (65_536 - head)), query_string=b"q")
    await over.ask("/", (b"x-a", b"y" * (65_537 - head)), query_string=b"q")

    assert fits.sent[0]["status"] == 200
    assert over.scopes == []
    assert over.sent[0]["status"] == 431
    assert json.loads(over.sent[1]["body"]) == {
        "detail": {"error": "the headers are over 65,536 bytes"}
    }
    assert over.ended.requests[0].status == 431
    assert over.ended.requests[0].endpoint == "none"


async def test_a_failure_before_the_reply_is_a_500_with_the_id_alone(caplog):
    """What failed is in the log."""
    served = Served(error=RuntimeError("secret"))

    await served.ask("/search", (b"x-request-id", b"request-0001"))

    assert served.sent[0]["status"] == 500
    assert json.loads(served.sent[1]["body"]) == {
        "detail": {"error": "Internal Server Error (request request-0001)"}
    }
    assert "request request-0001 failed" in caplog.text
    assert served.ended.requests[0].status == 500


async def test_a_failure_within_the_reply_ends_the_connection():
    """Half a reply must not look whole; after a whole one nobody hears of it."""
    half = Served(START, {**BODY, "more_body": True}, error=RuntimeError("x"))
    begun = Served(START, error=RuntimeError("x"))
    whole = Served(START, BODY, error=RuntimeError("x"))

    for served in (half, begun):
        with pytest.raises(RuntimeError):
            await served.ask()
    await whole.ask()

    assert [m["type"] for m in whole.sent] == ["http.response.start", "http.response.body"]
    assert whole.ended.requests[0].status == 200


async def test_a_client_that_has_gone_is_499():
    """Nobody was answered."""
    served = Served()

    await served.ask()

    assert served.sent == []
    assert served.ended.requests[0].status == 499


async def test_an_exact_path_goes_straight_to_its_endpoint():
    """Unless the server is mounted below another path."""

    class Direct:
        name = "tavily/search"

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await send({**START, "status": 201})

    served = Served(START, BODY, exact={("POST", "/search"): Direct()})
    for path, more in [("/search", {}), ("/search", {"root_path": "/x"}), ("/other", {})]:
        await served.ask(path, **more)

    assert [m["status"] for m in served.sent if m["type"] == "http.response.start"] == [
        201,
        200,
        200,
    ]
    assert served.ended.requests[0].endpoint == "tavily/search"


async def test_what_is_no_request_but_the_lifespan_is_ignored():
    """There are no websockets here."""
    served = Served()
    for kind in ("lifespan", "websocket"):
        await served.entry({"type": kind}, None, None)  # type: ignore[arg-type]

    assert [scope["type"] for scope in served.scopes] == ["lifespan"]
