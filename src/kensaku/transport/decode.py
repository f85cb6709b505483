"""Content decoding in small steps, so that the caller can count the output before the next step.

    decoder("gzip") → .feed(bytes) yields at most STEP bytes at a time → .finish() checks the end

A few kilobytes of Brotli can decode to gigabytes, so nothing here decodes a whole body at once.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

from kensaku.errors import PageUnavailable, TooLarge
from kensaku.messages import msg

STEP = 64 * 1024
MAX_MEMBERS = 64  # gzip members or zstd frames one after the other
_WINDOW_LOG = 23  # 8 MiB: what RFC 9659 lets a web server ask of its clients


class Decoder(Protocol):
    """Decode the bytes of a response body."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...
    def finish(self) -> None: ...


def accept_encoding() -> str:
    """Return the Accept-Encoding header: what this installation can decode."""
    return ", ".join(["gzip", "deflate", *(n for n, module in _optional().items() if module)])


def decoder(encoding: str) -> Decoder:
    """Make the decoder for a Content-Encoding header; raise for a chain or an unknown encoding."""
    names = [n.strip().lower() for n in encoding.split(",") if n.strip()]
    names = [n for n in names if n != "identity"]
    if len(names) > 1:
        raise TooLarge(msg("the page is encoded more than once"))
    name = names[0].removeprefix("x-") if names else ""
    if not name:
        return _Plain()
    if name in ("gzip", "deflate"):
        return _Zlib(name)
    if name in _optional() and _optional()[name] is not None:
        return _Brotli() if name == "br" else _Zstd()
    raise PageUnavailable(msg("the page is encoded in a way that cannot be read here"))


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
        self._started = self._ended = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not self._started and data:
            self._started = True
            if not self._gzip and data[0] & 0xF != 8:  # raw deflate, as some servers send it
                self._inner = zlib.decompressobj(-15)
        while data and not self._ended:
            try:
                piece = self._inner.decompress(data, STEP)
            except zlib.error:
                raise invalid_body() from None
            if piece:
                yield piece
            data = self._inner.unconsumed_tail
            if self._inner.eof:
                data = self._next_member(self._inner.unused_data)

    def _next_member(self, rest: bytes) -> bytes:
        if not rest:
            return b""
        if not self._gzip or rest[:1] != b"\x1f":  # padding after the end, which browsers skip
            self._ended = True
            return b""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise TooLarge(msg("the page is compressed in too many parts"))
        self._inner = zlib.decompressobj(31)
        return rest

    def finish(self) -> None:
        if self._started and not self._inner.eof:
            raise invalid_body()


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
                if not piece:  # can_accept_more_data() is true while output is still pending
                    return
                yield piece
        except error:
            raise invalid_body() from None

    def finish(self) -> None:
        if self._started and not self._inner.is_finished():
            raise invalid_body()


class _Zstd:
    def __init__(self) -> None:
        self._inner = self._new_decompressor()
        self._frames = 1
        self._started = False

    @staticmethod
    def _new_decompressor() -> Any:
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
            raise invalid_body() from None

    def _next_frame(self) -> None:
        self._frames += 1
        if self._frames > MAX_MEMBERS:
            raise TooLarge(msg("the page is compressed in too many parts"))
        self._inner = self._new_decompressor()

    def finish(self) -> None:
        if self._started and not self._inner.eof:
            raise invalid_body()


def invalid_body() -> PageUnavailable:
    """Make the error for a body that ends too early, or is not encoded as its headers say."""
    return PageUnavailable(msg("the page broke off, or is not what its headers say"))


_MODULES: dict[str, Any] = {}


def _optional() -> dict[str, Any]:
    """Import the modules of the extra `codecs`, once; a missing one is None."""
    if not _MODULES:
        _MODULES.update(br=_brotli(), zstd=_zstd())
    return _MODULES


def _brotli() -> Any:
    try:
        import brotli  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return None
    # Before 1.2 the output of one call had no limit.
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
