"""Requests that nobody sends by accident: keys, bodies, methods and heads, below any client."""

from __future__ import annotations

import asyncio
import json
import random
import re
import string
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import event

from kensaku.server.asgi import app
from kensaku.transport.protocol import MAX_HEAD

from .conftest import Running

LEAK = re.compile(rb"Traceback|File \"|site-packages|\.py\b|/home/|/tmp/|/root/|sqlalchemy|sqlite3")
AT_ONCE = 16


async def send(url: str, data: bytes, *, cut: bool = False) -> tuple[int, bytes]:
    """Send bytes on a connection of their own; return status and reply, 0 when there is none."""
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(data)
        if cut:
            writer.write_eof()
        async with asyncio.timeout(60):
            await writer.drain()
            raw = await reader.read()
    except ConnectionError:  # the reply may come before all was sent
        raw = b""
    finally:
        writer.close()
    line = raw.split(b"\r\n", 1)[0].split(b" ")
    return int(line[1]) if len(line) > 1 else 0, raw


def request(method: str, path: str, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> bytes:
    lines = [b"%s %s HTTP/1.1" % (method.encode(), path.encode("latin-1")), b"Host: 127.0.0.1"]
    lines += [name + b": " + value for name, value in headers]
    lines += [b"Connection: close", b"Content-Length: %d" % len(body)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def send_all(
    count: int, make: Callable[[int], Awaitable[tuple[int, bytes]]]
) -> list[tuple[int, bytes]]:
    """Send so many requests, a few at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(n: int) -> tuple[int, bytes]:
        async with room:
            return await make(n)

    return await asyncio.gather(*(one(n) for n in range(count)))


# --- keys

SQL = [
    "' OR '1'='1", "'; DROP TABLE api_keys; --", "x' UNION SELECT hash FROM api_keys --",
    '") OR 1=1 --', "ksk_' OR hash IS NOT NULL --", "%27%20OR%201=1", "${jndi:ldap://x}",
    "{{7*7}}", "../../etc/passwd", "admin'/*", "1;SELECT pg_sleep(9)", "\\x00", "%00",
]  # fmt: skip
ODD = [
    "", " ", "\t", "Bearer", "bearer ", "[]", '["ksk_a","ksk_b"]', '{"key": 1}', "null", "0",
    "ksk_", "ksk_" + "a" * 32, "ksk_" + "a" * 31, "ksk_" + "é" * 32, "鍵", "🔑" * 40, "\x7f\x1b",
    "a" * 70_000, "ksk_" + "b" * 1_000_000, "𝐤𝐬𝐤_", "k\u0000", "\u202e", "ﬀ" * 9, "\\u0000",
]  # fmt: skip


def values() -> Iterator[bytes]:
    """500 values of Authorization, hostile in one way or another."""
    schemes = ["Bearer ", "bearer\t", "Basic ", "", "Bearer Bearer ", "Token "]
    fixed = [(scheme + text).encode() for scheme in schemes for text in (*SQL, *ODD)]
    yield from [v for v in fixed if len(v) < 500_000 or v.startswith(b"Bearer ksk")]
    dice = random.Random(11)
    while True:
        raw = dice.randbytes(dice.randint(1, 60)).replace(b"\r", b"").replace(b"\n", b"")
        known = b"ksk_" + "".join(dice.choices(string.ascii_letters, k=32)).encode()
        yield b"Bearer " + dice.choice([raw, known, known + raw, raw + known, known + b"\x00"])


async def test_no_authorization_breaks_the_server_or_reaches_sql(server, make_key):
    """500 of them: refused, and every statement is the same one with a hash as its parameter."""
    real = await make_key(server)
    statements: set[str] = set()
    parameters: list[Any] = []

    def record(_connection, _cursor, statement, given, _context, _many):
        statements.add(statement)
        parameters.append(given)

    event.listen(server.state.database._engine.sync_engine, "before_cursor_execute", record)
    hostile = [value for value, _ in zip(values(), range(500), strict=False)]
    body = json.dumps({"query": "otters"}).encode()

    async def ask(n: int) -> tuple[int, bytes]:
        headers = [(b"Authorization", hostile[n])]
        if n % 10 == 9:  # two of them: the first counts, and is not taken together with another
            headers.append((b"Authorization", b"Bearer " + real.encode()))
        return await send(server.url, request("POST", "/search", headers, body))

    said = await send_all(500, ask)

    assert len(hostile) == 500
    assert Counter(status for status, _ in said).keys() <= {400, 401, 431}
    assert not [reply for _, reply in said if LEAK.search(reply)]
    asked = {s for s in statements if "api_keys" in s and "IN (" in s}
    assert len({re.sub(r"[?, ]+|\$\d+|:\w+", "?", s) for s in asked}) <= 1
    digests = [p for given in parameters for p in given if "api_keys" in str(asked)]
    assert all(isinstance(p, bytes) or "ksk" not in str(p) for p in digests)
    assert not any("DROP" in s or "UNION" in s or "ksk" in s for s in statements)
    status, _ = await send(
        server.url,
        request("POST", "/search", [(b"Authorization", b"Bearer " + real.encode())], body),
    )
    assert status == 200


async def test_a_head_without_an_end_is_refused(server):
    """431 once it is over the bound, and what follows is not kept."""
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"a" * (MAX_HEAD + 300_000)

    status, _ = await send(server.url, head)

    assert status == 431


@pytest.mark.parametrize(("size", "expected"), [(65_536, 200), (65_537, 431)])
async def test_the_names_and_values_of_headers_and_the_address_are_counted(server, size, expected):
    """64 KiB of them together are taken, and not a byte more."""
    fixed = len("/healthz" + "a=1" + "host" + "127.0.0.1" + "connection" + "close" + "x-" + "long")
    name = b"X-Long" + b"g" * 1_000
    value = b"v" * (size - fixed - 1_000)
    lines = [b"Host: 127.0.0.1", b"Connection: close", name + b": " + value]

    status, _ = await send(
        server.url, b"GET /healthz?a=1 HTTP/1.1\r\n" + b"\r\n".join(lines) + b"\r\n\r\n"
    )

    assert status == expected


async def test_a_body_that_ends_early_is_nobodys_error(server, caplog):
    """The client is gone: nothing is logged as a failure, at a wire, an account or the page."""
    head = b"Host: 127.0.0.1\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{"
    for path in (b"/search", b"/research", b"/feedback", b"/api/search", b"/mcp"):
        await send(server.url, b"POST " + path + b" HTTP/1.1\r\n" + head, cut=True)

    assert not [r for r in caplog.records if r.exc_info]


# --- everything else

TEXTS = [
    "otters", "", " ", "\x00", "a" * 3_000, "é", "\ud800", "' OR 1=1 --", "../../etc/passwd",
    "http://127.0.0.1:1/", "http://[::1", "file:///etc/passwd", "javascript:alert(1)", "-1", "1e999",
    "NaN", "true", "<script>", "\u202e", "((((a*)*)*)*", "%s%n", "2026-13-45", "https://",
]  # fmt: skip
NAMES = [
    "query", "q", "url", "urls", "input", "max_results", "limit", "count", "num", "topic", "model",
    "search_depth", "time_range", "start_date", "include_domains", "country", "timeout", "stream",
    "max_depth", "select_paths", "contents", "formats", "freshness", "offset", "api_key", "files",
    "output_schema", "method", "id", "params", "jsonrpc", "collection", "route", "name", "texts",
]  # fmt: skip
TYPES = [
    b"application/json", b"application/x-www-form-urlencoded", b"text/plain", b"", b"image/png",
    b"application/json; charset=utf-16", b"multipart/form-data; boundary=x", b"\xff",
]  # fmt: skip


class Fuzz:
    """Makes requests, the same ones with the same seed."""

    def __init__(self, paths: list[tuple[str, str]], key: str, seed: int) -> None:
        self._paths, self._key, self._dice = paths, key, random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        dice = self._dice
        kind = dice.randint(0, 9 if depth < 3 else 6)
        if kind < 4:
            return dice.choice(TEXTS)
        if kind < 7:
            return dice.choice([None, True, False, 0, -1, 5, 10**40, 1e308, -0.5, 2**63, 1.5])
        if kind < 9:
            return [self.value(depth + 1) for _ in range(dice.randint(0, 4))]
        return self.fields(depth + 1)

    def fields(self, depth: int = 0) -> dict[str, Any]:
        names = self._dice.sample(NAMES, self._dice.randint(0, 8))
        return {name: self.value(depth) for name in names}

    def body(self) -> bytes:
        dice = self._dice
        whole = json.dumps({"query": "otters", **self.fields()}).encode()
        return dice.choice(
            [
                whole, whole, whole, whole, whole[: len(whole) // 2], b"", b"[1]", b'"x"', b"null",
                b"[" * 50_000, b'{"a":' * 20_000, dice.randbytes(200), whole.decode().encode("utf-16"),
                b'{"query": NaN}', b'{"query": 1' + b"0" * 6_000 + b"}", b"\xef\xbb\xbf" + whole,
                b'{"query": "\xff\xfe"}', b"a=b&" * 600,
            ]
        )  # fmt: skip

    def path(self) -> tuple[str, str]:
        method, path = self._dice.choice(self._paths)
        text = self._dice.choice(
            ["x", "%00", "%ff%fe", "..%2f..", "a" * 300, "%F0%9F", "1", "a%0d%0ab:c"]
        )
        path = re.sub(r"\{[^}]+\}", lambda _: text, path)
        if self._dice.random() < 0.3:
            path += "?" + self._dice.choice(["q=otters", "q=%ff", "&&&=", "format=json&q=" + text])
        odd = ["PATCH", "PUT", "HEAD", "OPTIONS", "TRACE", "BREW"]
        return (self._dice.choice(odd) if self._dice.random() < 0.1 else method), path

    def request(self) -> tuple[bytes, bool]:
        """The bytes, and whether the client stops sending after them."""
        dice, (method, path), body = self._dice, self.path(), self.body()
        headers = [(b"Content-Type", dice.choice(TYPES))]
        if dice.random() < 0.9:
            headers.append((b"Authorization", b"Bearer " + self._key.encode()))
        whole = request(method, path, headers, body)
        if dice.random() < 0.9:
            return whole, False
        head = whole.partition(b"Content-Length")[0] + b"Transfer-Encoding: chunked\r\n\r\n"
        chunk = b"%x\r\n%s\r\n" % (max(1, len(body)), body or b" ")
        return head + dice.choice([chunk[: len(chunk) // 2], chunk, b"zz\r\n", b"-1\r\n\r\n"]), True


@pytest.fixture
def paths(server) -> list[tuple[str, str]]:
    """Every method and path that the server has."""
    inner = app(server.client.settings, client=server.client)._app
    found = [(m, r.path) for r in inner.routes for m in sorted(getattr(r, "methods", None) or ())]
    # A run of research is a job of seconds: it is fuzzed less. /readyz says 503 on a busy machine.
    less = {("POST", "/tavily/research"), ("GET", "/readyz"), ("HEAD", "/readyz")}
    return [*(p for p in found if p not in less), *PLAIN]


PLAIN = [("POST", "/search"), ("POST", "//search"), ("GET", "/nothing"), ("POST", "/extract")]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.usefixtures("volume")
async def test_no_request_breaks_the_server(server: Running, make_key, paths, seed):
    """1,000 to every endpoint: no 5xx, no stack and no path in a reply, and it goes on serving."""
    fuzz = Fuzz(paths, await make_key(server, tenant="fuzz"), seed)
    made = [fuzz.request() for _ in range(500)]

    async def ask(n: int) -> tuple[int, bytes]:
        data, cut = made[n]
        return await send(server.url, data, cut=cut)

    said = await send_all(500, ask)

    broken = [(made[n][0][:300], said[n][1][-300:]) for n in range(500) if said[n][0] >= 500]
    assert not broken, "\n".join(map(str, broken))
    leaking = [m for _, reply in said if (m := LEAK.search(reply.partition(b"\r\n\r\n")[2]))]
    assert not leaking
    assert Counter(status for status, _ in said)[200] > 20  # not all of it is refused at once
    assert (await send(server.url, request("GET", "/healthz", [])))[0] == 200
