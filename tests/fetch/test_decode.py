"""Content encodings: every one that we accept is decoded, and no bomb costs memory."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib

import pytest

from kensaku.errors import PageUnavailable, TooLarge
from kensaku.fetch.limits import FetchLimits
from kensaku.transport import decode
from tests import ROOT
from tests.fetch.web import sends

brotli = pytest.importorskip("brotli")


zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


SMALL = {
    "gzip": zlib.compress(b"hello", wbits=31),
    "deflate": zlib.compress(b"hello"),
    "x-gzip": zlib.compress(b"hello", wbits=31),
    "br": brotli.compress(b"hello"),
    "zstd": zstd.compress(b"hello"),
    "identity": b"hello",
    "": b"hello",
}


RAW_DEFLATE = zlib.compress(b"hello", wbits=-15)


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize("name", SMALL)
async def test_every_encoding_is_undone(web, name):
    """What we say we accept we can read."""
    web.pages["/"] = (200, {"Content-Encoding": name} if name else {}, SMALL[name])
    assert (await web.transport().get("http://public.test/")).body == b"hello"


async def test_deflate_without_its_wrapper_is_read(web):
    """Some servers send it so, and every browser reads it."""
    web.pages["/"] = (200, {"Content-Encoding": "deflate"}, RAW_DEFLATE)
    assert (await web.transport().get("http://public.test/")).body == b"hello"


async def test_a_page_of_many_chunks_is_whole(web):
    """The bounds cut nothing that is within them."""
    body = bytes(range(256)) * 2000
    inner = zlib.compressobj(1, zlib.DEFLATED, 31)
    data = inner.compress(body) + inner.flush()
    parts = [
        b"%x\r\n%s\r\n" % (len(p), p) for p in (data[i : i + 7] for i in range(0, len(data), 7))
    ]
    head = OK + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    web.pages["/"] = sends(head, b"".join(parts), b"0\r\n\r\n")
    assert (await web.transport().get("http://public.test/")).body == body


async def test_without_the_extra_its_encodings_are_not_asked_for(web, monkeypatch):
    """What is not installed is not accepted, and not read when it is sent all the same."""
    monkeypatch.setattr(decode, "_MODULES", {"br": None, "zstd": None})
    web.pages["/"] = (200, {"Content-Encoding": "br"}, SMALL["br"])
    with pytest.raises(PageUnavailable):
        await web.transport().get("http://public.test/")
    assert web.seen[0].headers["accept-encoding"] == "gzip, deflate"


MIB = bytes(2**20)


def two_gib(name):
    """Two gibibytes of zeros, as small as the encoding makes them."""
    if name == "gzip":
        inner = zlib.compressobj(9, zlib.DEFLATED, 31)
        first = inner.compress(MIB) + inner.flush(zlib.Z_FULL_FLUSH)
        return first + (inner.compress(MIB) + inner.flush(zlib.Z_FULL_FLUSH)) * 2047
    if name == "br":
        inner = brotli.Compressor(quality=3, lgwin=24)
        return b"".join(inner.process(MIB) for _ in range(2048)) + inner.finish()
    inner = zstd.ZstdCompressor(level=1)
    return b"".join(inner.compress(MIB) for _ in range(2048)) + inner.flush()


BOMB = """
import asyncio, json, pathlib, sys
sys.path[:0] = [{here!r}]
from tests.fetch.web import Web
from kensaku.errors import TooLarge
from kensaku.fetch import body

def peak():  # not ru_maxrss, which a process inherits from the one that started it
    text = pathlib.Path("/proc/self/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) / 1024

decoded = 0
decoder = body.decoder

def counting(encoding):
    made = decoder(encoding)
    feed = made.feed

    def count(data):
        global decoded
        for piece in feed(data):
            decoded += len(piece)
            yield piece

    made.feed = count
    return made

body.decoder = counting

async def main():
    async with Web({{"/warm": "hello"}}) as web:
        web.names["public.test"] = ["93.184.215.14"]
        web.pages["/bomb"] = (
            200, {{"Content-Encoding": sys.argv[1]}}, pathlib.Path(sys.argv[2]).read_bytes())
        transport = web.transport()
        await transport.get("http://public.test/warm")
        before = peak()
        try:
            await transport.get("http://public.test/bomb")
        except TooLarge:
            print(json.dumps([peak() - before, decoded]))

asyncio.run(main())
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_two_gibibytes_in_disguise_cost_little(name, tmp_path):
    """From 1.6 KiB of Brotli an HTTP client of today makes four gigabytes (security.md, G6)."""
    (tmp_path / "bomb").write_bytes(two_gib(name))
    script = BOMB.format(here=str(ROOT))
    command = [sys.executable, "-c", script, name, str(tmp_path / "bomb")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    grown, decoded = json.loads(done.stdout)
    assert grown <= 100
    assert decoded <= FetchLimits().decoded + decode.STEP + 5  # and the five bytes of /warm


def decoded(name, *chunks):
    """The pieces of a body."""
    inner = decode.decoder(name)
    pieces = [piece for chunk in chunks for piece in inner.feed(chunk)]
    inner.finish()
    return pieces


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_body_comes_in_small_pieces(name):
    """Of 64 KiB, whole, however it is sent; Brotli's bound is a rough one."""
    plain = bytes(n % 251 for n in range(1_000)) * 200
    packed = {
        "gzip": zlib.compress(plain, wbits=31), "deflate": zlib.compress(plain),
        "br": brotli.compress(plain), "zstd": zstd.compress(plain),
    }[name]  # fmt: skip
    pieces = decoded(name, packed)

    assert b"".join(pieces) == plain
    assert max(map(len, pieces)) <= (128 if name == "br" else 64) * 1024
    assert b"".join(decoded(name, b"", *(packed[n : n + 1] for n in range(len(packed))))) == plain


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_what_breaks_off_or_is_something_else_is_an_error(name):
    """An empty body is none."""
    assert decoded(name) == decoded(name, b"") == []
    for wrong in (SMALL[name][:-1], b"<html>no" * 9):
        with pytest.raises(PageUnavailable, match="broke off"):
            decoded(name, wrong)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_body_has_64_parts_at_most(name):
    """More are made to keep a reader busy."""
    assert b"".join(decoded(name, SMALL[name] * 64)) == b"hello" * 64
    assert b"".join(decoded(name, *[SMALL[name]] * 64)) == b"hello" * 64
    with pytest.raises(TooLarge, match="in too many parts"):
        decoded(name, SMALL[name] * 65)


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_what_follows_the_end_is_skipped(name):
    """In the same chunk, and in those after it."""
    assert decoded(name, SMALL[name] + b"padding", b"more", SMALL[name]) == [b"hello"]


@pytest.mark.parametrize(
    ("header", "name"),
    [(" Identity ", ""), ("identity, GZip", "gzip"), (",br,", "br")],
)
def test_the_header_names_one_encoding(header, name):
    """In any case, with old names."""
    assert b"".join(decoded(header, SMALL[name])) == b"hello"
