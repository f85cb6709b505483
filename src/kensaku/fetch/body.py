"""Read a response body within all limits: wire bytes, decoded bytes and throughput.

chunks → count → decode in steps → count → bytes
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from kensaku.errors import TooLarge
from kensaku.fetch.limits import MIB, FetchLimits, Pace
from kensaku.messages import msg
from kensaku.transport.decode import decoder


async def read_body(
    read: Callable[[], Awaitable[bytes]],
    *,
    encoding: str,
    length: int | None,
    limits: FetchLimits,
    cut: int | None = None,
) -> bytes:
    """Read and decode until `read` returns nothing.

    Raise `TooLarge` over a limit. With `cut`, stop at that size instead and return what there is.
    """
    if cut is None and length is not None and length > limits.wire:
        raise TooLarge(msg("the page has more than {wire:g} MiB", wire=limits.wire / MIB))
    decode = decoder(encoding)
    most = limits.decoded if cut is None else cut
    loop = asyncio.get_running_loop()
    pace, parts = Pace(limits, loop.time), list[bytes]()
    wire = size = last_yield = 0
    while chunk := await _next_chunk(read, pace):
        wire += len(chunk)
        if wire > limits.wire:
            raise TooLarge(msg("the page has more than {wire:g} MiB", wire=limits.wire / MIB))
        for piece in decode.feed(chunk):
            size += len(piece)
            if size > most:
                if cut is not None:
                    return b"".join(parts)
                raise TooLarge(
                    msg("the page has more than {most:g} MiB when unpacked", most=most / MIB)
                )
            parts.append(piece)
            if size - last_yield > MIB:
                last_yield = size
                await asyncio.sleep(0)  # decoding takes CPU time: let other tasks run
        # A full buffer would be read on and on without a pause: a body in chunks of one byte is
        # parsed four thousand at a time while it is read.
        await asyncio.sleep(0)
    decode.finish()
    return b"".join(parts)


async def _next_chunk(read: Callable[[], Awaitable[bytes]], pace: Pace) -> bytes:
    while True:
        try:
            async with asyncio.timeout_at(pace.window_end) as window:
                chunk = await read()
        except TimeoutError:
            if not window.expired():
                raise
            pace.check_window()
        else:
            if chunk:
                pace.record(len(chunk))
            return chunk
