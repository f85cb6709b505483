"""A request that is admitted, the same on every surface: its key, its limits, its slot, its usage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

import kensaku.server
from kensaku.database import Database
from kensaku.database.keys import create_key
from kensaku.database.usage import summarise
from kensaku.server.limits import Admission
from kensaku.testing import faults
from tests.answers.conftest import Web
from tests.mcp.servers import ACCEPT, INITIALIZE

from .conftest import Running, serve

SLEEP, EAT = "How do sea otters sleep?", "What do sea otters eat each day?"


def said(text: str) -> list[dict[str, str]]:
    return [{"id": "m", "role": "user", "content": text}]


def bodies(text: str, run: str = "r1") -> dict[str, dict[str, Any]]:
    """What each surface is sent to ask one question."""
    return {
        "/search": {"query": text},
        "/exa/search": {"query": text},
        "/v1/chat/completions": {"messages": said(text)},
        "/agent": {"threadId": f"t-{run}", "runId": run, "messages": said(text)},
        "/research": {"input": text, "model": "mini", "stream": True},
        "/feedback": {"request_id": "abc"},
        "/mcp": INITIALIZE,
        "/tools/web_search": {"query": text},
        "/api/search": {"q": text},
        "/api/context": {"q": text},
        "/api/chat": {"text": text},
    }


SURFACES = list(bodies(SLEEP))
OF_THE_PAGE = [path for path in SURFACES if path.startswith("/api/")]  # a token comes first there
FOR_PROGRAMS = [path for path in SURFACES if path not in OF_THE_PAGE]
RUNS = ["/v1/chat/completions", "/agent", "/research"]  # of many searches
BUDGETED = ["/search", *RUNS]


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=60, headers=ACCEPT) as client:
        yield client


async def ask(
    http: httpx.AsyncClient, server: Running, path: str, key: str = "", text: str = SLEEP,
    run: str = "r1", **headers: str,
) -> httpx.Response:  # fmt: skip
    bearer = {"Authorization": f"Bearer {key}"} if key else {}
    return await http.post(
        server.url + path, json=bodies(text, run)[path], headers=bearer | headers
    )


async def test_a_key_is_needed_once_there_is_one(server, make_key, http, upstream):
    """None, or one that is not known, is 401 everywhere, and nothing is searched."""
    await make_key(server)

    for path in SURFACES:
        for key in ("", "ksk_" + "x" * 32):
            assert (await ask(http, server, path, key)).status_code == 401, path
    assert upstream.asked("tavily") == []


async def test_the_rate_of_a_key_holds(server, make_key, http, web):
    """429 with the seconds to wait; another key is not slowed down by that."""
    other = await make_key(server, "other")
    for n, path in enumerate(SURFACES):
        slow = await make_key(server, rate="1/h")
        first, second, others = [
            await ask(http, server, path, key, run=f"r{n}-{run}")
            for run, key in enumerate((slow, slow, other))
        ]
        statuses = [reply.status_code for reply in (first, second, others)]
        assert statuses == [200, 429, 200], path
        assert 0 < int(second.headers["retry-after"]) <= 3_600


async def test_the_page_of_another_site_makes_nobody_search(server, http, upstream):
    """Where no key is needed a browser could be made to; with one, its page could not send it."""
    for path in FOR_PROGRAMS:
        for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
            assert (await ask(http, server, path, Origin=origin)).status_code == 403, path
        foreign = {"Sec-Fetch-Site": "cross-site"}
        assert (await ask(http, server, path, **foreign)).status_code == 403, path
    assert upstream.asked("tavily") == []


async def test_with_a_key_it_does_not_matter_where_a_script_comes_from(server, make_key, http):
    """No page of another site knows the key."""
    key = await make_key(server)
    foreign = {"Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"}

    assert (await ask(http, server, "/search", key, **foreign)).status_code == 200


async def test_a_server_that_stops_takes_no_requests(server, http):
    """It says when to ask again: by then another one may be there."""
    server.state.draining = True
    replies = {path: await ask(http, server, path) for path in SURFACES}
    server.state.draining = False

    told = {path: (r.status_code, r.headers.get("retry-after")) for path, r in replies.items()}
    assert told == dict.fromkeys(SURFACES, (503, "2"))


@pytest.mark.parametrize("path", ["/search", "/exa/search", "/tools/web_search", "/api/context"])
async def test_searches_count_against_the_day_of_a_key(server, make_key, http, upstream, path):
    """Wherever they come in; other calls count against its rate alone."""
    few = await make_key(server, searches_per_day=1)

    statuses = [
        (await ask(http, server, where, few, text)).status_code
        for where, text in (("/feedback", ""), (path, SLEEP), (path, EAT), ("/feedback", ""))
    ]

    assert statuses == [200, 200, 402 if "exa" in path else 432, 200]  # Exa has a word of its own
    assert len(upstream.asked("tavily")) == 1


@pytest.mark.parametrize("path", BUDGETED)
async def test_the_operators_budget_bounds_the_runs_of_every_key(
    make_server, make_key, http, web: Web, path
):
    """However much the key itself may spend: both bounds hold."""
    server = await make_server(cache_enabled=False, budget_searches=1, assistant_fetches=0)
    rich = await make_key(server, money_per_month=1000.0, searches_per_day=100)

    for n, text in enumerate((SLEEP, EAT)):
        await ask(http, server, path, rich, text, run=f"r{n}")

    assert len(web.queries) == 1


@pytest.mark.parametrize("path", RUNS)
async def test_every_search_of_a_run_counts_against_the_day_of_its_key(
    make_server, make_key, http, web: Web, path
):
    """The run searches once, though it has two questions; the next one is not begun."""
    server = await make_server(cache_enabled=False, assistant_fetches=0)
    few = await make_key(server, searches_per_day=1)

    await ask(http, server, path, few, f"{SLEEP} {EAT}")
    assert len(web.queries) == 1
    spent = await ask(http, server, path, few, run="r2")

    assert spent.status_code in (429, 432)  # OpenAI's clients know the first alone
    assert len(web.queries) == 1


async def test_what_a_request_came_to_is_recorded_under_its_key_and_tenant(
    make_client, http, web: Web, upstream
):
    """Found, empty, from the cache, refused, failed or too many: whatever it was."""
    client = make_client("tavily", assistant_fetches=0)
    app = kensaku.server.app(client.settings, client=client)
    async with serve(app) as url:
        server = Running(url, client, app.state)
        key, secret = await create_key(app.state.database, "ann", tenant="t1")
        app.state.keys.require()
        for path in ("/search", "/search", "/v1/chat/completions", "/agent", "/research"):
            await ask(http, server, path, secret)
        await ask(http, server, "/search", secret, "Who painted the Mona Lisa?")
        await ask(http, server, "/search", secret, "")
        app.state.admission = admission = Admission(limit=1, queue=0)
        async with admission.slot("another"):
            full = await ask(http, server, "/search", secret)
            assert (full.status_code, full.headers["retry-after"]) == (503, "1")
        upstream.fails("tavily", faults.status(400))
        await ask(http, server, "/search", secret, "Who painted the Night Watch?")

    db = await Database.open(client.settings)
    (by_key,) = await summarise(db, "key")
    by_endpoint = {row.group: row.outcomes for row in await summarise(db, "endpoint", tenant="t1")}
    (by_provider,) = await summarise(db, "provider", tenant="t1")
    assert await summarise(db, "endpoint", tenant="t2") == []
    await db.close()
    assert (by_key.group, by_key.requests, by_key.cached) == (key.id, 9, 1)
    assert by_provider.group == "tavily"
    assert by_provider.cost == pytest.approx(by_key.cost)
    assert by_key.cost > 0
    assert by_endpoint == {
        "tavily/search": {
            "found": 2, "empty": 1, "InvalidQuery": 1, "Overloaded": 1, "Unavailable": 1,
        },
        "openai/v1/chat/completions": {"found": 1},
        "agui/agent": {"found": 1},
        "tavily/research": {"found": 1},
    }  # fmt: skip


async def test_the_keys_of_a_tenant_share_its_turns(make_server, make_key, http):
    """In a full queue, a tenant with two keys makes room for one that waits less."""
    server = await make_server()
    ann, ben, eve = [await make_key(server, tenant=tenant) for tenant in ("t1", "t1", "t2")]
    server.state.admission = admission = Admission(limit=1, queue=2, max_wait=60.0)

    async def queued(key: str, waiting: int) -> asyncio.Task[httpx.Response]:
        task = asyncio.create_task(ask(http, server, "/search", key))
        while admission.waiting < waiting:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0)
        return task

    async with admission.slot("another"):
        first, second = await queued(ann, 1), await queued(ben, 2)
        third = await queued(eve, 2)
        assert (await second).status_code == 503

    assert [(await task).status_code for task in (first, third)] == [200, 200]
