"""Servers that mean harm: each answer ends in a typed error, in time, and leaves nothing."""

from __future__ import annotations

import asyncio
import sys
import zlib

import pytest

from kensaku.errors import FetchError, PageUnavailable, TooLarge
from kensaku.fetch.limits import FetchLimits
from tests.fetch.test_decode import SMALL
from tests.fetch.web import sends, whole

brotli = pytest.importorskip("brotli")


zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


# For servers that keep us waiting: each must end by one of these.
TIGHT = FetchLimits(
    connect=1, first_byte=0.5, total=3, wire=2**20, decoded=2**20, slow_bytes=1000, slow_window=0.3
)
# For all others, which end by what they send: no timeout decides, however busy the machine.
PATIENT = FetchLimits(
    connect=300, first_byte=300, total=300, wire=2**20, decoded=2**20, slow_bytes=1, slow_window=300
)


GZIP = zlib.compressobj(9, zlib.DEFLATED, 31)


ZEROS = bytes(4 * 2**20)


PACKED = {
    "gzip": GZIP.compress(ZEROS) + GZIP.flush(),
    "deflate": zlib.compress(ZEROS),
    "br": brotli.compress(ZEROS),
    "zstd": zstd.compress(ZEROS),
}


def forever(head, part, pause=0.0):
    """A server that never stops."""

    async def handler(writer, request):
        writer.write(head)
        while not writer.transport.is_closing():
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)

    return handler


def packed(name, status=200, **headers):
    body = PACKED[name]
    return (status, {"Content-Encoding": name, **headers}, body)


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


HOSTILE = {
    **{f"{n} bomb": (packed(n), TooLarge) for n in PACKED},
    **{f"{n} bomb on an error": (packed(n, 404), PageUnavailable) for n in PACKED},
    **{f"{n} bomb on a redirect": (packed(n, 302, Location="/x"), PageUnavailable) for n in PACKED},
    **{
        f"{n} cut off": (sends(whole(200, {"Content-Encoding": n}, SMALL[n][:-3])), PageUnavailable)
        for n in ("gzip", "deflate", "br", "zstd")
    },
    **{
        f"{n} that is not": ((200, {"Content-Encoding": n}, b"plain text"), PageUnavailable)
        for n in ("gzip", "br", "zstd")
    },
    **{
        f"encoded as {n}": ((200, {"Content-Encoding": n}, b"x"), error)
        for n, error in [
            ("gzip, gzip", TooLarge),
            ("br, gzip", TooLarge),
            ("gzip,deflate,br,zstd", TooLarge),
            ("compress", PageUnavailable),
            ("aes128gcm", PageUnavailable),
            ("x" * 5000, PageUnavailable),
        ]
    },
    "too many gzip members": ((200, {"Content-Encoding": "gzip"}, SMALL["gzip"] * 100), TooLarge),
    "too many zstd frames": ((200, {"Content-Encoding": "zstd"}, SMALL["zstd"] * 100), TooLarge),
    "zstd with a huge window": (
        (200, {"Content-Encoding": "zstd"}, b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00" * 9),
        PageUnavailable,
    ),
    "endless body": (forever(OK + b"\r\n", b"x" * 65536), TooLarge),
    "endless chunks": (
        forever(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"400\r\n" + b"x" * 1024 + b"\r\n"),
        TooLarge,
    ),
    "endless tiny chunks": (
        forever(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", pause=0.02),
        PageUnavailable,
    ),
    "a byte now and then": (forever(OK + b"\r\n", b"x", pause=0.05), PageUnavailable),
    "a body that says it is huge": (sends(OK + b"Content-Length: 99999999999\r\n\r\n"), TooLarge),
    "silence": (sends(end="hang"), PageUnavailable),
    "a head that trickles": (forever(OK, b"A: b\r\n", pause=0.1), PageUnavailable),
    "a body that never comes": (
        sends(OK + b"Content-Length: 5\r\n\r\n", end="hang"),
        PageUnavailable,
    ),
    "too many fields": (sends(OK + b"A: b\r\n" * 150 + b"\r\n"), TooLarge),
    "too long a field": (sends(OK + b"A: " + b"b" * 70_000 + b"\r\n\r\n"), TooLarge),
    "too long fields": (sends(OK + (b"A: " + b"b" * 9_000 + b"\r\n") * 9 + b"\r\n"), TooLarge),
    "an endless field": (forever(OK + b"A: ", b"b" * 8192), FetchError),
    "an endless head": (forever(OK, b"A: b\r\n" * 50), FetchError),
    "too long a status line": (sends(b"HTTP/1.1 200 " + b"O" * 90_000 + b"\r\n\r\n"), FetchError),
    "endless 100s": (forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.01), PageUnavailable),
    # These would go on until the deadline: none of it is body, and none of it ends the head.
    "a flood of 100s": (forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 400), TooLarge),
    "a flood of hints": (forever(b"", b"HTTP/1.1 103 X\r\nA: b\r\n\r\n" * 400), TooLarge),
    "a flood of tiny chunks": (forever(OK + CHUNKED, b"1\r\nx\r\n" * 4_000), TooLarge),
    "an endless chunk extension": (forever(OK + CHUNKED + b"5;a=", b"b" * 8192), TooLarge),
    "an endless chunk size": (forever(OK + CHUNKED, b"0" * 8192), FetchError),
    "endless trailers": (forever(OK + CHUNKED + b"0\r\n", b"A: b\r\n" * 1_000), FetchError),
    "a body that is too short": (sends(OK + b"Content-Length: 50\r\n\r\nshort"), PageUnavailable),
    "chunks that break off": (
        sends(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel"),
        PageUnavailable,
    ),
    "chunks of no size": (
        sends(OK + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n"),
        PageUnavailable,
    ),
    "chunks of a huge size": (
        sends(OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx"),
        PageUnavailable,
    ),
    "a negative length": (sends(OK + b"Content-Length: -5\r\n\r\nhello"), PageUnavailable),
    "a length in words": (sends(OK + b"Content-Length: five\r\n\r\nhello"), PageUnavailable),
    "two lengths": (
        sends(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        PageUnavailable,
    ),
    "a length and chunks": (
        sends(OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        PageUnavailable,
    ),
    "no HTTP": (sends(b"SSH-2.0-OpenSSH_9.2\r\n"), PageUnavailable),
    "a bare page": (sends(b"<html>hello</html>"), PageUnavailable),
    "binary": (sends(bytes(range(256)) * 20), PageUnavailable),
    "a status of 99": (sends(b"HTTP/1.1 99 Odd\r\n\r\n"), PageUnavailable),
    "a status of 999": (sends(b"HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n"), PageUnavailable),
    "a status that is a word": (sends(b"HTTP/1.1 OK\r\n\r\n"), PageUnavailable),
    "a NUL in a field": (sends(OK + b"A: b\0c\r\n\r\n"), PageUnavailable),
    "a field without a name": (sends(OK + b": b\r\n\r\n"), PageUnavailable),
    "a reset at once": (sends(end="reset"), PageUnavailable),
    "a reset after the head": (
        sends(OK + b"Content-Length: 9\r\n\r\n", end="reset"),
        PageUnavailable,
    ),
    "a close at once": (sends(end="abort"), PageUnavailable),
    "a redirect to itself": ((302, {"Location": "/hostile"}, b""), TooLarge),
    "a redirect to nowhere": ((302, {}, b""), PageUnavailable),
    "a redirect to an empty place": ((302, {"Location": ""}, b""), TooLarge),
    "a redirect to a broken place": ((302, {"Location": "http://[::1"}, b""), FetchError),
    "a redirect to bytes": ((302, {"Location": "http://\xff\xfe/"}, b""), FetchError),
    "a 304 that nobody asked for": ((304, {}, b""), PageUnavailable),
    "a 206 of what was not asked": ((416, {}, b""), PageUnavailable),
    "a challenge": ((403, {"cf-mitigated": "challenge"}, b"<p>wait</p>"), PageUnavailable),
    "a challenge that says 200": ((200, {}, b"<script>window._cf_chl_opt={}"), PageUnavailable),
    **{f"a {n}": ((n, {}, b"no"), PageUnavailable) for n in (400, 401, 403, 404, 429, 500)},
}  # fmt: skip


WAITING = {
    "endless tiny chunks", "a byte now and then", "silence", "a head that trickles",
    "a body that never comes", "endless 100s",
}  # fmt: skip


def test_there_are_at_least_sixty():
    """The set that the bounds were written for."""
    assert len(HOSTILE) >= 60
    assert set(HOSTILE) > WAITING


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_answer_is_a_typed_error(web, fetcher, name):
    """Never a hang, never a foreign exception, never half a page; nothing is left behind."""
    page, error = HOSTILE[name]
    web.pages["/hostile"] = page
    before = asyncio.all_tasks()
    found = fetcher(limits=TIGHT if name in WAITING else PATIENT, robots="never")
    async with asyncio.timeout(600):
        with pytest.raises(error):
            await found.fetch("http://public.test/hostile")
    await found.close()
    for _ in range(200):
        if not web.open:
            break
        await asyncio.sleep(0.05)
    assert web.open == 0
    left = {t for t in asyncio.all_tasks() - before if t not in web._tasks}
    assert not left
