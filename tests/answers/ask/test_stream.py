"""The text of a model comes while it writes, and each sentence is checked before it is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from kensaku import Hit
from kensaku.assistant import Answered, Journal, QuestionAsked, Reply, TextDelta
from tests.answers.conftest import Web
from tests.answers.obedient import ModelBehindUrl

from .conftest import SLEEP, STRICT, Person, all_events

HANDS = 'They hold hands [1: "Sea otters hold hands while they sleep"]. '
CURRENT = 'A current comes by [1: "They do so that the current"]. '
LIE = 'Otters are made of cheese [1: "made of green cheese"]. '
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def event(text: str | None, reason: str | None = None) -> bytes:
    """One event of a streamed completion."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    return f"data: {json.dumps({'choices': [choice]})}\n\n".encode()


class Writing(ModelBehindUrl):
    """A model behind a URL whose replies are scripted byte by byte."""

    script: Callable[[asyncio.StreamWriter], Awaitable[None]]

    def says(self, *parts: bytes) -> None:
        """Send these bytes, and end the connection."""

        async def script(writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + b"".join(parts))
            await writer.drain()
            writer.close()

        self.script = script

    async def _serve(self, writer: asyncio.StreamWriter) -> None:
        await self.script(writer)


@pytest.fixture
async def writing() -> AsyncIterator[Writing]:
    """A model that streams."""
    made = Writing()
    async with made.server:
        yield made


def text_of(events: list[Any]) -> str:
    """The parts of the text, joined."""
    return "".join(e.text for e in events if isinstance(e, TextDelta))


async def test_a_sentence_is_shown_while_the_next_is_written(
    client: Any, web: Web, writing: Writing
) -> None:
    """The model goes on only when the first sentence has been seen."""
    seen = asyncio.Event()

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + event(HANDS + "A curr"))
        await seen.wait()
        writer.write(event(CURRENT.removeprefix("A curr")) + event(None, "stop") + DONE)
        writer.close()

    writing.script = script
    parts, last = [], None
    async for last in client(**writing.settings).ask_events(SLEEP):
        if isinstance(last, TextDelta):
            parts.append(last.text)
            seen.set()

    assert isinstance(last, Answered), last
    assert parts == ["They hold hands. [1]", " A current comes by. [1]"]
    assert last.answer.text == "".join(parts)
    assert last.answer.written_by == "small"
    assert json.loads(writing.server.bodies[-1])["stream"] is True


async def test_a_vendors_model_streams(client: Any) -> None:
    """By pydantic-ai; a part may be one letter."""
    from pydantic_ai.models.function import FunctionModel

    seen = asyncio.Event()

    async def stream(*_: Any) -> AsyncIterator[str]:
        for letter in HANDS + "A curr":
            yield letter
        await seen.wait()
        yield CURRENT.removeprefix("A curr")

    parts, last = [], None
    model = FunctionModel(stream_function=stream)
    async for last in client().ask_events(SLEEP, model=model):
        if isinstance(last, TextDelta):
            parts.append(last.text)
            seen.set()

    assert parts == ["They hold hands. [1]", " A current comes by. [1]"]
    assert last is not None
    assert last.answer.text == "".join(parts)


async def test_a_sentence_that_fails_is_never_shown(client: Any, writing: Writing) -> None:
    """Not even for a moment: no part has it."""
    writing.says(event(HANDS + LIE), event(CURRENT), event(None, "stop"), DONE)
    events = await all_events(client(**writing.settings).ask_events(SLEEP))

    assert not any("cheese" in e.text for e in events if isinstance(e, TextDelta))
    assert (
        events[-1].answer.text == text_of(events) == "They hold hands. [1] A current comes by. [1]"
    )
    assert events[-1].answer.confidence.factors.sentences_cut == 1


async def test_words_without_a_source_wait_for_one(client: Any, writing: Writing) -> None:
    """Of a reply that cites nothing, no word is shown: the extract stands."""
    writing.says(event("No idea. Perhaps never. "), event(None, "stop"), DONE)
    events = await all_events(client(**writing.settings).ask_events(SLEEP))

    assert events[-1].answer.written_by == "extract"
    assert "No idea" not in text_of(events)
    assert events[-1].answer.text == text_of(events)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((event(HANDS + "A curr"),), "broke off"),
        ((event(HANDS + "A curr"), event(None, "length"), DONE), "ended early"),
        ((event(HANDS + "A curr"), b'data: {"error": {"message": "overloaded"}}\n\n'), "no answer"),
        ((event(HANDS + "A curr"), b"data: {nonsense\n\n"), "no answer"),
    ],
)
async def test_a_model_that_breaks_off_is_said_and_the_extract_follows(
    parts: tuple[bytes, ...], why: str, client: Any, writing: Writing
) -> None:
    """What was shown stays; half a sentence is not shown."""
    writing.says(*parts)
    events = await all_events(client(**writing.settings).ask_events(SLEEP))
    answer = events[-1].answer

    assert answer.text == text_of(events)
    assert answer.text.startswith(
        "They hold hands. [1]\n\nSea otters hold hands while they sleep. [1]"
    )
    assert "A curr" not in answer.text
    assert any("the model broke off" in note and why in note for note in answer.notes)


async def test_a_model_that_stalls_is_given_up(client: Any, writing: Writing, clock: Any) -> None:
    """Its sentences that hold stay."""
    ended = asyncio.Event()

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + event(HANDS + "A curr"))
        await ended.wait()

    writing.script = script
    events = []
    async for happened in client(**writing.settings).ask_events(SLEEP):
        events.append(happened)
        if isinstance(happened, TextDelta):
            clock.advance(20)
    ended.set()
    answer = events[-1].answer

    assert any("broke off (the model stalled)" in note for note in answer.notes)
    assert answer.text == text_of(events)
    assert "hold hands while they sleep" in answer.text


@pytest.mark.parametrize("reply", [b"", b"data: [DONE]\n\n", b"<html>Just a moment", b"data:\n\n",
                                   b"data: []\n\n", b'data: {"choices": [3]}\n\n'])  # fmt: skip
async def test_nonsense_leaves_the_extract(reply: bytes, client: Any, writing: Writing) -> None:
    """And a note."""
    writing.says(reply)
    events = await all_events(client(**writing.settings).ask_events(SLEEP))

    assert events[-1].answer.written_by == "extract"
    assert events[-1].answer.text == text_of(events)
    assert any("the model did not answer" in note for note in events[-1].answer.notes)


async def test_a_doubtful_answer_is_confirmed_before_a_word_is_shown(
    client: Any, writing: Writing
) -> None:
    """No part comes before the question."""
    writing.says(event(HANDS), event(None, "stop"), DONE)
    k = client(**STRICT, **writing.settings)
    events = await all_events(k.ask_events(SLEEP, person=Person(Reply("proceed"))))
    kinds = [type(e) for e in events if isinstance(e, TextDelta | QuestionAsked)]

    assert kinds == [QuestionAsked, TextDelta]
    assert text_of(events) == events[-1].answer.text == "They hold hands. [1]"


async def test_contradictions_follow_the_streamed_text(
    client: Any, web: Web, writing: Writing
) -> None:
    """With the numbers that the text has given."""
    one, other = (f"A grown sea otter weighs {n} kg on average." for n in (30, 45))
    web.finds("weigh", Hit("https://a.example/", "Weight", one, score=0.9),
              Hit("https://b.example/", "Zoo", other, score=0.9))  # fmt: skip
    said = f'It weighs 45 kg [2: "{other[:-1]}"]. '
    writing.says(event(said), event(None, "stop"), DONE)
    k = client(assistant_fetches=0, **writing.settings)
    events = await all_events(k.ask_events("How much does a grown sea otter weigh on average?"))

    assert events[-1].answer.text == text_of(events)
    assert text_of(events).startswith("It weighs 45 kg. [1]\n\nSources differ:\n")
    assert "30 kg on average. [2]" in text_of(events)


async def test_a_model_that_never_stops_is_cut_off(client: Any) -> None:
    """What it wrote within the bound is kept; the run ends."""
    from pydantic_ai.models.function import FunctionModel

    async def endless(*_: Any) -> AsyncIterator[str]:
        yield HANDS
        while True:
            yield "And so on. " * 1_000
            await asyncio.sleep(0)

    answer = await client(assistant_tokens=10**8).ask(
        SLEEP, model=FunctionModel(stream_function=endless)
    )

    assert answer.text.startswith("They hold hands. [1]")
    assert any("it wrote more than" in note for note in answer.notes)


@pytest.mark.parametrize("end", [event(None, "stop") + DONE, event("A curr")], ids=["whole", "cut"])
async def test_a_run_that_goes_on_shows_the_same_text_again(
    end: bytes, client: Any, writing: Writing
) -> None:
    """The model is asked once; its reply is in the journal, also one that broke off."""
    writing.says(event(HANDS), event(CURRENT), end)
    journal = Journal()
    first = await all_events(client(**writing.settings).ask_events(SLEEP, journal=journal))
    again = Journal(json.loads(json.dumps(journal.finished)))
    second = await all_events(client(**writing.settings).ask_events(SLEEP, journal=again))

    assert "They hold hands. [1]" in text_of(first)
    assert text_of(first) == text_of(second) == second[-1].answer.text
    assert len(writing.server.requests) == 1
