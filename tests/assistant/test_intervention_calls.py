"""What a reply of the person leads to: which calls, for which questions, and what is asked when."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant import interventions
from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.events import QuestionAsked
from kensaku.assistant.interventions import clarify, confirm, get_help, read_addresses
from kensaku.assistant.plan import AskUser, Plan
from kensaku.assistant.toolbox import Cancelled
from kensaku.assistant.words import phrases_for
from kensaku.assistant.writer import Draft

PHRASES = phrases_for("How?")


class World:
    """A run with its tools and its evidence, which write down what is asked of them."""

    def __init__(self, *replies: Reply | None) -> None:
        self.replies = list(replies)
        self.asked: list[Question] = []
        self.calls: list[tuple[Any, ...]] = []
        self.addresses: set[str] = set()
        self.notes: list[str] = []
        self.phrases, self.person = PHRASES, "ann"
        self.tools, self.thresholds = self, "thresholds"
        self.questions = [SimpleNamespace(queries=(q, "x")) for q in ("one", "two")]

    async def ask(self, question: Question, event: Any) -> Reply | None:
        assert event == QuestionAsked(question)
        self.asked.append(question)
        return self.replies.pop(0) if self.replies else None

    async def web_search(self, query: str) -> str:
        self.calls.append(("search", query))
        return f"found {query}"

    async def web_extract(self, urls: Any, about: Any) -> str:
        self.calls.append(("read", list(urls), about))
        return "pages"

    def try_again(self) -> None:
        self.calls.append(("again",))

    def add(self, n: int, result: str) -> None:
        self.calls.append(("add", n, result))

    def add_words(self, words: str) -> None:
        self.calls.append(("words", words))

    def add_pages(self, result: str, *, shared: bool = False) -> None:
        self.calls.append(("pages", result, shared))


SEARCHED = [("words", "zoo"), ("search", "zoo"), ("add", 0, "found zoo"), ("add", 1, "found zoo")]
READ = [("read", ["http://a.b/c"], ["one", "two"]), ("pages", "pages", True)]


@pytest.mark.parametrize(
    ("reply", "calls", "more"),
    [
        (None, [], False),
        (Reply("skip", "zoo"), [], False),
        (Reply("proceed", "zoo"), [], False),
        (Reply("modify", "  "), [], False),
        (Reply("modify", " zoo "), SEARCHED, True),
        (Reply("modify", "see http://a.b/c"), READ, True),
        (Reply("retry"), [("again",), ("find",)], True),
        (Reply("retry", "zoo"), [("again",), *SEARCHED], True),
        (Reply("retry", "http://a.b/c"), [("again",), *READ], True),
        (
            Reply("modify", "z" * 299 + " yy"),
            [("words", "z" * 299), ("search", "z" * 299),
             ("add", 0, "found " + "z" * 299), ("add", 1, "found " + "z" * 299)],
            True,
        ),
    ],
)  # fmt: skip
async def test_only_what_a_person_proposes_is_done(
    reply: Reply | None, calls: list[Any], more: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other words are searched for every question, a page is read, or all is searched again."""
    world: Any = World(reply)

    async def find_out(run: Any, evidence: Any) -> None:
        world.calls.append(("find",))

    monkeypatch.setattr(interventions, "find_out", find_out)
    monkeypatch.setattr(interventions, "assess", lambda *given: SimpleNamespace(action="escalate"))
    findings: Any = [
        SimpleNamespace(question=q, sentences=s) for q, s in (("a", ()), ("b", (1,)), ("c", ()))
    ]

    assert await get_help(world, world, findings) is more
    assert world.calls == calls
    assert world.asked == [
        Question(
            "help", PHRASES.ask_help, urgency="optional", reason="a; c",
            choices=("modify", "retry", "skip", "cancel"),
        )
    ]  # fmt: skip
    assert world.addresses == ({"http://a.b/c"} if ("read", *READ[0][1:]) in calls else set())


@pytest.mark.parametrize(
    ("person", "action"), [(None, "escalate"), ("ann", "confirm"), ("ann", "silent")]
)
async def test_help_is_asked_for_only_in_need(
    person: Any, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only where somebody is there."""
    world: Any = World(Reply("retry"))
    world.person = person
    monkeypatch.setattr(interventions, "assess", lambda *given: SimpleNamespace(action=action))

    assert await get_help(world, world, []) is False
    assert world.asked == []


ALL = ("proceed", "modify", "retry", "skip", "cancel")
LAST = ("proceed", "skip", "cancel")


@pytest.mark.parametrize(
    ("reply", "number", "choices", "said"),
    [
        (Reply("proceed"), 1, ALL, ""),
        (Reply("skip"), 1, ALL, PHRASES.not_confirmed),
        (None, 2, ALL, PHRASES.not_confirmed),
        (Reply("modify", "zoo"), 2, ALL, None),
        (Reply("modify", ""), 2, ALL, PHRASES.not_confirmed),
        (Reply("modify", "zoo"), 3, LAST, PHRASES.not_confirmed),
        (Reply("proceed"), 3, LAST, ""),
    ],
)
async def test_a_doubtful_answer_is_asked_about(
    reply: Reply | None, number: int, choices: Any, said: str | None
) -> None:
    """Three times at most; None: it has to be written anew."""
    world: Any = World(reply)
    assessment: Any = SimpleNamespace(action="confirm")

    assert await confirm(world, world, Draft("text"), assessment, number) == said
    assert world.asked == [
        Question(
            "confirm", PHRASES.ask_confirm, reason="text", choices=choices,
            arguments={} if number == 1 else {"number": number},
        )
    ]  # fmt: skip
    assert world.calls == (SEARCHED if said is None else [])


@pytest.mark.parametrize(
    ("draft", "action", "person"),
    [
        (Draft(None), "confirm", "ann"),
        (Draft("text", emitted=True), "confirm", "ann"),
        (Draft("text"), "notify", "ann"),
        (Draft("text"), "silent", "ann"),
        (Draft("text"), "escalate", None),
    ],
)
async def test_an_answer_that_needs_no_consent_is_not_asked_about(
    draft: Draft, action: str, person: Any
) -> None:
    """There is none, it is out already, it is sure enough, or nobody is there."""
    world: Any = World(Reply("skip"))
    world.person = person
    assessment: Any = SimpleNamespace(action=action)

    assert await confirm(world, world, draft, assessment, 1) == ""
    assert world.asked == []


async def test_a_cancelled_question_ends_the_run() -> None:
    """Whatever was asked."""
    world: Any = World(*[Reply("cancel")] * 2)
    plan = Plan((), "small", (AskUser("Which?"),))
    with pytest.raises(Cancelled, match=PHRASES.cancelled):
        await clarify(plan, world)
    doubtful: Any = SimpleNamespace(action="escalate")
    with pytest.raises(Cancelled, match=PHRASES.cancelled):
        await confirm(world, world, Draft("text"), doubtful, 1)
    world.replies = [None]
    with pytest.raises(Cancelled, match=PHRASES.not_answered):
        await clarify(plan, world)


async def test_what_a_plan_wants_to_know_is_asked_in_its_order() -> None:
    """By number; what stays open is noted, what is left out is not said."""
    asks = tuple(AskUser(f"Q{n}?", "why", "optional", ("sea", "river")) for n in range(1, 5))
    world: Any = World(Reply("modify", "2"), None, Reply("skip", "x"), Reply("modify", "y" * 301))

    assert await clarify(Plan((), "small", asks), world) == ["river", "y" * 300]
    assert world.notes == ["a question to the person was not answered: Q2?"]
    assert world.asked == [
        Question(
            "help", f"Q{n}?", "why", "optional", ("modify", "skip", "cancel"), tool="ask_user",
            arguments={"number": n}, options=("sea", "river"),
        )
        for n in range(1, 5)
    ]  # fmt: skip


async def test_without_an_address_nothing_is_read() -> None:
    """What was named may be read later, too."""
    world: Any = World()
    await read_addresses([], world, world)
    assert (world.calls, world.addresses) == ([], set())
