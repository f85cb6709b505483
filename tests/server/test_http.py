"""HTTP on ASGI: JSON and forms, how many fields there may be, whole replies."""

from __future__ import annotations

from typing import Any

from kensaku.server.http import Whole, encode

FORM = "application/x-www-form-urlencoded; charset=utf-8"


async def test_a_body_is_json_or_a_form(http, upstream):
    """What its type says, or what it is; of two fields of one name the first counts."""
    taken = {
        b'{"query": "\xe6\xa4\x9c"}': ("application/json", "検"),
        b'\xef\xbb\xbf{"query": "marked"}': ("", "marked"),
        b"query=a+b&query=c&topic=": (FORM, "a b"),
        b"query=\xff": (FORM, "�"),
        b' {"query": "curl"}': (FORM, "curl"),  # curl -d '{…}' says that it is a form
    }
    for raw, (kind, _) in taken.items():
        reply = await http.post("/search", content=raw, headers={"Content-Type": kind})
        assert reply.status_code == 200, raw
    await http.get("/search?q=first&q=second&format=json")

    asked = [request.json["query"] for request in upstream.asked("tavily")]
    assert asked == [*(query for _, query in taken.values()), "first"]


async def test_what_is_no_object_is_refused(http):
    """In one sentence."""
    head = b'{"query": "otters", '
    for raw, says in (
        (b"[1]", "must be a JSON object"),
        (b"query=a", "not valid JSON"),
        (head + b'"n": NaN}', "not valid JSON"),
        (head + b'"n": "\xff"}', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
    ):
        reply = await http.post("/search", content=raw, headers={"Content-Type": "x/json"})
        assert reply.status_code == 400
        assert says in reply.json()["detail"]["error"]


async def test_there_are_five_hundred_fields_at_most(http):
    """Of a form, or of an address."""
    fits = "query=otters" + "".join(f"&f{n}=" for n in range(499))
    for sent, status in ((fits, 200), (f"{fits}&one=more", 400)):
        head = {"Content-Type": FORM}
        assert (await http.post("/search", content=sent, headers=head)).status_code == status
        searched = f"/searxng/search?format=json&{sent.replace('query', 'q').replace('&f0=', '')}"
        assert (await http.get(searched)).status_code == status


def test_values_are_written_as_json():
    """Half characters and large numbers, too."""
    assert encode({"a": ["検索", 1.5, None]}) == '{"a":["検索",1.5,null]}'.encode()
    assert encode({"a": "\ud800", "b": 2**70}) == b'{"a":"?","b":1180591620717411303424}'


async def test_a_header_holds_no_other_header():
    """A value with a line break begins none of its own; a long one is cut."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    headers = [("x-why", "a\r\nb: é"), ("x-long", "y" * 1_001)]
    await Whole(b"tea", 418, headers)({}, receive, send)

    assert sent[0]["headers"][-2:] == [(b"x-why", b"a??b: ?"), (b"x-long", b"y" * 1_000)]
