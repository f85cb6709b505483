"""What the assistant does with the database around a run: begun, renewed, ended, released."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant import assistant as module
from kensaku.assistant.actions import Thresholds, assess
from kensaku.assistant.answer import CitedAnswer
from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.assistant import Assistant
from kensaku.assistant.events import Answered, Failed, Planned, ToolEnded
from kensaku.assistant.record import record_of
from kensaku.database import runs
from kensaku.database.conversations import Sender
from kensaku.database.runs import StoredRun
from kensaku.errors import DatabaseFault
from kensaku.models import Outcome
from tests.search.support import until

ANN = Sender("test", "ann", "t1", "acme")
HOW = "How do sea otters sleep?"
MAY = Question("approve", "May it?", choices=("proceed", "skip"), tool="web_search")


def made(text: str | None, reason: str = "") -> CitedAnswer:
    """What a run came to."""
    return CitedAnswer(HOW, text, (), Outcome.FOUND, assess((), Thresholds()), reason=reason)


ANSWER, NOTHING = made("Hand in hand."), made(None, "Nothing was found.")


class World:
    """A database and a run, both as a test says; they write down what is asked of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.chosen: dict[str, Any] = {}
        self.ends: Any = Answered(ANSWER)  # or an exception, or a coroutine function
        self.finishes: Any = True  # or an exception
        self.begins = True
        self.left: list[StoredRun] = []
        self.own: list[Any] = []  # of each look: which leases are still ours
        self.tiers = {"web_search": "auto"}
        self.settings, self.budget = "the settings", "the client's budget"
        for name in ("begin", "finish", "renew", "release", "claim", "take_update"):
            monkeypatch.setattr(runs, name, getattr(self, f"_{name}"))
        monkeypatch.setattr(module, "options_of", self._options_of)
        monkeypatch.setattr(module, "record_decisions", self._record)
        monkeypatch.setattr(module, "begin", self._make)
        monkeypatch.setattr(module, "answer", self._answer)
        monkeypatch.setattr(module, "url_of", lambda settings: f"url of {settings}")
        monkeypatch.setattr(module, "registered_tiers", self._registered)
        monkeypatch.setattr("kensaku.assistant.stored_replies.add_question", self._nothing)
        monkeypatch.setattr("kensaku.assistant.stored_replies.remove_question", self._nothing)
        monkeypatch.setattr("kensaku.assistant.stored_replies.replies_to", self._no_replies)
        self.client_of = lambda tenant: self if tenant == "acme" else None

    def assistant(self, **options: Any) -> Assistant:
        """The assistant of this database."""
        world: Any = self
        return Assistant(world, world.client_of, **options)

    def called(self, *names: str) -> list[tuple[Any, ...]]:
        """The calls of these names."""
        return [call for call in self.calls if call[0] in names]

    @asynccontextmanager
    async def write(self) -> Any:
        yield "the connection"

    async def _nothing(self, *_: Any) -> None:
        """Nothing."""

    async def _no_replies(self, *_: Any) -> list[Any]:
        return []

    async def _options_of(self, db: Any, sender: Sender) -> dict[str, Any]:
        assert db is self
        return dict(self.chosen)

    async def _begin(self, db: Any, id: str, *given: Any, **named: Any) -> StoredRun | None:
        assert db is self
        self.calls.append(("begin", id, *given, named))
        sender, question, options = given
        run = StoredRun(id, sender, "c1", question, options, {}, ("Before?",), {"done": 1})
        return run if self.begins else None

    async def _finish(self, db: Any, run: StoredRun, owner: str, state: str, **more: Any) -> Any:
        assert db is self
        self.calls.append(("finish", run.id, owner, state, more))
        if isinstance(self.finishes, Exception):
            raise self.finishes
        return self.finishes

    async def _renew(self, db: Any, owner: str, ids: Any) -> Any:
        self.calls.append(("renew", owner, list(ids)))
        own = self.own.pop(0) if self.own else list(ids)
        if isinstance(own, Exception):
            raise own
        return set(own)

    async def _release(self, db: Any, owner: str) -> None:
        self.calls.append(("release", owner))
        if isinstance(self.finishes, Exception):
            raise self.finishes

    async def _claim(self, db: Any, *given: Any, **named: Any) -> list[StoredRun]:
        self.calls.append(("claim", *given, named))
        return self.left

    async def _take_update(self, db: Any, sender: Sender, update: str) -> bool:
        self.calls.append(("update", sender, update))
        return update == "new"

    async def _registered(self, url: str, person: str) -> dict[str, str]:
        self.calls.append(("registered", url, person))
        return self.tiers

    async def _record(self, connection: str, sender: Sender, run: str, kinds: Any) -> None:
        self.calls.append(("record", connection, sender, run, kinds))

    def _make(self, question: str, client: Any, options: Any, emit: Any) -> Any:
        assert client is self
        self.calls.append(("make", question, options))
        return SimpleNamespace(question=question, options=options, emit=emit)

    async def _answer(self, run: Any) -> Any:
        ends = self.ends
        if callable(ends):
            ends = await ends(run)
        if isinstance(ends, BaseException):
            raise ends
        return ends


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Nothing has happened yet."""
    return World(monkeypatch)


async def forever(_: Any) -> None:
    """A run that does not end by itself."""
    await asyncio.Event().wait()


async def settled(exchange: Any) -> None:
    """Wait until a run is over, however it ended."""
    await asyncio.wait([exchange.task])


async def test_a_question_is_checked_stored_and_run(world: World) -> None:
    """With what the person chose, and the call's options over it."""
    world.chosen = {"route": "exa", "model": "small"}
    assistant = world.assistant()
    exchange = await assistant.receive(ANN, HOW, update="u7", route="tavily")
    assert exchange is not None
    await settled(exchange)

    chosen = {"route": "tavily", "model": "small"}
    checked, begun, registered, run = world.calls[:4]
    assert checked == ("make", HOW, chosen)
    _, id, *stored, named = begun
    owner = named["owner"]
    assert (stored, named) == ([ANN, HOW, chosen], {"owner": owner, "update_id": "u7"})
    assert (len(id), len(owner)) == (24, 32)
    assert registered == ("registered", "url of the settings", "ann")
    assert run[:2] == ("make", HOW)
    options = run[2]
    assert {n: options[n] for n in ("route", "model", "budget", "approvals", "earlier")} == {
        **chosen, "budget": "the client's budget", "approvals": {"web_search": "auto"},
        "earlier": ("Before?",),
    }  # fmt: skip
    assert options["journal"].finished == {"done": 1}
    assert len(options) == 7


async def test_what_was_taken_before_is_not_run(world: World) -> None:
    """A channel delivers at least once."""
    world.begins = False
    assistant = world.assistant()

    assert await assistant.receive(ANN, HOW, update="u7") is None
    assert assistant.current(ANN) is None
    assert world.called("finish") == []


@pytest.mark.parametrize(
    ("last", "state", "text"),
    [(Answered(ANSWER), "done", "Hand in hand."),
     (Failed("Nothing was found.", NOTHING), "failed", "Nothing was found.")],
    ids=["answered", "failed"],
)  # fmt: skip
@pytest.mark.parametrize("ours", [True, False])
async def test_the_end_of_a_run_is_stored_and_then_told(
    last: Any, state: str, text: str, ours: bool, world: World
) -> None:
    """With its events; one that another process has ended meanwhile is not told here."""
    happened = [Planned((HOW,), "rule"), ToolEnded("1", "web_search", {}, "refused")]

    async def run(made: Any) -> Any:
        for event in happened:
            made.emit(event)
        return last

    world.ends, world.finishes = run, ours
    assistant = world.assistant()
    exchange = await assistant.receive(ANN, HOW)
    assert exchange is not None
    assert assistant.current(ANN) is exchange
    await settled(exchange)

    [(_, id, owner, ended, more)] = world.called("finish")
    assert (id, owner, ended) == (exchange.id, assistant._owner, state)
    assert more == {
        "text": text,
        "answer": record_of(last.answer, happened),  # type: ignore[arg-type]
        "decisions": [("tool", "web_search", "refused")],
    }
    assert exchange.events == [*happened, *([last] if ours else [])]
    assert assistant.current(ANN) is None
    assert assistant._threads == {}


@pytest.mark.parametrize(("message", "states"), [((), ["cancelled"]), (("the process stops",), [])])
@pytest.mark.parametrize("finishes", [True, DatabaseFault("gone")])
async def test_a_run_that_is_cancelled(
    message: tuple[str, ...], states: list[str], finishes: Any, world: World
) -> None:
    """By the person it is over; a process that stops leaves it to the next."""
    world.ends, world.finishes = forever, finishes
    exchange = await world.assistant().receive(ANN, HOW)
    assert exchange is not None
    assert exchange.task is not None
    await until(lambda: len(world.called("make")) == 2)
    exchange.task.cancel(*message)
    await settled(exchange)

    assert exchange.task.cancelled()
    assert [(call[3], call[4]) for call in world.called("finish")] == [(s, {}) for s in states]


@pytest.mark.parametrize("finishes", [True, DatabaseFault("gone")])
async def test_a_run_that_breaks_is_over(finishes: Any, world: World) -> None:
    """Whoever follows gets what broke it, and nothing else."""
    world.ends, world.finishes = ZeroDivisionError(), finishes
    exchange = await world.assistant().receive(ANN, HOW)
    assert exchange is not None
    await settled(exchange)

    assert [(call[3], call[4]) for call in world.called("finish")] == [("failed", {})]
    with pytest.raises(ZeroDivisionError):
        _ = [event async for event in exchange.follow()]


async def test_a_message_waits_for_the_one_before_it(world: World) -> None:
    """Whatever became of that."""
    first_may_end, asked = asyncio.Event(), list[str]()

    async def run(made: Any) -> Any:
        asked.append(made.question)
        if made.question == "First?":
            await first_may_end.wait()
            raise ZeroDivisionError
        return Answered(ANSWER)

    world.ends = run
    assistant = world.assistant()
    first = await assistant.receive(ANN, "First?")
    second = await assistant.receive(ANN, "Second?")
    assert first is not None
    assert second is not None
    await until(lambda: asked == ["First?"])
    assert assistant.current(ANN) is first
    first_may_end.set()
    await settled(first)
    assert assistant.current(ANN) is second
    await settled(second)
    assert asked == ["First?", "Second?"]
    assert isinstance(first.task and first.task.exception(), ZeroDivisionError)


async def test_thirty_two_runs_are_under_way_at_once(world: World) -> None:
    """The others wait for their turn."""
    may_end, asked = asyncio.Event(), list[str]()

    async def run(made: Any) -> Any:
        asked.append(made.question)
        await may_end.wait()
        return Answered(ANSWER)

    world.ends = run
    assistant = world.assistant()
    exchanges = [
        await assistant.receive(Sender("test", str(n), str(n), "acme"), HOW) for n in range(34)
    ]
    await until(lambda: len(asked) >= 32)
    for _ in range(9):
        await asyncio.sleep(0)
    assert len(asked) == 32
    may_end.set()
    for exchange in exchanges:
        await settled(exchange)
    assert len(asked) == 34


@pytest.mark.parametrize(
    ("reply", "decision"), [(Reply("proceed"), "proceed"), (Reply("skip"), "skip"), (None, "none")]
)
async def test_what_a_person_decides_is_recorded_at_once(
    reply: Reply | None, decision: str, world: World
) -> None:
    """Also that nobody replied; the words are not."""
    got: list[Any] = []

    async def run(made: Any) -> Any:
        asking = asyncio.ensure_future(made.options["person"](MAY))
        await asyncio.sleep(0)
        if reply is None:
            asking.cancel()
        else:
            exchange.reply(reply)
        got.extend(await asyncio.gather(asking, return_exceptions=True))
        return Answered(ANSWER)

    world.ends = run
    assistant = world.assistant()
    found = await assistant.receive(ANN, HOW)
    assert found is not None
    exchange = found
    await settled(exchange)
    await assistant.close()

    assert world.called("record") == [
        ("record", "the connection", ANN, exchange.id, [("approve", "web_search", decision)])
    ]
    assert [isinstance(g, asyncio.CancelledError) or g == reply for g in got] == [True]


async def test_a_reply_that_came_before_is_not_taken_twice(world: World) -> None:
    """By the channel's id of it; without one each counts."""
    world.ends = forever
    assistant = world.assistant()
    exchange = await assistant.receive(ANN, HOW)
    assert exchange is not None
    for update, counts in (("old", False), ("new", True), (None, True)):
        asking = asyncio.ensure_future(exchange.ask(MAY))
        await asyncio.sleep(0)
        assert await assistant.receive(ANN, "yes", update=update) is None
        await asyncio.sleep(0)
        assert asking.done() is counts
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    assert world.called("update") == [("update", ANN, "old"), ("update", ANN, "new")]
    await assistant.close()


async def test_a_bound_of_the_person_counts_instead_of_the_clients(world: World) -> None:
    """Where there is one."""
    for bound, budget in (("their budget", "their budget"), (None, "the client's budget")):

        async def budget_of(sender: Sender, bound: Any = bound) -> Any:
            assert sender == ANN
            return bound

        exchange = await world.assistant(budget_of=budget_of).receive(ANN, HOW)
        assert exchange is not None
        await settled(exchange)
        assert world.called("make")[-1][2]["budget"] == budget


async def test_runs_of_a_process_that_is_gone_are_gone_on_with(world: World) -> None:
    """Those of a channel, or of one person."""
    world.left = [StoredRun("r1", ANN, "c1", HOW, {}), StoredRun("r2", ANN, "c1", "And?", {})]
    assistant = world.assistant()
    found = await assistant.resume("test", tenant="acme", person="ann")
    assert [e.id for e in found] == ["r1", "r2"]
    assert assistant.find("r2", "acme") is found[1]
    for exchange in found:
        await settled(exchange)
    world.left = []
    assert await assistant.resume("other") == []

    owner = assistant._owner
    assert world.called("claim") == [
        ("claim", "test", owner, {"tenant": "acme", "person": "ann"}),
        ("claim", "other", owner, {"tenant": None, "person": None}),
    ]
    await assistant.close()


# --- leases


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, each at once."""
    seconds, sleep = list[float](), asyncio.sleep

    async def wait(delay: float, result: Any = None) -> Any:
        if delay >= 1:
            seconds.append(delay)
        return await sleep(0 if delay >= 1 else delay, result)

    monkeypatch.setattr(asyncio, "sleep", wait)
    return seconds


async def test_leases_are_renewed_as_long_as_something_runs(
    world: World, slept: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    """Every five seconds, also after a database that was away; what was lost is stopped."""
    world.ends = forever
    assistant = world.assistant()
    lost = await assistant.receive(ANN, HOW)
    kept = await assistant.receive(Sender("test", "ben", "t2", "acme"), HOW)
    assert lost is not None
    assert kept is not None
    assert kept.task is not None
    world.own = [[lost.id, kept.id], DatabaseFault("gone"), [kept.id]]
    await settled(lost)

    renewed = world.called("renew")
    assert renewed[:3] == [("renew", assistant._owner, [lost.id, kept.id])] * 3
    assert set(slept) == {5.0}
    assert "the leases of 2 runs were not renewed: gone" in caplog.text
    with pytest.raises(asyncio.CancelledError, match="another process goes on with it"):
        _ = [event async for event in lost.follow()]
    assert world.called("finish") == []
    assert not kept.task.done()

    renewing = assistant._renewing
    kept.cancel()
    await settled(kept)
    assert renewing is not None
    await asyncio.wait([renewing])
    again = await assistant.receive(ANN, HOW)
    assert again is not None
    assert assistant._renewing is not renewing
    await assistant.close()


@pytest.mark.parametrize("finishes", [True, DatabaseFault("gone")])
async def test_a_process_that_stops_releases_its_leases(finishes: Any, world: World) -> None:
    """If it had any; a database that is away is none of its business any more."""
    idle = world.assistant()
    await idle.close()
    assert world.calls == []

    world.ends, world.finishes = forever, finishes
    async with world.assistant() as assistant:
        exchange = await assistant.receive(ANN, HOW)
        assert exchange is not None
        await until(lambda: len(world.called("make")) == 2)
    assert world.called("release") == [("release", assistant._owner)]
    assert exchange.task is not None
    assert exchange.task.cancelled()
    assert assistant._renewing is not None
    assert assistant._renewing.cancelled()
    assert assistant._owner != idle._owner
