"""What the chat calls, and in which order: the screen, the notices, the assistant, the database."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.actions import Thresholds, assess
from kensaku.assistant.answer import CitedAnswer
from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.assistant import TooMany
from kensaku.assistant.channels.terminal.chat import Chat
from kensaku.assistant.channels.terminal.input import Interrupted
from kensaku.assistant.channels.terminal.words import ENGLISH, JAPANESE
from kensaku.assistant.events import (
    Answered,
    ApprovalNeeded,
    Failed,
    Planned,
    QuestionAsked,
    ToolEnded,
)
from kensaku.assistant.exchange import Exchange
from kensaku.database import conversations, runs
from kensaku.database.conversations import Conversation, Message, Sender
from kensaku.database.runs import StoredRun
from kensaku.errors import DatabaseFault, InvalidQuery
from kensaku.models import Outcome
from tests.search.support import until

HOW = "How do sea otters sleep?"
CONFIRM = Question("confirm", "Is that enough?", choices=("proceed", "modify", "skip", "cancel"))
MAY = Question("approve", "May web_search run?", choices=("proceed", "skip", "cancel"))
SEARCHED = ToolEnded("1", "web_search", {"query": HOW}, "found", found=(("T", "https://a.b/"),))
OPENED = [("begin", ENGLISH.opening), ("end",)]
WORKED = [("begin", ENGLISH.working), ("end",)]


def made(text: str | None) -> CitedAnswer:
    """What a run came to."""
    outcome = Outcome.FOUND if text else Outcome.EMPTY
    return CitedAnswer(HOW, text, (), outcome, assess((), Thresholds()))


ANSWER, NOTHING = made("Hand in hand."), made(None)


def exchange(*events: Any, thread: str = "t1", ended: bool = True) -> Exchange:
    """A run with what happens in it."""

    async def remember(_: Any) -> None:
        """Nothing."""

    run = Exchange(StoredRun("r1", Sender("terminal", "ann", thread), "c1", HOW, {}), remember)
    for event in events:
        run.emit(event)
    if ended:
        run.end()
    return run


class World:
    """A screen, a person, notices and an assistant: all write down what is asked of them."""

    words, columns, database, has_person = ENGLISH, None, "the database", True

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.lines: list[str | type[BaseException]] = []
        self.replies: list[str | type[BaseException] | None] = []
        self.gives: list[Exchange | Exception | None] = []  # for each question
        self.claims: list[list[Exchange]] = []
        self.unfinished: list[str] = []
        self.chosen: dict[str, Any] = {}
        self.opens: Exception | None = None

    def chat(self, **options: Any) -> Chat:
        """The chat of Ann, who belongs to a tenant."""
        world: Any = self
        usual = {"person": "ann", "tenant": "acme", "home": Path("/home")}
        return Chat(world.open, world, world, world, **{**usual, **options})

    async def open(self) -> Any:
        if self.opens is not None:
            raise self.opens
        return self

    # --- the screen

    def begin(self, status: str) -> None:
        self.calls.append(("begin", status))

    def end(self) -> None:
        self.calls.append(("end",))

    def say(self, *lines: str) -> None:
        self.calls.append(("say", *lines))

    def show(self, event: Any) -> None:
        self.calls.append(("show", event))

    def list_sources(self, citations: Any, found: Any = ()) -> None:
        self.calls.append(("sources", citations, found))

    # --- the person

    async def line(self, on_ready: Callable[[], None]) -> str:
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        if not isinstance(line, str):
            raise line
        return line

    async def reply(self, until: Awaitable[object]) -> str | None:
        asyncio.ensure_future(until).cancel()
        reply = self.replies.pop(0)
        if isinstance(reply, type):
            raise reply
        return reply

    async def aside(self, show: Callable[[], None]) -> None:
        self.calls.append(("aside",))
        show()

    # --- the notices

    def before(self, options: dict[str, Any]) -> None:
        self.calls.append(("before", options))

    def after(self, answer: Any) -> None:
        self.calls.append(("after", answer))

    # --- the assistant

    async def options(self, _: Sender) -> dict[str, Any]:
        return self.chosen

    async def receive(self, sender: Sender, text: str, **options: Any) -> Exchange | None:
        self.calls.append(("receive", sender, text, options))
        given = self.gives.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    async def resume(self, channel: str, **whose: Any) -> list[Exchange]:
        self.calls.append(("resume", channel, whose))
        return self.claims.pop(0) if self.claims else []


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Nobody has asked anything yet."""
    made = World()

    async def list_unfinished(*whose: Any) -> list[str]:
        made.calls.append(("unfinished", *whose))
        return made.unfinished

    monkeypatch.setattr(runs, "list_unfinished", list_unfinished)
    return made


def without_unfinished(calls: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The calls without the look for what an earlier process left."""
    return [call for call in calls if call[0] != "unfinished"]


async def test_a_question_from_its_line_to_its_answer(world: World) -> None:
    """Open, say what there is to say, ask, show, and say what went wrong: in this order."""
    world.chosen = {"route": "exa", "model": "small"}
    world.lines = [f"  {HOW} \n"]
    world.gives = [exchange(Planned((HOW,), "rule"), SEARCHED, Answered(ANSWER))]
    chat = world.chat(options={"route": "tavily"})
    chat.found = [("old", "https://old.example/")]

    assert await chat.run() == 0
    assert without_unfinished(world.calls) == [
        *OPENED,
        ("before", {"route": "tavily", "model": "small"}),
        ("receive", Sender("terminal", "ann", chat.thread, "acme"), HOW, {"route": "tavily"}),
        ("begin", ENGLISH.working),
        ("show", Planned((HOW,), "rule")),
        ("show", SEARCHED),
        ("show", Answered(ANSWER)),
        ("end",),
        ("after", ANSWER),
    ]
    assert (chat.last, chat.found) == (ANSWER, [("T", "https://a.b/")])
    assert chat.history == Path("/home/chat-history")


@pytest.mark.parametrize(
    ("gives", "status"),
    [
        ([exchange(Answered(ANSWER))], 0),
        ([None], 0),
        ([exchange()], 0),  # another process has ended it
        ([exchange(Failed("Nothing was found.", NOTHING))], 1),
        ([exchange(Failed("Nothing was found.", NOTHING)), exchange(Answered(ANSWER))], 1),
        ([TooMany("too many", remedy="wait")], 1),
    ],
)  # fmt: skip
async def test_the_exit_status_says_whether_all_was_answered(
    gives: list[Any], status: int, world: World
) -> None:
    """A script that pipes questions has nothing else to go by."""
    world.lines, world.gives = [HOW] * len(gives), list(gives)

    assert await world.chat().run() == status
    assert (("say", "too many; wait") in world.calls) == isinstance(gives[0], TooMany)
    assert world.gives == []


async def test_a_run_without_an_end_leaves_no_answer(world: World) -> None:
    """`/sources` would show those of another question."""
    world.lines = [HOW, HOW]
    world.gives = [exchange(SEARCHED, Answered(ANSWER)), exchange()]
    chat = world.chat()
    await chat.run()

    assert (chat.last, chat.found) == (None, [])
    assert [call for call in world.calls if call[0] == "after"] == [("after", ANSWER)]


@pytest.mark.parametrize(
    ("line", "japanese", "words"),
    [
        (HOW, False, ENGLISH),
        (HOW, True, JAPANESE),
        ("ラッコは何を食べますか？", False, JAPANESE),
    ],
)
async def test_words_are_those_of_the_question_or_of_the_locale(
    line: str, japanese: bool, words: Any, world: World
) -> None:
    """Also when the question before was in another language."""
    chat = world.chat(japanese=japanese)
    world.words = ENGLISH if words is JAPANESE else JAPANESE
    world.lines, world.gives = [line], [None]
    await chat.run()

    assert chat.words is words
    assert world.calls[0] == ("begin", words.opening)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", []),
        (" \n", []),
        ("/\n", [ENGLISH.unknown_command.format(name="/")]),
        ("/ nothing", [ENGLISH.unknown_command.format(name="/nothing")]),
        (f"/{'x' * 60} y", [ENGLISH.unknown_command.format(name=f"/{'x' * 38}…")]),
        ("/new  \n", [ENGLISH.new]),
        ("/save  \n", ["/save takes the name of a file"]),
    ],
)
async def test_a_line_that_is_no_question(line: str, said: list[str], world: World) -> None:
    """Nothing is opened for it."""
    world.lines = [line]
    chat = world.chat()
    thread = chat.thread
    status = await chat.run()

    assert world.calls == [("say", text) for text in said]
    assert status == line.startswith("/save")
    assert (chat.thread != thread) == line.startswith("/new")


async def test_each_conversation_has_a_thread_of_its_own(world: World) -> None:
    """Another one forgets what the last answer was made of."""
    chat, other = world.chat(), world.chat()
    assert chat.thread != other.thread
    assert len(chat.thread) == 32

    chat.last, chat.found = ANSWER, [("T", "https://a.b/")]
    chat.start_thread("t7")
    assert (chat.thread, chat.last, chat.found) == ("t7", None, [])
    chat.start_thread()
    assert len(chat.thread) == 32


# --- what the person is asked


@pytest.mark.parametrize(
    ("question", "reply", "given"),
    [
        (MAY, "y", Reply("proceed")),
        (MAY, "s\n", Reply("skip")),
        (MAY, "other words", "other words"),
        (MAY, "", ""),
        (MAY, EOFError, ""),
        (MAY, None, "late"),
    ],
)
async def test_a_reply_goes_to_the_question_that_was_shown(
    question: Question, reply: Any, given: Any, world: World
) -> None:
    """A letter stands for a choice; the end of the input is no consent."""
    run, replied = exchange(), list[Any]()
    run.reply = lambda *words: bool(replied.append(words))  # type: ignore[method-assign, func-returns-value]
    world.replies = [reply]
    await world.chat()._ask_person(run, question)

    assert world.calls[0] == (
        "say", "? May web_search run?", "  [y] yes  [s] skip  [c] cancel the run  Enter: skip",
    )  # fmt: skip
    assert replied == ([] if given == "late" else [(given, question.id)])
    assert world.calls[1:] == ([("say", ENGLISH.late)] if given == "late" else [])


@pytest.mark.parametrize(("question", "given"), [(CONFIRM, "yes"), (MAY, "")])
async def test_where_nobody_is_there_only_a_doubt_is_accepted(
    question: Question, given: str, world: World
) -> None:
    """No tool is allowed by silence."""
    run, replied = exchange(), list[Any]()
    run.reply = lambda *words: bool(replied.append(words))  # type: ignore[method-assign, func-returns-value]
    world.has_person = False
    await world.chat()._ask_person(run, question)

    assert replied == [(given, question.id)]
    assert world.calls == []


async def test_the_screen_rests_while_the_person_is_asked(world: World) -> None:
    """The question itself is said, and not shown as an event; then the run goes on."""
    world.lines, world.replies = [HOW], ["y", "y"]
    world.gives = [exchange(ApprovalNeeded(MAY), QuestionAsked(CONFIRM), Answered(ANSWER))]
    await world.chat().run()

    told = [call[0] for call in without_unfinished(world.calls)]
    assert told == [
        "begin", "end", "before", "receive", "begin", "end", "say", "begin", "end", "say",
        "begin", "show", "end", "after",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "yes"),
    [("y", True), (" YES\n", True), ("はい", True), ("no", False), ("", False), (None, False)],
)
async def test_a_question_of_ours_needs_a_clear_yes(
    reply: str | None, yes: bool, world: World
) -> None:
    """Where nobody is there, it is no, and nothing is said."""
    world.replies = [reply]
    assert await world.chat().confirm("Delete?") is yes
    assert world.calls == [("say", "Delete?", "  [y] yes")]

    world.has_person = False
    assert await world.chat().confirm("Delete?") is False
    assert len(world.calls) == 1


# --- Ctrl-C


async def test_ctrl_c_at_a_question_ends_the_run_first(world: World) -> None:
    """The prompt comes back when the run is over, and not before."""
    run = exchange(ApprovalNeeded(MAY), ended=False)
    run.task = asyncio.ensure_future(asyncio.Event().wait())  # type: ignore[assignment]
    world.lines, world.gives, world.replies = [HOW], [run], [Interrupted]
    chat = world.chat()

    assert await chat.run() == 0
    assert run.task.cancelled()
    assert world.calls[-1] == ("say", ENGLISH.stopped)
    assert chat.last is None


async def test_ctrl_c_during_a_run_ends_it(world: World) -> None:
    """The signal does not end the program; its handler is as before."""
    before = signal.getsignal(signal.SIGINT)
    run = exchange(ended=False)
    run.task = asyncio.ensure_future(asyncio.Event().wait())  # type: ignore[assignment]
    world.lines, world.gives = [HOW], [run]
    session = asyncio.ensure_future(world.chat().run())
    await until(lambda: ("begin", ENGLISH.working) in world.calls)
    signal.raise_signal(signal.SIGINT)

    assert await session == 0
    assert run.task.cancelled()
    assert world.calls[-2:] == [("end",), ("say", ENGLISH.stopped)]
    assert signal.getsignal(signal.SIGINT) is before


async def test_a_session_that_is_cancelled_ends(world: World) -> None:
    """Whoever runs it wants no other line read; only Ctrl-C keeps the prompt."""
    run = exchange(ended=False)
    run.task = asyncio.ensure_future(asyncio.Event().wait())  # type: ignore[assignment]
    world.lines, world.gives = [HOW, "/new"], [run]
    session = asyncio.ensure_future(world.chat().run())
    await until(lambda: ("begin", ENGLISH.working) in world.calls)
    session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await session

    assert run.task.cancelled()
    assert world.lines == ["/new"]
    assert ("say", ENGLISH.stopped) not in world.calls


async def test_a_second_ctrl_c_at_the_prompt_leaves(world: World) -> None:
    """A line in between starts anew."""
    world.lines = [Interrupted, "/new", Interrupted, Interrupted, "/new"]
    assert await world.chat().run() == 0

    assert world.calls == [("say", ENGLISH.leave), ("say", ENGLISH.new), ("say", ENGLISH.leave)]
    assert world.lines == ["/new"]


# --- opening


@pytest.mark.parametrize(
    ("has_person", "unfinished", "said"),
    [
        (True, [], []),
        (
            True,
            ["First?", f"Second\n{'x' * 100}"],
            [
                ("aside",),
                ("say", ENGLISH.unfinished.format(question=f"Second {'x' * 92}…")),
            ],
        ),
        (False, ["First?"], []),
    ],
)
async def test_the_newest_unfinished_question_is_offered(
    has_person: bool, unfinished: list[str], said: list[Any], world: World
) -> None:
    """Above the line that is being typed, in a hundred characters; in a pipe it is not."""
    world.has_person, world.unfinished = has_person, unfinished
    chat = world.chat()
    assert await chat.assistant() is world
    assert await chat.assistant() is world  # opened once

    looked = [("unfinished", "the database", "acme", "terminal", "ann")] if has_person else []
    assert world.calls == [*looked, *said]


async def test_only_an_opening_that_failed_ends_the_session(world: World) -> None:
    """Any other error is one sentence, and the next line is read."""
    world.lines, world.gives = [HOW, "/new"], [InvalidQuery("wrong")]
    assert await world.chat().run() == 1
    assert world.calls[-2:] == [("say", "wrong"), ("say", ENGLISH.new)]

    world.lines, world.opens = [HOW, "/new"], DatabaseFault("gone")
    with pytest.raises(DatabaseFault, match="gone"):
        await world.chat().run()
    assert world.calls[-2:] == OPENED
    assert world.lines == ["/new"]


@pytest.mark.parametrize("state", ["none", "open", "cancelled", "done", "failed"])
async def test_when_an_opening_has_failed(state: str, world: World) -> None:
    """Not while it is under way, and not when it was stopped."""
    chat, opening = world.chat(), asyncio.get_running_loop().create_future()
    chat._opening = None if state == "none" else opening  # type: ignore[assignment]
    if state == "cancelled":
        opening.cancel()
    elif state == "done":
        opening.set_result(world)
    elif state == "failed":
        opening.set_exception(DatabaseFault("gone"))

    assert chat._has_failed_to_open() is (state == "failed")


# --- going on


async def test_what_a_killed_process_left_is_gone_on_with(world: World) -> None:
    """Each in its own conversation, with its question above."""
    world.claims = [[exchange(Answered(ANSWER), thread="t1"), exchange(thread="t2")]]
    chat = world.chat()

    assert await chat.resume()
    whose = {"tenant": "acme", "person": "ann"}
    assert without_unfinished(world.calls) == [
        ("begin", ENGLISH.waiting),
        ("resume", "terminal", whose),
        ("end",),
        ("say", f"Going on: {HOW}"),
        ("begin", ENGLISH.working),
        ("show", Answered(ANSWER)),
        ("end",),
        ("after", ANSWER),
        ("say", f"Going on: {HOW}"),
        *WORKED,
    ]
    assert chat.thread == "t2"


@pytest.fixture
def slept(clock: Any, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, each at once."""
    clock.stop()
    seconds, sleep = list[float](), asyncio.sleep

    async def wait(delay: float, result: Any = None) -> Any:
        if delay:
            seconds.append(delay)
            clock.advance(delay)
        return await sleep(0, result)

    monkeypatch.setattr(asyncio, "sleep", wait)
    return seconds


async def test_the_lease_of_a_killed_process_is_waited_for(
    world: World, slept: list[float]
) -> None:
    """Every half second, a second longer than it lasts; then there is nothing to go on with."""
    world.unfinished = [HOW]

    assert not await world.chat().resume()
    assert slept == [0.5] * 32
    assert [call for call in world.calls if call[0] in ("begin", "end")] == [
        ("begin", ENGLISH.waiting), ("end",),
    ]  # fmt: skip


async def test_a_lease_that_ends_is_taken_at_once(world: World, slept: list[float]) -> None:
    """And nothing is waited for where nothing is unfinished."""
    assert not await world.chat().resume()
    assert slept == []

    world.unfinished, world.claims = [HOW], [[], [], [exchange(Answered(ANSWER))]]
    assert await world.chat().resume()
    assert slept == [0.5, 0.5]


@pytest.mark.parametrize("said", [[], ["How?", "So.\nYes."]])
async def test_the_last_conversation_is_shown_where_nothing_is_unfinished(
    said: list[str], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One conversation and two of its messages are read; the person's is marked."""
    now = datetime.now(UTC)

    async def list_conversations(*asked: Any) -> list[Conversation]:
        world.calls.append(("conversations", *asked))
        return [SimpleNamespace(id="c9", thread="t9", title="Otters\nand")] if said else []  # type: ignore[list-item]

    async def messages_of(*asked: Any) -> list[Message]:
        world.calls.append(("messages", *asked))
        return [Message("1", "user", said[0], now), Message("2", "assistant", said[1], now)]

    monkeypatch.setattr(conversations, "list_conversations", list_conversations)
    monkeypatch.setattr(conversations, "messages_of", messages_of)
    chat = world.chat()
    thread = chat.thread

    assert await chat.run(resume=True) == 0
    assert without_unfinished(world.calls)[3:] == [
        ("conversations", "the database", "acme", "terminal", "ann", 1),
        *([
            ("say", "Going on: Otters and"),
            ("messages", "the database", "c9", 2),
            ("say", "> How?"),
            ("say", "So.", "Yes."),
        ] if said else []),
    ]  # fmt: skip
    assert chat.thread == ("t9" if said else thread)


async def test_a_session_that_goes_on_opens_no_other_conversation(world: World) -> None:
    """The unfinished question is answered in its own."""
    world.claims = [[exchange(Answered(ANSWER), thread="t1")]]
    chat = world.chat()

    assert await chat.run(resume=True) == 0
    assert chat.thread == "t1"
