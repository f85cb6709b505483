"""HTTP on ASGI: bounded bodies and fields, JSON and forms, whole replies."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.server.http import (
    BodyTooLarge,
    ClientDisconnected,
    Whole,
    decode_body,
    encode,
    headers_of,
    params_of,
    read_body,
)


def receiving(*messages: dict[str, Any]):
    """A client that sends these, one after the other."""
    left = list(messages)

    async def receive() -> Any:
        return left.pop(0)

    return receive


def part(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_a_body_is_read_to_its_bound():
    """In one part or in many; a client that goes away has sent nothing."""
    assert await read_body(receiving(part(b"12345")), 5) == b"12345"
    assert await read_body(receiving(part(b"12", more=True), part(b"345")), 5) == b"12345"
    assert await read_body(receiving({"type": "http.request"})) == b""
    with pytest.raises(BodyTooLarge, match="5 bytes"):
        await read_body(receiving(part(b"123456", more=True)), 5)
    with pytest.raises(BodyTooLarge):
        await read_body(receiving(part(b"123", more=True), part(b"456", more=True)), 5)
    with pytest.raises(ClientDisconnected):
        await read_body(receiving(part(b"12", more=True), {"type": "http.disconnect"}))


FORM = "application/x-www-form-urlencoded; charset=utf-8"


@pytest.mark.parametrize(
    ("raw", "kind", "fields"),
    [
        (b"", "application/json", {}),
        (b'{"q": "\xe6\xa4\x9c"}', "application/json", {"q": "検"}),
        (b'\xef\xbb\xbf{"q": 1}', "", {"q": 1}),
        (b"q=a+b&q=c&n=", FORM, {"q": "a b", "n": ""}),  # the first of two
        (b"q=\xff", FORM, {"q": "�"}),
        (b' {"q": 1}', FORM, {"q": 1}),  # curl -d '{…}' says that it is a form
    ],
)
def test_a_body_is_json_or_a_form(raw, kind, fields):
    """What its type says, or what it is."""
    assert decode_body(raw, kind) == fields


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"[1]", "must be a JSON object"),
        (b"q=a", "not valid JSON"),
        (b'{"n": NaN}', "not valid JSON"),
        (b'{"n": Infinity}', "not valid JSON"),
        (b'{"q": "\xff"}', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
def test_what_is_no_object_is_refused(raw, says):
    """In one sentence."""
    with pytest.raises(InvalidQuery, match=says):
        decode_body(raw, "application/json")


def test_there_are_five_hundred_fields_at_most():
    """Of a form, or of an address."""
    fits = "&".join(f"f{n}=" for n in range(500))

    assert len(decode_body(fits.encode(), FORM)) == 500
    with pytest.raises(InvalidQuery, match="more than 500 fields"):
        decode_body(f"{fits}&one=more".encode(), FORM)


def test_of_two_headers_or_parameters_of_one_name_the_first_counts():
    """Whoever adds another changes nothing."""
    headers = [(b"x-key", b"first"), (b"x-key", b"second"), (b"accept", b"\xe9")]

    assert headers_of({"headers": headers}) == {"x-key": "first", "accept": "é"}
    assert params_of({"query_string": b"q=a&q=b&n"}) == {"q": "a", "n": ""}
    assert params_of({}) == {}


def test_values_are_written_as_json():
    """Half characters and large numbers, too."""
    assert encode({"a": ["検索", 1.5, None]}) == '{"a":["検索",1.5,null]}'.encode()
    assert encode({"a": "\ud800", "b": 2**70}) == b'{"a":"?","b":1180591620717411303424}'


async def test_a_reply_is_whole_and_its_headers_hold_no_other():
    """A value with a line break begins no header of its own."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [("x-why", "a\r\nb: é"), ("x-long", "y" * 1_001)]
    await Whole(b"tea", 418, headers, b"text/plain")({}, receiving(), send)

    assert sent == [
        {
            "type": "http.response.start",
            "status": 418,
            "headers": [
                (b"content-type", b"text/plain"),
                (b"content-length", b"3"),
                (b"x-why", b"a??b: ?"),
                (b"x-long", b"y" * 1_000),
            ],
        },
        {"type": "http.response.body", "body": b"tea"},
    ]
    sent.clear()
    await Whole(b"{}")({}, receiving(), send)
    assert sent[0]["headers"][0] == (b"content-type", b"application/json")
