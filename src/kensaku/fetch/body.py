"""The body of an answer, read under every bound at once.

chunks of the line → counted → decoded in steps → counted → bytes
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from kensaku.errors import TooLarge
from kensaku.fetch.decode import decoder
from kensaku.fetch.limits import MIB, FetchLimits, Pace


async def read_body(
    read: Callable[[], Awaitable[bytes]],
    *,
    encoding: str,
    length: int | None,
    limits: FetchLimits,
    cut: int | None = None,
) -> bytes:
    """Everything `read` gives until it gives nothing, decoded.

    Over a bound it raises `TooLarge`; with `cut`, it stops there and returns what it has.
    """
    if cut is None and length is not None and length > limits.wire:
        raise TooLarge(f"the page has more than {limits.wire / MIB:g} MiB")
    decode = decoder(encoding)
    most = limits.decoded if cut is None else cut
    loop = asyncio.get_running_loop()
    pace, parts = Pace(limits, loop.time), list[bytes]()
    wire = size = breath = 0
    while chunk := await _next(read, pace):
        wire += len(chunk)
        if wire > limits.wire:
            raise TooLarge(f"the page has more than {limits.wire / MIB:g} MiB")
        for piece in decode.feed(chunk):
            size += len(piece)
            if size > most:
                if cut is not None:
                    return b"".join(parts)
                raise TooLarge(f"the page has more than {most / MIB:g} MiB when unpacked")
            parts.append(piece)
            if size - breath > MIB:
                breath = size
                await asyncio.sleep(0)  # unpacking is work: let the others on
    decode.finish()
    return b"".join(parts)


async def _next(read: Callable[[], Awaitable[bytes]], pace: Pace) -> bytes:
    while True:
        try:
            async with asyncio.timeout_at(pace.ends) as window:
                chunk = await read()
        except TimeoutError:
            if not window.expired():
                raise
            pace.close()
        else:
            if chunk:
                pace.took(len(chunk))
            return chunk
