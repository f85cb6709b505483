"""The web channel: what is kept, asked, replied and ended, here and in another process.

The other process is another server over the same database.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text, update

from kensaku.database.conversations import Sender
from kensaku.database.runs import begin
from kensaku.database.tables import RUNS
from kensaku.testing import faults
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import MakeServer, Running
from .page_client import PageClient, browsing
from .talk import asked, to_end

SLEEP, EAT = "How do sea otters sleep?", "What do sea otters eat each day?"


@pytest.fixture
async def here(make_server: MakeServer, web: Web) -> Running:
    """The server that runs the conversations; each search is one that the web sees."""
    made: Running = await make_server(cache_enabled=False, assistant_fetches=0)
    return made


@pytest.fixture
async def page(here: Running) -> AsyncIterator[PageClient]:
    async with browsing(here.url) as made:
        yield made


@pytest.fixture
async def elsewhere(make_server: MakeServer, here: Running) -> AsyncIterator[PageClient]:
    """Another server over the same database."""
    other = await make_server(cache_enabled=False, assistant_fetches=0)
    async with browsing(other.url) as made:
        yield made


async def waiting(page: PageClient, question: str = SLEEP) -> tuple[str, str]:
    """Begin a conversation whose search needs consent: its path, and the id of the question."""
    begun = await page.call("POST", "/api/chat", {"text": question, "ask_first": True})
    return f"/api/chat/{begun['id']}", (await asked(page, begun["id"]))[0]


async def finish(page: PageClient, path: str, *actions: str, **headers: str) -> list[str]:
    """Answer each question with the first of these actions that it takes; return all events."""
    seen = await to_end(page, path.rpartition("/")[2], *actions, **headers)
    return [data["event"]["type"] for name, data in seen if name == "event"]


async def states(page: PageClient, path: str) -> set[str]:
    """How the runs of a conversation ended, as its page shows it."""
    html = await page.get(path.removeprefix("/api"))
    return {word for word in ("Stopped.", "hold hands") if word in html}


# --- replies


REPLIES: list[tuple[dict[str, Any], str]] = [
    ({"action": "proceed"}, SLEEP),
    ({"action": "proceed", "text": SLEEP}, SLEEP),
    ({"action": "proceed", "text": "  otters   sleep "}, "otters sleep"),
    ({"action": "modify", "text": "sleep"}, "sleep"),
    ({"choice": "sleep of otters"}, "sleep of otters"),
    ({"choice": "sleep of otters", "text": " "}, "sleep of otters"),
    ({"choice": "sea otters", "text": "asleep"}, "asleep"),
]


async def taken(page: PageClient, path: str, reply: dict[str, Any]) -> None:
    """Reply until it counts: a question is shown here a moment before it is stored for others."""
    async with asyncio.timeout(60):
        while not (await page.call("POST", f"{path}/reply", reply))["taken"]:
            pass


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_a_reply_reaches_the_run_that_waits(page, elsewhere, web: Web, where):
    """Words that were typed count, whichever button is pressed with them; each counts once."""
    replying = page if where == "here" else elsewhere
    for fields, query in REPLIES:
        searched = len(web.queries)
        path, question = await waiting(page)
        reply = {"question": question, **fields}
        wrong = {"question": "another", **fields}
        assert await replying.call("POST", f"{path}/reply", wrong) == {"taken": False}
        assert len(web.queries) == searched
        await taken(replying, path, reply)
        assert await replying.call("POST", f"{path}/reply", reply) == {"taken": False}
        await until(lambda n=searched: len(web.queries) > n)
        assert web.queries[searched] == query
        await page.call("DELETE", path)


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_who_skips_or_cancels_a_search_has_none(page, elsewhere, web: Web, where):
    """Nor do the words count that were typed beside the button."""
    replying = page if where == "here" else elsewhere
    for action in ("skip", "cancel"):
        path, question = await waiting(page)
        reply = {"question": question, "action": action, "text": "sleep"}
        await taken(replying, path, reply)
        await finish(page, path, "skip")
        assert "hold hands" not in await states(page, path)
        await page.call("DELETE", path)

    assert web.queries == []


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_only_what_was_offered_is_a_reply(page, elsewhere, web: Web, where):
    """Not a button that the form does not have, nor none."""
    replying = page if where == "here" else elsewhere
    path, question = await waiting(page)

    assert await replying.call(
        "POST", f"{path}/reply", {"question": question, "action": "retry"}
    ) == {"taken": False}
    for action in ("", "explode"):
        await replying.call("POST", f"{path}/reply", {"question": question, "action": action})
        assert replying.status == 400
    assert await page.call("POST", f"{path}/cancel") == {"cancelled": True}
    assert web.queries == []


async def test_words_reply_to_what_a_run_elsewhere_asks(page, elsewhere, web: Web):
    """Once, if the page says which message it is; nothing new begins."""
    path, _ = await waiting(page)
    said = {"text": "otters asleep", "update": "n1"}

    assert (await elsewhere.call("POST", path, said))["run"] is None
    await until(lambda: web.queries)
    await finish(page, path)
    assert web.queries[0] == "otters asleep"
    searched = len(web.queries)
    second, _ = await waiting(page)
    assert (await elsewhere.call("POST", second, said))["run"] is None
    assert await page.call("POST", f"{second}/cancel") == {"cancelled": True}
    assert len(web.queries) == searched


async def test_a_message_is_told_apart_by_its_number_for_each_person(here, make_key):
    """The same number of another person is another message."""
    ann, ben = [await make_key(here, name, tenant="t1") for name in ("ann", "ben")]
    async with browsing(here.url) as page:
        begun = []
        for key in (ann, ben, ann):
            head = {"Authorization": f"Bearer {key}"}
            said = {"text": SLEEP, "update": "n1", "ask_first": True}
            begun.append(await page.call("POST", "/api/chat", said, **head))

    assert [bool(b["run"]) for b in begun] == [True, True, False]


async def test_what_was_chosen_beside_a_message_holds_until_it_is_taken_back(
    make_server, web: Web, upstream
):
    """The route, and whether each search is asked for first."""
    server = await make_server("tavily", "brave", mode="first", assistant_fetches=0)
    async with browsing(server.url) as page:

        async def ask(**chosen: Any) -> list[str]:
            begun = await page.call("POST", "/api/chat", {"text": SLEEP, **chosen})
            return await finish(page, f"/api/chat/{begun['id']}")

        for chosen in ({"route": "brave", "ask_first": True}, {}):
            assert "ApprovalNeeded" in await ask(**chosen)
        assert upstream.asked("brave")
        assert web.queries == []
        assert "ApprovalNeeded" not in await ask(route="", ask_first=False)

    assert web.queries[0] == SLEEP


# --- the list, and the end


async def test_the_conversations_of_a_person_are_listed_newest_first(page, here):
    """Not those of another channel."""
    threads = [await waiting(page, question) for question in (SLEEP, EAT)]
    telegram = Sender("telegram", "local", "local/x", "")
    await begin(here.state.database, "r9", telegram, "Hello?", {}, owner="other")

    listed = (await page.call("GET", "/api/chat"))["conversations"]

    assert [(f"/api/chat/{c['id']}", c["title"]) for c in listed] == [
        (threads[1][0], EAT),
        (threads[0][0], SLEEP),
    ]


async def test_a_run_of_another_process_is_stopped_and_deleted(page, elsewhere, web: Web):
    """Once; its process finds out, and nobody can answer it any more."""
    path, question = await waiting(page)
    cancelled = [await elsewhere.call("POST", f"{path}/cancel") for _ in "12"]
    late = {"question": question, "action": "proceed"}
    taken = await elsewhere.call("POST", f"{path}/reply", late)

    assert cancelled == [{"cancelled": True}, {"cancelled": False}]
    assert taken == {"taken": False}
    for shown in (page, elsewhere):
        assert await states(shown, path) == {"Stopped."}
    await elsewhere.call("DELETE", path)
    for shown in (page, elsewhere):
        assert (await shown.call("GET", path))["error"]["type"] == "NoConversation"
        assert (await shown.call("DELETE", path))["error"]["type"] == "NoConversation"
    assert web.queries == []


async def test_to_delete_ends_also_the_questions_that_wait(page, upstream, web: Web):
    """None of them is searched for afterwards, and the other conversation stays."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    other, _ = await waiting(page, EAT)
    begun = await page.call("POST", "/api/chat", {"text": SLEEP, "ask_first": False})
    path = f"/api/chat/{begun['id']}"
    for n in (1, 2):
        assert (await page.call("POST", path, {"text": f"{SLEEP} {n}"}))["run"]
    await until(lambda: web.queries)

    await page.call("DELETE", path)

    listed = (await page.call("GET", "/api/chat"))["conversations"]
    assert [f"/api/chat/{c['id']}" for c in listed] == [other]
    assert set(web.queries) == {SLEEP}


async def test_the_operators_budget_bounds_the_runs_of_every_key(make_server, make_key, web: Web):
    """However much the key itself may spend."""
    server = await make_server(cache_enabled=False, assistant_fetches=0, budget_searches=1)
    head = {"Authorization": f"Bearer {await make_key(server, money_per_month=1000.0)}"}
    async with browsing(server.url) as page:
        for question in (SLEEP, EAT):
            begun = await page.call("POST", "/api/chat", {"text": question}, **head)
            await finish(page, f"/api/chat/{begun['id']}", **head)

    assert len(web.queries) == 1


# --- going on


async def test_conversations_of_a_killed_server_are_taken_up(
    here, page, elsewhere, web: Web, clock, caplog
):
    """By one that runs, after some seconds, whatever went wrong the time before."""
    path, _ = await waiting(page)
    await here.state.assistant.close()  # and nobody ends its runs
    database = here.state.database

    async def execute(statement: Any) -> None:
        async with database.write() as connection:
            await connection.execute(statement)

    await execute(text(f"ALTER TABLE {RUNS.name} RENAME TO hidden"))
    clock.advance(6)
    await until(lambda: "unfinished conversations wait" in caplog.text)
    await execute(text(f"ALTER TABLE hidden RENAME TO {RUNS.name}"))
    await execute(update(RUNS).values(lease=datetime(2020, 1, 1, tzinfo=UTC)))
    clock.advance(6)
    await finish(elsewhere, path)
    assert web.queries[0] == SLEEP
    assert await states(elsewhere, path) == {"hold hands"}
