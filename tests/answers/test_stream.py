"""The reply of a model while it arrives: whole, or an error."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.stream import read_completion, read_in_time
from kensaku.errors import Timeout, Unreadable
from tests.growth import growth


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    """A body that arrives in these parts."""
    for part in parts:
        yield part


def event(content: object = None, **more: object) -> bytes:
    """A piece of a reply."""
    return (
        b"data: "
        + json.dumps(
            {"choices": [{"delta": {"content": content}} | more]}, ensure_ascii=False
        ).encode()
        + b"\n"
    )


async def read(*parts: bytes) -> list[str]:
    return [text async for text in read_completion(chunks(*parts))]


DONE = b"data: [DONE]\n"
END = event(finish_reason="stop")


ODD = [{"choices": []}, {"choices": [1]}, {"choices": [{"delta": "y"}]}]
REPLY = b"".join([
    b": ping\n\nevent: x\n", event("Ot"), event(""), event(7), event("té"), event(None),
    *(b"data: " + json.dumps(odd).encode() + b"\n" for odd in ODD), event("ラ"), END, DONE,
])  # fmt: skip


@given(st.lists(st.integers(0, len(REPLY)), max_size=9))
def test_the_text_of_a_reply_is_read_as_it_arrives(cuts: list[int]) -> None:
    """In events, cut anywhere; what says nothing is passed over."""
    bounds = [0, *sorted(cuts), len(REPLY)]
    parts = [REPLY[a:b] for a, b in itertools.pairwise(bounds)]

    assert asyncio.run(read(*parts)) == ["Ot", "té", "ラ"]


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ([event("Otters"), END], ["Otters"]),
        ([event("Otters"), DONE, event("more")], ["Otters"]),
        ([b"data:" + event("x")[6:], b"data:[DONE]"], ["x"]),
        ([b' {"choices": [{"message": {', b'"content": "whole"}}]}'], ["whole"]),
        ([b'data: {"choices": [{"message": {"content": "x"}}]}'], ["x"]),
    ],
)
async def test_a_reply_ends_where_it_says_so(parts: list[bytes], texts: list[str]) -> None:
    """By a mark or a reason; or it is one completion of a server that does not stream."""
    assert await read(*parts) == texts


def test_a_long_event_in_small_pieces_takes_time_in_proportion() -> None:
    """A server that sends a line of megabytes a few bytes at a time."""

    def work(pieces: int) -> None:
        parts = [b"data: ", *[b"x" * 100] * pieces]
        with pytest.raises(Unreadable):
            asyncio.run(read(*parts))

    assert growth(work, 4_000) < 10


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([event("half a")], "the model's reply broke off"),
        ([], "the model's reply broke off"),
        ([event("half a", finish_reason="length")], r"the model ended early \(length\)"),
        ([event("x", finish_reason="content_filter")], r"the model ended early \(content_filter\)"),
        ([b"data: not JSON\n"], "the model's server sent no answer"),
        ([b'data: {"error": {"code": 1}, "choices": []}\n'], "the model's server sent no answer"),
        ([b'data: {"choices": {}}\n'], "the model's server sent no answer"),
        ([b"data: [1]\n"], "the model's server sent no answer"),
        ([b'data: {"choices": ' + b"[" * 100_000 + b"\n"], "the model's server sent no answer"),
        ([b"data: " + b"x" * 4_194_299], "an event that is too large"),
    ],
)
async def test_half_a_reply_is_an_error(parts: list[bytes], sentence: str) -> None:
    """A sentence that breaks off is never taken for the end."""
    with pytest.raises(Unreadable, match=sentence):
        await read(*parts)


async def test_an_event_has_at_most_four_megabytes() -> None:
    """Exactly so much is read."""
    piece = event("x", finish_reason="stop", pad="y" * 4_194_000)
    padded = piece[:-1] + b" " * (4_194_304 - len(piece) + 1)

    assert await read(padded) == ["x"]
    with pytest.raises(Unreadable, match="too large"):
        await read(padded + b" ")


async def replies(clock: Any, *steps: str | float) -> AsyncGenerator[str, None]:
    """A reply in pieces, with so many seconds between them."""
    for step in steps:
        if isinstance(step, str):
            yield step
        else:
            clock.advance(step)
            for _ in range(3):  # what is due by now happens
                await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("steps", "texts", "sentence"),
    [
        (("a", "b"), "ab", None),
        ((59.9, "a"), "a", None),
        ((60.0, "a"), "", "the model took longer than 60 s"),
        (("a", 19.9, "b", 19.9, "c"), "abc", None),
        (("a", 20.0, "b"), "a", "the model stalled"),
        (("a", 15.0, "b", 15.0, "c", 15.0, "d", 15.0, "e"), "abcd", "the model took longer than 60 s"),
        ((40.0, "a", 20.0, "b"), "a", "the model took longer than 60 s"),
        ((60.0,), "", "the model took longer than 60 s"),
    ],
)  # fmt: skip
async def test_a_reply_that_stalls_is_a_timeout(
    clock: Any,
    steps: tuple[str | float, ...],
    texts: str,
    sentence: str | None,
) -> None:
    """The first piece may take as long as the whole reply, each further one 20 seconds."""
    clock.stop()
    seen = []
    with pytest.raises(Timeout, match=f"{sentence}$") if sentence else nullcontext():
        async for text in read_in_time(replies(clock, *steps), 60):
            seen.append(text)  # noqa: PERF401 - what came before the error counts

    assert "".join(seen) == texts
