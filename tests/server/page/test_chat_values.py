"""The Chat view by its values: what its template gets, what its forms do, what its files are."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.approval import Question
from kensaku.assistant.events import Planned, TextDelta
from kensaku.assistant.exchange import Exchange
from kensaku.database.conversations import Conversation, Message
from kensaku.database.runs import StoredRun
from kensaku.server import chat as channel
from kensaku.server.auth import Principal
from kensaku.server.chat import NoConversation, Talk, Thread
from kensaku.server.page import chat, snippets
from kensaku.server.page.chat_export import to_json
from kensaku.server.page.search import Choice
from kensaku.server.page.turns import Turn, ask_view, show_live
from kensaku.server.page.words import Words
from tests.server.page.page_request import api_key, page_of

NOON = datetime(2026, 1, 2, 12, 30, tzinfo=UTC)
ID = "0123456789abcdef"
BOB = Principal("bob", "t1", key=api_key())
THREAD = Thread.of(BOB, ID)
WHICH = Question("help", "Which otters?", choices=("modify", "skip"), tool="ask_user")
CONVERSATION = Conversation("c", "web", f"id-bob/{ID}", "Otters?", NOON, NOON)


class World:
    """The server behind the view: an assistant and a channel that write down what is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.chosen: dict[str, Any] = {}
        self.talk = Talk(CONVERSATION, [], {}, {})
        self.running: dict[str, Exchange] = {}
        self.now: Exchange | None = None
        self.assistant = self
        self.outcome = self.limit = None

    # --- the state

    def client_of(self, principal: Principal) -> str:
        return f"client of {principal.name}"

    @asynccontextmanager
    async def request(self, scope: Any, endpoint: str, *rest: Any) -> Any:
        self.calls.append(("request", endpoint, *rest))
        yield self
        self.calls.append(("outcome", self.outcome))

    async def check_limits(self, searches: int) -> None:
        self.calls.append(("limits", searches))

    # --- the assistant

    async def options(self, sender: Any) -> dict[str, Any]:
        self.calls.append(("options", sender))
        return self.chosen

    def current(self, sender: Any) -> Exchange | None:
        self.calls.append(("current", sender))
        return self.now

    def find(self, id: str, tenant: str) -> Exchange | None:
        self.calls.append(("find", id, tenant))
        return self.running.get(id)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Bob has one conversation; there is a collection, and two who can be asked."""
    made = World()

    def does(name: str, value: Any = None) -> None:
        async def call(state: Any, *given: Any) -> Any:
            assert state is made
            made.calls.append((name, *given))
            return made.talk if name == "load" else value

        monkeypatch.setattr(channel, name, call)

    for name in ("load", "reply", "cancel", "delete", "ask"):
        does(name)
    does("listed", [(ID, CONVERSATION)])

    async def collection_names(client: str) -> list[str]:
        return ["notes"] if client == "client of bob" else []

    monkeypatch.setattr(chat, "collection_names", collection_names)
    monkeypatch.setattr(chat, "ready_providers", lambda client: ["local", "brave", "exa"])
    return made


def page(world: World, query: str = "", thread: str | None = None, **options: Any) -> Any:
    """Bob's request for the view."""
    made = page_of(world, query, principal=options.pop("principal", BOB), **options)
    if thread is not None:
        made.scope["path_params"] = {"thread": thread}
    return made


def exchange(id: str) -> Exchange:
    """A run that has planned and written something."""

    async def forget(_: Any) -> None:
        """Nothing."""

    run = Exchange(StoredRun(id, THREAD.sender, "c", "Otters?", {}), forget)
    run.emit(Planned(("a", "b"), "rule"))
    run.emit(TextDelta("They swim"))
    return run


async def test_a_page_on_which_nothing_was_said(world: World) -> None:
    """The box, what may be chosen, examples, and the conversations of before."""
    asked = page(world, "q=" + "x" * 4_001)
    shown = await chat.show(asked)

    update = shown.pop("update")
    assert len(update) == 16
    assert update != (await chat.show(asked))["update"]
    assert shown == {
        "thread": "",
        "talk": None,
        "turns": [],
        "running": False,
        "waits": False,
        "listed": [(ID, CONVERSATION, asked.words.age("2026-01-02T12:30:00+00:00"))],
        "examples": ("What is new in Python 3.14?", "How do heat pumps work in winter?"),
        "text": "x" * 4_000,
        "max_text": 4_000,
        "use": snippets.for_chat(asked, ""),
        "filters": [
            Choice("route", "route", "", [
                ("", "Auto route"), ("local", "My collections only"), ("brave", "brave"),
                ("exa", "exa"),
            ]),
            Choice("collection", "collection", "",
                   [("", "All collections"), ("notes", "notes")]),
        ],
        "ask_first": False,
    }  # fmt: skip
    assert ("load", THREAD) not in world.calls
    assert world.calls[0] == ("listed", BOB)


async def test_what_was_chosen_is_shown(world: World) -> None:
    """Also who wants to be asked first; without collections there is no such choice."""
    world.chosen = {"route": "exa", "collection": "notes", "approvals": channel.ASK_FIRST}
    shown = await chat.show(page(world, thread=ID))
    assert [(c.name, c.value) for c in shown["filters"]] == [
        ("route", "exa"), ("collection", "notes"),
    ]  # fmt: skip
    assert shown["ask_first"] is True
    assert ("options", THREAD.sender) in world.calls

    world.chosen = {"approvals": {"web_search": "ask"}}
    ann = Principal("ann", "t1", key=api_key("ann"))
    other = await chat.show(page(world, principal=ann, language="ja"))
    assert [(c.name, c.value) for c in other["filters"]] == [("route", "")]
    assert other["ask_first"] is False
    assert other["examples"][0] == "Pythonの非同期プログラミングについて検索して"


async def test_a_conversation_with_a_run_here_one_that_waits_and_one_elsewhere(
    world: World,
) -> None:
    """Of another process only the questions are known."""
    said = [Message(f"r{n}-user", "user", f"Otters {n}?", NOON) for n in range(4)]
    states = {"r0": "done", "r1": "running", "r2": "running", "r3": "running"}
    world.talk = Talk(CONVERSATION, said, states, {"r3": [WHICH]})
    world.running = {"r1": exchange("r1"), "r2": exchange("r2")}
    world.now = world.running["r1"]

    shown = await chat.show(page(world, thread=ID))

    assert (shown["thread"], shown["talk"]) == (ID, world.talk)
    assert (shown["running"], shown["waits"]) == (True, True)
    assert [(t.id, t.state, t.started, t.plan, t.text) for t in shown["turns"]] == [
        ("r0", "done", True, [], ""),
        ("r1", "running", True, ["a", "b"], "They swim"),
        ("r2", "running", False, ["a", "b"], "They swim"),
        ("r3", "running", True, [], ""),
    ]
    assert [t.asks for t in shown["turns"]] == [[], [], [], [ask_view(WHICH)]]
    assert world.calls[:5] == [
        ("load", THREAD), ("current", THREAD.sender), ("find", "r1", "t1"), ("find", "r2", "t1"),
        ("find", "r3", "t1"),
    ]  # fmt: skip
    assert shown["use"] == snippets.for_chat(page(world), ID)


async def test_a_conversation_that_rests(world: World) -> None:
    """Nothing of it is looked for among the runs."""
    said = [Message("r0-user", "user", "Otters?", NOON)]
    world.talk = Talk(CONVERSATION, said, {"r0": "failed"}, {})
    shown = await chat.show(page(world, thread=ID))

    assert (shown["running"], shown["waits"]) == (False, False)
    assert not any(call[0] == "find" for call in world.calls)


async def test_what_a_run_waits_with_is_shown_with_it() -> None:
    """The questions that are open, in their order."""
    run, turn = (
        SimpleNamespace(events=[TextDelta("So")], waiting=[WHICH]),
        Turn("r", "q", Words("en")),
    )
    show_live(turn, run, first=False)  # type: ignore[arg-type]

    assert (turn.started, turn.text, turn.asks) == (False, "So", [ask_view(WHICH)])


ADMITTED = ("request", "page/chat", {"host": "a.example"}, {}, BOB)


@pytest.mark.parametrize(
    ("form", "calls", "path"),
    [
        ({"do": "reply", "x": "1"}, [("reply", THREAD, {"do": "reply", "x": "1"})], f"/chat/{ID}"),
        ({"do": "cancel"}, [("cancel", THREAD)], f"/chat/{ID}"),
        ({"do": "delete"}, [("delete", THREAD)], "/chat"),
        (
            {"text": "Otters?"},
            [ADMITTED, ("limits", 1), ("ask", THREAD, {"text": "Otters?"}), ("outcome", "found")],
            f"/chat/{ID}",
        ),
    ],
    ids=["reply", "cancel", "delete", "ask"],
)
async def test_what_a_form_does(
    form: dict[str, str], calls: list[Any], path: str, world: World
) -> None:
    """Only a question counts as a search of the key."""
    assert await chat.act(page(world, thread=ID), form) == path
    assert world.calls == calls


async def test_a_form_without_a_conversation_begins_one(world: World) -> None:
    """Each with an id of its own."""
    first = await chat.act(page(world), {"do": "ask", "text": "x"})
    second = await chat.act(page(world), {"do": "ask", "text": "x"})

    assert first != second
    asked = [call[1] for call in world.calls if call[0] == "ask"]
    assert [f"/chat/{thread.id}" for thread in asked] == [first, second]


async def test_a_conversation_is_a_file_of_its_day(world: World) -> None:
    """Markdown or JSON; any other kind is not there."""
    world.talk = Talk(CONVERSATION, [Message("r0-user", "user", "Otters?", NOON)], {}, {})
    asked = page(world, thread=ID)
    text = b"# Otters?\n\n## Otters?\n\n*2026-01-02 12:30 UTC*\n"
    assert await chat.export(asked, "md") == (
        text, "text/markdown; charset=utf-8", f"kensaku-2026-01-02-{ID}.md",
    )  # fmt: skip
    body, kind, name = await chat.export(asked, "json")
    assert json.loads(body) == to_json(world.talk, ID)
    assert (kind, name) == ("application/json", f"kensaku-2026-01-02-{ID}.json")
    with pytest.raises(NoConversation):
        await chat.export(asked, "exe")
