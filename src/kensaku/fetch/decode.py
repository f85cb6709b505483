"""Content encodings, undone in small steps: what comes out is counted before the next step.

    decoder("gzip") → .feed(bytes) yields STEP bytes at most → … → .finish(): is it whole?

A few kilobytes of Brotli can stand for gigabytes; nobody here ever asks for "all of it".
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

from kensaku.errors import PageUnavailable, TooLarge

STEP = 64 * 1024
MAX_MEMBERS = 64  # gzip members or zstd frames one after the other
_WINDOW_LOG = 23  # 8 MiB: what RFC 9659 lets a web server ask of its clients


class Decoder(Protocol):
    """Bytes of the line in, bytes of the page out."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...
    def finish(self) -> None: ...


def accepted() -> str:
    """What to say in Accept-Encoding: what this installation can read."""
    return ", ".join(["gzip", "deflate", *(n for n, found in _optional().items() if found)])


def decoder(encoding: str) -> Decoder:
    """The decoder for a Content-Encoding header; raises for a chain, or an unknown one."""
    names = [n.strip().lower() for n in encoding.split(",") if n.strip()]
    names = [n for n in names if n != "identity"]
    if len(names) > 1:
        raise TooLarge("the page is encoded more than once")
    name = names[0].removeprefix("x-") if names else ""
    if not name:
        return _Plain()
    if name in ("gzip", "deflate"):
        return _Zlib(name)
    if name in _optional() and _optional()[name] is not None:
        return _Brotli() if name == "br" else _Zstd()
    raise PageUnavailable("the page is encoded in a way that cannot be read here")


class _Plain:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        return None


class _Zlib:
    def __init__(self, name: str) -> None:
        self._gzip = name == "gzip"
        self._inner = zlib.decompressobj(31 if self._gzip else 15)
        self._members = 1
        self._started = self._over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not self._started and data:
            self._started = True
            if not self._gzip and data[0] & 0xF != 8:  # raw deflate, as some servers send it
                self._inner = zlib.decompressobj(-15)
        while data and not self._over:
            try:
                piece = self._inner.decompress(data, STEP)
            except zlib.error:
                raise broken() from None
            if piece:
                yield piece
            data = self._inner.unconsumed_tail
            if self._inner.eof:
                data = self._next_member(self._inner.unused_data)

    def _next_member(self, rest: bytes) -> bytes:
        if not rest:
            return b""
        if not self._gzip or rest[:1] != b"\x1f":  # padding after the end; everybody skips it
            self._over = True
            return b""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise TooLarge("the page is compressed in too many parts")
        self._inner = zlib.decompressobj(31)
        return rest

    def finish(self) -> None:
        if self._started and not self._inner.eof:
            raise broken()


class _Brotli:
    def __init__(self) -> None:
        self._inner = _optional()["br"].Decompressor()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = self._started or bool(data)
        error = _optional()["br"].error
        try:
            while not self._inner.is_finished():
                piece = self._inner.process(data, output_buffer_limit=STEP)
                data = b""
                if not piece:  # it says that it takes more input while it still has output
                    return
                yield piece
        except error:
            raise broken() from None

    def finish(self) -> None:
        if self._started and not self._inner.is_finished():
            raise broken()


class _Zstd:
    def __init__(self) -> None:
        self._inner = self._fresh()
        self._frames = 1
        self._started = False

    @staticmethod
    def _fresh() -> Any:
        zstd = _optional()["zstd"]
        return zstd.ZstdDecompressor(
            options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        )

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = self._started or bool(data)
        error = _optional()["zstd"].ZstdError
        try:
            while data or not (self._inner.needs_input or self._inner.eof):
                if self._inner.eof:
                    self._next_frame()
                piece = self._inner.decompress(data, STEP)
                data = self._inner.unused_data if self._inner.eof else b""
                if piece:
                    yield piece
        except error:
            raise broken() from None

    def _next_frame(self) -> None:
        self._frames += 1
        if self._frames > MAX_MEMBERS:
            raise TooLarge("the page is compressed in too many parts")
        self._inner = self._fresh()

    def finish(self) -> None:
        if self._started and not self._inner.eof:
            raise broken()


def broken() -> PageUnavailable:
    """A body that ends too early, or is not what its headers say."""
    return PageUnavailable("the page broke off, or is not what its headers say")


_FOUND: dict[str, Any] = {}


def _optional() -> dict[str, Any]:
    """The modules of the extra `pages`, looked for once."""
    if not _FOUND:
        _FOUND.update(br=_brotli(), zstd=_zstd())
    return _FOUND


def _brotli() -> Any:
    try:
        import brotli  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return None
    # Before 1.2 there was no bound on what one call puts out.
    return brotli if hasattr(brotli.Decompressor, "can_accept_more_data") else None


def _zstd() -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        return None
    return zstd
