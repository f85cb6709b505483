"""One endpoint of the page's API: who may call it, what it reads, and how it answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kensaku.database.keys import create_key
from kensaku.errors import InvalidQuery, PageUnavailable
from kensaku.server.api.base import Call, Endpoint, _json
from kensaku.server.page.viewer import COOKIE, Forbidden, Viewer
from kensaku.server.page.words import Words
from kensaku.server.session import Session
from tests.server.page.page_request import page_of

JSON = "application/json"
SESSION = "s" * 43
TOKEN = Viewer(SESSION, None).token
FROM_PAGE = {
    "x-kensaku-token": TOKEN,
    "origin": "http://localhost",
    "cookie": f"{COOKIE}={SESSION}",
}


class Answer:
    """What was sent."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    async def send(self, message: Any) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {n.decode(): v.decode() for n, v in self.messages[0]["headers"]}

    @property
    def body(self) -> bytes:
        return b"".join(m.get("body", b"") for m in self.messages[1:])

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@pytest.fixture
def ask(state, monkeypatch):
    """Call an endpoint as the server does; `ask.recorded` are outcomes and endpoints."""
    recorded: list[tuple[str, str, str]] = []

    def record(session: Session, endpoint: str, elapsed_ms: float) -> None:
        recorded.append((session.outcome, endpoint, session.principal.key_id))

    monkeypatch.setattr(state, "record", record)

    async def call(
        endpoint: Endpoint, body: bytes = b"", query: str = "", gone: bool = False, **headers: str
    ) -> Answer:
        sent = {"host": "localhost"} | {n.replace("_", "-"): v for n, v in headers.items()}
        scope = {
            "type": "http", "scheme": "http", "path": "/x", "method": endpoint.method,
            "query_string": query.encode(), "client": ("127.0.0.1", 1),
            "headers": [(n.encode(), v.encode()) for n, v in sent.items()],
            "state": {"request_id": "request-1"}, "path_params": {"name": "notes"},
        }  # fmt: skip
        messages = [{"type": "http.request", "body": body}] * (not gone)

        async def receive() -> Any:
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        answer = Answer()
        await endpoint.route(state).endpoint(scope, receive, answer.send)  # type: ignore[attr-defined]
        return answer

    call.recorded = recorded  # type: ignore[attr-defined]
    return call


async def echo(call: Call) -> dict[str, Any]:
    return {
        "fields": dict(call.fields), "path": dict(call.path), "raw": call.raw.decode(),
        "who": call.principal.name, "same": call.client is call.state.client,
    }  # fmt: skip


async def test_a_handler_gets_the_path_and_the_fields(ask):
    """Of the address, or of the body where there is one; what it returns is JSON."""
    shown = {"fields": {"a": "1"}, "path": {"name": "notes"}, "raw": "", "who": "anyone"}

    got = await ask(Endpoint("GET", "/api/x", echo), query="a=1")
    put = await ask(
        Endpoint("POST", "/api/x", echo), b'{"b":2}', "a=1", content_type=JSON, **FROM_PAGE
    )
    file = await ask(Endpoint("POST", "/api/x", echo, raw=True), b"\0x", "a=1", **FROM_PAGE)

    assert got.json == {**shown, "same": True}
    assert (got.status, got.headers) == (
        200,
        {"content-type": JSON, "content-length": str(len(got.body)), "cache-control": "no-store"},
    )
    assert put.json == {**shown, "fields": {"b": 2}, "raw": '{"b":2}', "same": True}
    assert file.json == {**shown, "raw": "\0x", "same": True}
    assert ask.recorded == [("found", "api/x", "")] * 3


async def test_who_only_watches_takes_no_slot(ask, state):
    """A page that is open all day is no request that is under way."""
    running: list[int] = []

    async def count(call: Call) -> dict[str, Any]:
        running.append(state.admission.running)
        return {}

    for admitted in (True, False):
        answer = await ask(Endpoint("GET", "/api/x", count, admitted=admitted))
        assert answer.json == {}

    assert running == [1, 0]
    assert len(ask.recorded) == 1


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("POST", {}, 403),
        ("DELETE", {}, 403),
        ("POST", FROM_PAGE, 200),
        ("POST", FROM_PAGE | {"x-kensaku-token": "x"}, 403),
        ("POST", {"authorization": "Bearer anything"}, 200),
    ],
)
async def test_a_change_comes_from_the_page_or_from_a_program(ask, method, headers, status):
    """A page of another site has no token."""
    answer = await ask(Endpoint(method, "/api/x", echo), **headers)

    assert answer.status == status
    if status != 200:
        assert answer.json["error"]["type"] == "Forbidden"
        assert answer.headers["cache-control"] == "no-store"


async def test_with_keys_a_call_needs_one_and_some_an_admins(ask, state):
    """Without, it is told how to get one."""
    _, ann = await create_key(state.database, "ann", admin=True)
    _, ben = await create_key(state.database, "ben")
    state.keys.require()
    free, guarded = Endpoint("GET", "/api/x", echo), Endpoint("GET", "/api/x", echo, admin=True)
    key = {n: {"authorization": f"Bearer {s}"} for n, s in (("ann", ann), ("ben", ben))}

    assert (await ask(free)).status == 401
    assert [(await ask(free, **key[n])).json["who"] for n in ("ann", "ben")] == ["ann", "ben"]
    assert (await ask(guarded, **key["ann"])).status == 200
    refused = await ask(guarded, **key["ben"])
    assert refused.status == 403
    words = Words("en")
    forbidden = Forbidden(words("no.permission"), remedy=words("no.permission.why"))
    assert refused.json == {"error": forbidden.to_dict()}


async def test_searches_count_against_the_day_of_a_key(ask, state):
    """Other calls count against its rate alone."""
    _, secret = await create_key(state.database, "ben", searches_per_day=1)
    state.keys.require()
    key = {"authorization": f"Bearer {secret}"}
    search, other = Endpoint("GET", "/s", echo, searches=1), Endpoint("GET", "/o", echo)

    statuses = [(await ask(e, **key)).status for e in (other, search, search, other)]

    assert statuses == [200, 200, 432, 200]
    assert [outcome for outcome, *_ in ask.recorded] == ["found", "found", "QuotaExceeded", "found"]


async def test_a_body_has_the_bound_of_its_endpoint(ask):
    """A file may be larger than JSON."""
    endpoint = Endpoint("POST", "/x", echo, raw=True, max_body=3)

    assert (await ask(endpoint, b"123", **FROM_PAGE)).status == 200
    assert (await ask(endpoint, b"1234", **FROM_PAGE)).status == 413


async def test_who_has_gone_is_told_nothing(ask):
    """There is nobody to read it."""
    answer = await ask(Endpoint("GET", "/x", echo), gone=True)

    assert answer.messages == []


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidQuery("no such thing", remedy="ask for another"), 400),
        (PageUnavailable("404 Not Found", status=404), 502),
    ],
    ids=["ours", "another server's"],
)
async def test_an_error_is_told_with_its_kind(ask, error, status):
    """What another server said about its page is not said about ours."""

    async def fail(call: Call) -> None:
        raise error

    answer = await ask(Endpoint("GET", "/x", fail))

    assert answer.status == status
    assert answer.json == {"error": error.to_dict()}
    assert ask.recorded == [(type(error).__name__, "x", "")]


async def test_what_a_handler_yields_is_sent_as_events(ask):
    """With their ids, where a stream can go on behind them; an error is the last of them."""

    async def events(call: Call) -> AsyncIterator[Any]:
        yield "one", {"n": 1}
        yield "two", {"text": "あ"}, "run:2"
        raise InvalidQuery("enough")

    answer = await ask(Endpoint("GET", "/x", events))

    failed = json.dumps({"error": InvalidQuery("enough").to_dict()}, separators=(",", ":"))
    assert answer.body.decode() == (
        'event: one\ndata: {"n":1}\n\n'
        'id: run:2\nevent: two\ndata: {"text":"あ"}\n\n'
        f"event: failed\ndata: {failed}\n\n"
    )
    assert (answer.status, answer.headers) == (
        200,
        {
            "cache-control": "no-store",
            "x-accel-buffering": "no",
            "content-type": "text/event-stream; charset=utf-8",
        },
    )


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        ("application/json", True),
        (" Application/JSON ; charset=utf-8", True),
        ("application/json-x", False),
        ("text/plain", False),
        ("", False),
    ],
)
def test_a_body_is_json_by_its_type(kind, taken):
    """A form of another site can send others without being asked first."""
    if taken:
        assert _json(b'{"a": 1}', kind) == {"a": 1}
    else:
        with pytest.raises(InvalidQuery, match="the body must be application/json"):
            _json(b'{"a": 1}', kind)


@pytest.mark.parametrize(
    ("value", "most", "taken"),
    [
        ("x", 1, True),
        ("xy", 1, False),
        ("", 1, False),
        (5, 9, False),
        (None, 9, False),
        ("x" * 2_000, None, True),
        ("x" * 2_001, None, False),
    ],
)
def test_a_text_has_bounds(value, most, taken):
    """2,000 characters where nothing else is said."""
    call = Call(page_of(), None, {}, {"a": value})  # type: ignore[arg-type]
    bound = () if most is None else (most,)
    if taken:
        assert call.text("a", *bound) == value
    else:
        with pytest.raises(InvalidQuery, match=f"a must be a text of 1 to {most or 2_000:,} char"):
            call.text("a", *bound)


def test_a_call_does_not_show_its_body():
    """It may be a person's file."""
    assert "secret" not in repr(Call(page_of(), None, {}, {}, b"secret"))  # type: ignore[arg-type]
