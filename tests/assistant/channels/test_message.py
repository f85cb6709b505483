"""The message that is edited while a run goes on: how often, how long it is tried, where it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kensaku.assistant.channels._message import (
    Content,
    LiveMessage,
    MessageGone,
    NotDelivered,
    Place,
    Undeliverable,
)

A, B, C = Content("a"), Content("b"), Content("c")
DOWN = NotDelivered("down")
PLACE: dict[str, Any] = {"chat": 1}


class Waits:
    """A loop on which every wait is over at once, and is written down."""

    def __init__(self) -> None:
        self._loop, self._now = asyncio.get_running_loop(), 0.0
        self.seconds: list[float] = []
        self._loop.time = lambda: self._now  # type: ignore[method-assign]
        self._loop.call_at = self._call_at  # type: ignore[method-assign, assignment]

    def _call_at(self, when: float, call: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        self.seconds.append(round(when - self._now, 3))
        self._now = when
        return self._loop.call_soon(call, *args, context=context)

    def restore(self) -> None:
        """Give the loop its own time back."""
        del self._loop.time, self._loop.call_at


@pytest.fixture
async def waits() -> Any:
    """What was waited for, in seconds."""
    made = Waits()
    yield made
    made.restore()


class Scripted:
    """A service that fails in this order, and then takes everything."""

    limit = 100

    def __init__(self, *failures: Exception | None) -> None:
        self._failures: Iterator[Exception | None] = iter(failures)
        self.calls: list[tuple[str, ...]] = []
        self.places: list[Place] = []

    def place_of(self, thread: str) -> Place:
        return {"chat": thread}

    def size(self, content: Content) -> int:
        return len(content.text)

    async def send(self, place: Place, content: Content) -> str:
        self._take(place, "send", content.text)
        return f"id-{content.text}"

    async def edit(self, place: Place, message: str, content: Content) -> None:
        self._take(place, "edit", message, content.text)

    def _take(self, place: Place, *call: str) -> None:
        self.calls.append(call)
        self.places.append(place)
        if (failure := next(self._failures, None)) is not None:
            raise failure


class Kept:
    """What a message wants to be remembered, as it was then."""

    def __init__(self) -> None:
        self.all: list[Any] = []

    async def __call__(self, memory: Mapping[str, Any]) -> None:
        self.all.append({name: list(value) for name, value in memory.items()})


async def settle(message: LiveMessage) -> None:
    """Let the message write all it wants to."""
    assert message._task is not None
    await message._task


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [
        ([], []),
        ([DOWN], [1.0]),
        ([DOWN, NotDelivered("slow", 0.5), NotDelivered("busy", 7.0)], [1.0, 0.5, 7.0]),
        ([NotDelivered("busy", 60.0), NotDelivered("busy", 61.0)], [60.0, 60.0]),
        ([DOWN] * 4, [1.0] * 4),
    ],
)
async def test_the_end_of_a_run_is_tried_five_times(
    failures: list[Exception], seconds: list[float], waits: Waits
) -> None:
    """After the second that edits take, or as long as the service asks for, up to a minute."""
    service = Scripted(*failures)
    await LiveMessage(service, PLACE, Kept()).finish([A])

    assert service.calls == [("send", "a")] * (len(failures) + 1)
    assert waits.seconds == seconds


@pytest.mark.parametrize(
    ("failures", "tries"),
    [([DOWN] * 5, 5), ([Undeliverable("gone")], 1), ([DOWN, Undeliverable("gone", 9.0)], 2)],
)
async def test_what_cannot_be_delivered_is_raised(
    failures: list[Exception], tries: int, waits: Waits
) -> None:
    """A chat that is gone is not tried again."""
    service = Scripted(*failures)
    with pytest.raises(type(failures[-1])):
        await LiveMessage(service, PLACE, Kept()).finish([A, B])

    assert service.calls == [("send", "a")] * tries
    assert len(waits.seconds) == tries - 1


async def test_one_message_is_edited_and_the_rest_follows_it() -> None:
    """Its ids are remembered as soon as they are known; the place is what was given."""
    service, kept = Scripted(), Kept()
    message = LiveMessage(service, PLACE, kept)
    message.show(A)
    await asyncio.sleep(0)
    await message.finish([B, C])

    assert service.calls == [("send", "a"), ("edit", "id-a", "b"), ("send", "c")]
    assert service.places == [PLACE] * 3
    assert kept.all == [{"messages": ["id-a"]}, {"messages": ["id-a", "id-c"]}]


@pytest.mark.parametrize(
    ("failures", "calls", "messages"),
    [
        ([], [("edit", "1", "a"), ("edit", "2", "b"), ("send", "c")], ["1", "2", "id-c"]),
        (
            [MessageGone("x")],
            [("edit", "1", "a"), ("send", "a"), ("send", "b"), ("send", "c")],
            ["id-a", "id-b", "id-c"],
        ),
        (
            [None, MessageGone("x")],
            [("edit", "1", "a"), ("edit", "2", "b"), ("send", "b"), ("send", "c")],
            ["1", "id-b", "id-c"],
        ),
    ],
)
async def test_after_a_restart_the_same_messages_are_edited(
    failures: list[Exception], calls: list[tuple[str, ...]], messages: list[str]
) -> None:
    """One that is gone is sent anew, and all behind it: they stay in order."""
    service, kept = Scripted(*failures), Kept()
    await LiveMessage(service, {"messages": ["1", "2"]}, kept).finish([A, B, C])

    assert service.calls == calls
    assert kept.all[-1] == {"messages": messages}


@pytest.mark.parametrize(
    ("failures", "tries", "seconds"),
    [
        ([], 1, [1.0]),
        ([DOWN, NotDelivered("slow", 0.5), NotDelivered("busy", 7.0)], 4, [1.0, 1.0, 7.0, 1.0]),
        ([NotDelivered("busy", 61.0)], 2, [60.0, 1.0]),
        ([DOWN] * 4, 5, [1.0] * 5),
        ([DOWN] * 5, 5, [1.0] * 4),
        ([Undeliverable("gone")], 1, []),
    ],
)
async def test_a_status_is_given_up_after_five_tries(
    failures: list[Exception], tries: int, seconds: list[float], waits: Waits
) -> None:
    """At most one edit a second, or as rarely as the service wants, up to a minute."""
    service = Scripted(*failures)
    message = LiveMessage(service, PLACE, Kept())
    message.show(A)
    await settle(message)

    assert service.calls == [("send", "a")] * tries
    assert waits.seconds == seconds


async def test_failures_are_counted_from_the_last_edit_that_went_through(waits: Waits) -> None:
    """What is the same is not written again; what came meanwhile is, once."""
    service = Scripted(*[DOWN] * 4, None, *[DOWN] * 4)
    message = LiveMessage(service, PLACE, Kept(), interval=2.0)
    message.show(A)
    await settle(message)
    message.show(A)
    message.show(B)
    message.show(C)
    await settle(message)

    assert service.calls == [("send", "a")] * 5 + [("edit", "id-a", "c")] * 5
    assert waits.seconds == [2.0] * 10


async def test_a_message_that_is_closed_shows_no_more(waits: Waits) -> None:
    """Neither what waits for its turn nor what comes later."""
    service = Scripted()
    message = LiveMessage(service, PLACE, Kept())
    message.show(A)
    await message.close()
    message.show(B)
    await settle(message)

    assert service.calls == []
