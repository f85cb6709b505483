"""The chain of the GRACE agent, end to end: what is one's own, then the web, then the person.

collection hit → answer · weak → web · weak → ask the person · a low answer → confirm, or escalate
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku import Document, Hit
from kensaku.assistant import (
    Answered,
    Assistant,
    Exchange,
    Failed,
    QuestionAsked,
    Reply,
    ToolEnded,
)
from kensaku.database.conversations import Sender, find_conversation, messages_of
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web

from .conftest import ANN, BEN, SLEEP

HARBOUR = Document(
    url="https://town.example/harbour",
    title="The harbour of Zorgle",
    text="The harbour of Zorgle was built in 1893. Its lighthouse is 31 metres high.",
)
BUILT = "When was the harbour of Zorgle built?"
WEIGHT = "How much does a grown sea otter weigh on average?"
UNKNOWN = "Who was the first mayor of Quuxville?"


@pytest.fixture
async def k(client: Any) -> Any:
    """A client with a collection of its own; pages are not read, so snippets decide."""
    made = client(assistant_fetches=0)
    await made.index.add([HARBOUR], collection="town")
    return made


async def ask(
    assistant: Assistant, text: str, *replies: Reply, sender: Sender = ANN, **options: Any
) -> Exchange:
    """Ask; the person gives these replies in turn, and skips what else is asked."""
    exchange = await assistant.receive(sender, text, **options)
    assert exchange is not None
    left = list(replies)
    async for event in exchange.follow():
        if isinstance(event, QuestionAsked):
            exchange.reply(left.pop(0) if left else Reply("skip"), event.question.id)
    assert not left, "a reply was not asked for"
    return exchange


def tools(exchange: Exchange) -> list[tuple[str, str]]:
    """Which tools ran, and what each came to."""
    return [(e.tool, e.outcome) for e in exchange.events if isinstance(e, ToolEnded)]


def asked(exchange: Exchange) -> list[str]:
    """What the person was asked."""
    return [e.question.kind for e in exchange.events if isinstance(e, QuestionAsked)]


async def test_a_collection_that_knows_answers_without_the_web(
    assistant: Assistant, web: Web
) -> None:
    """Nothing leaves the machine, nobody is asked, and the source is labelled."""
    exchange = await ask(assistant, BUILT)

    assert isinstance(exchange.last, Answered)
    assert "1893" in (exchange.last.answer.text or "")
    assert [c.origin for c in exchange.last.answer.citations] == ["collection"]
    assert tools(exchange) == [("rag_search", "found")]
    assert asked(exchange) == []
    assert web.queries == []


async def test_a_collection_that_is_weak_leads_to_the_web(assistant: Assistant, web: Web) -> None:
    """It was asked first."""
    exchange = await ask(assistant, SLEEP)

    assert isinstance(exchange.last, Answered)
    assert [c.origin for c in exchange.last.answer.citations] == ["web"]
    assert [tool for tool, _ in tools(exchange)][:2] == ["rag_search", "web_search"]
    assert asked(exchange) == []
    assert web.queries == [SLEEP]


async def test_a_web_that_is_weak_leads_to_the_person(assistant: Assistant, web: Web) -> None:
    """Whose words are searched for, and answer."""
    found = Hit(
        "https://q.example/", "Mayors", "The first mayor of Quuxville was Ada Quux.", score=0.9
    )
    web.finds("Ada", found)
    exchange = await ask(assistant, UNKNOWN, Reply("modify", "Ada first mayor of Quuxville"))

    assert asked(exchange) == ["help"]
    assert [tool for tool, _ in tools(exchange)][:2] == ["rag_search", "web_search"]
    assert web.queries[-1] == "Ada first mayor of Quuxville"
    assert isinstance(exchange.last, Answered)
    assert "Ada Quux" in (exchange.last.answer.text or "")


async def test_nobody_helps_and_nothing_is_made_up(assistant: Assistant, web: Web) -> None:
    """Nothing was found is said, and is not the same as: nobody could search."""
    nothing = await ask(assistant, UNKNOWN)
    assert isinstance(nothing.last, Failed)
    assert str(nothing.last.answer.outcome) == "empty"

    web.upstream.fails("tavily", faults.status(400))
    unavailable = await ask(assistant, "Who was the second mayor of Quuxville?")
    assert isinstance(unavailable.last, Failed)
    assert str(unavailable.last.answer.outcome) == "unavailable"
    assert nothing.last.message != unavailable.last.message


@pytest.mark.parametrize(("reply", "shown"), [("proceed", True), ("skip", False)])
async def test_a_low_answer_is_confirmed_first(
    assistant: Assistant, web: Web, reply: Any, shown: bool
) -> None:
    """Two sources contradict each other. The person sees the draft, and decides."""
    one, other = (f"A grown sea otter weighs {n} kg on average." for n in (30, 45))
    web.finds("weigh", Hit("https://a.example/", "A", one, score=0.9),
              Hit("https://b.example/", "B", other, score=0.9))  # fmt: skip
    exchange = await ask(assistant, WEIGHT, Reply(reply))

    question = next(e.question for e in exchange.events if isinstance(e, QuestionAsked))
    assert question.kind == "confirm"
    assert "30 kg" in question.reason
    assert exchange.last is not None
    assert isinstance(exchange.last, Answered) is shown
    assert exchange.last.answer.confidence.action in ("confirm", "escalate")
    assert bool(exchange.last.answer.doubt) is shown
    conversation = await find_conversation(assistant.database, ANN)
    assert conversation is not None
    (_, said) = await messages_of(assistant.database, conversation.id)
    assert ("30 kg" in said.text) is shown


async def test_two_people_at_once_with_different_settings_never_mix(
    assistant: Assistant, web: Web, upstream: FakeUpstream
) -> None:
    """Ann searches her collection alone, Ben the web alone; both wait for a slow upstream."""
    await assistant.choose(ANN, "route", "local")
    await assistant.choose(ANN, "collection", "town")
    await assistant.choose(BEN, "approvals", {"rag_search": "never"})
    rounds = 4
    both = [
        ask(
            assistant,
            BUILT if who is ANN else SLEEP,
            sender=Sender("test", who.person, f"{who.person}{n}"),
        )
        for n in range(rounds)
        for who in (ANN, BEN)
    ]
    done = await asyncio.gather(*both)

    for exchange in done:
        assert isinstance(exchange.last, Answered), exchange.last
        ran = {tool for tool, outcome in tools(exchange) if outcome != "refused"}
        origins = {c.origin for c in exchange.last.answer.citations}
        if exchange.sender.person == "ann":
            assert (ran, origins) == ({"rag_search"}, {"collection"})
        else:
            assert "rag_search" not in ran
            assert origins == {"web"}
    assert set(web.queries) == {SLEEP}
    for who, other in ((ANN, "otters"), (BEN, "harbour")):
        for n in range(rounds):
            thread = Sender("test", who.person, f"{who.person}{n}")
            conversation = await find_conversation(assistant.database, thread)
            assert conversation is not None
            said = await messages_of(assistant.database, conversation.id)
            assert len(said) == 2
            assert not any(other in message.text for message in said)
