"""The searches of a job are booked on the key that started it, whichever process runs it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sqlalchemy import update

from kensaku import Kensaku, Settings
from kensaku.database import Database
from kensaku.database.key_budgets import KeyBudgets
from kensaku.database.keys import create_key, revoke_key
from kensaku.database.tables import API_KEYS
from kensaku.database.usage import summarise
from kensaku.errors import DatabaseFault, JobFailed
from kensaku.jobs import Jobs
from kensaku.jobs.accounting import Accounting
from kensaku.observe import Caller, caller
from kensaku.search.budget import current_budget
from kensaku.testing import faults
from tests.jobs.conftest import BEAT, DEAD
from tests.research.conftest import FOOD, SLEEP, Web
from tests.research.conftest import web as web
from tests.search.support import until

ASKED = {"input": "How do sea otters sleep? What do sea otters eat?", "model": "mini"}


@pytest.fixture
def environ(upstream) -> dict[str, str]:
    """Searches go to the fake upstream, and are counted in a file that processes share."""
    reach = {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
    more = {"KENSAKU_CACHE": "false", "KENSAKU_FETCH_ROBOTS": "never", "TAVILY_RATE": "100000/s"}
    route = {"WEB_SEARCH_PROVIDER": "tavily"}
    return upstream.environment("tavily") | reach | more | route


@pytest.fixture
def settings(environ, machine) -> Settings:
    return Settings.load(environ={"KENSAKU_HOME": str(machine), **environ})


@pytest.fixture
async def database(settings):
    opened = await Database.open(settings)
    yield opened
    await opened.close()


async def test_usage_has_the_key_and_the_endpoint(settings, database, web: Web):
    """What the job searched and what that cost, as if the key had asked by itself."""
    key, _ = await create_key(database, "agent", tenant="acme", searches_per_day=100)
    async with Jobs(settings) as jobs:
        await jobs.start()
        id = await jobs.submit("research", ASKED, tenant="acme", key_id=key.id)
        job = await jobs.wait(id)

    assert (job.status, job.key_id) == ("done", key.id)
    (by_key,) = await summarise(database, "key", tenant="acme")
    (by_endpoint,) = await summarise(database, "endpoint", tenant="acme")
    assert (by_key.group, by_key.searches) == (key.id, len(web.queries))
    assert by_key.cost == pytest.approx(job.result["cost"])
    assert by_key.cost > 0
    assert by_endpoint.group == "jobs/research"


async def test_a_spent_quota_ends_the_job_which_can_go_on_later(settings, database, web: Web):
    """One search is paid for; the next is refused, and no search is made twice after that."""
    key, _ = await create_key(database, "poor", searches_per_day=1)
    async with Jobs(settings) as jobs:
        await jobs.start()
        id = await jobs.submit("research", ASKED, key_id=key.id)
        job = await jobs.wait(id)
        assert job.status == "failed"
        assert "the budget of 1 searches is spent" in job.error
        assert f"kensaku jobs resume {id}" in job.error
        assert len(web.queries) == 1

        async with database.write() as connection:
            own = update(API_KEYS).where(API_KEYS.c.id == key.id)
            await connection.execute(own.values(searches_per_day=50))
        await jobs.resume(id)
        job = await jobs.wait(id)

    assert (job.status, job.error) == ("done", None)
    assert len(web.queries) == len(set(web.queries)) > 1


async def test_the_job_of_a_revoked_key_ends(settings, database, web: Web):
    """It waited in the queue while the key was taken away."""
    key, _ = await create_key(database, "lost")
    async with Jobs(settings) as jobs:
        id = await jobs.submit("research", ASKED, key_id=key.id)
        await revoke_key(database, key.id)
        await jobs.start()
        job = await jobs.wait(id)

    assert job.status == "failed"
    assert "revoked" in job.error
    assert web.queries == []


async def test_another_process_books_on_the_same_key(
    settings, environ, upstream, run_process, postgresql, valkey
):
    """The first process is killed in two searches: they are paid for, as are those of the next."""
    settings = replace(settings, database_url=postgresql, state_url=valkey)
    environ = environ | {"KENSAKU_STATE_URL": valkey}
    database = await Database.open(settings)
    key, _ = await create_key(database, "agent", tenant="acme", searches_per_day=4)
    upstream.fails("tavily", faults.hang())
    async with Jobs(settings, beat=BEAT, dead=DEAD) as jobs:
        id = await jobs.submit("research", ASKED, tenant="acme", key_id=key.id)
        first = await asyncio.to_thread(run_process, postgresql, env=environ)
        await until(lambda: len(upstream.asked("tavily")) == 2)
        first.kill()
        upstream.heals("tavily")
        web = Web(upstream)
        web.has("sleep", "/p/sleep", "How otters sleep", SLEEP)
        web.has("eat", "/p/food", "What otters eat", FOOD)
        await asyncio.to_thread(run_process, postgresql, env=environ)
        job = await jobs.wait(id)

    assert (job.status, job.error) == ("done", None)
    assert len(upstream.asked("tavily")) == 4
    (used,) = await summarise(database, "key", tenant="acme")
    await database.close()
    assert (used.group, used.searches) == (key.id, 2)  # those that came back
    async with Kensaku(settings) as k:
        quota = KeyBudgets(k._resources.store).of_run(key)
        assert quota is not None
        assert await quota.is_spent()


class FakeJob:
    """What the accounting asks of a job."""

    id, tenant, kind = "crawl-1", "acme", "crawl"

    def __init__(self, key_id: str = "") -> None:
        self.key_id = key_id
        self.client = SimpleNamespace(_resources=SimpleNamespace(store="store", budget="own"))


@pytest.fixture
async def accounting(machine):
    opened = Accounting(Settings(home=machine))
    yield opened
    await opened.close()


async def test_it_opens_once_and_closes_once(accounting):
    """With the first job; before that there is nothing to write or to close."""
    await accounting.flush()
    await accounting.close()
    first, second = await asyncio.gather(accounting.open(), accounting.open())
    assert first._writer is second._writer is accounting._usage
    database = accounting._database
    assert isinstance(database, Database)

    first._writer.record(outcome="found", tenant="acme", provider="tavily")
    await accounting.flush()
    (used,) = await summarise(database, "tenant")
    assert (used.group, used.searches) == ("acme", 1)
    first._writer.record(outcome="found", tenant="acme", provider="tavily")
    closed = []
    close = database.close

    async def closing():
        closed.extend(await summarise(database, "tenant"))
        await close()

    database.close = closing
    await accounting.close()
    assert [row.searches for row in closed] == [2]  # what was left is written first
    assert accounting._database is accounting._usage is None


async def test_what_cannot_be_written_now_is_written_later(accounting, monkeypatch):
    """The step is done all the same."""
    await accounting.open()

    async def flush():
        raise DatabaseFault("away")

    with monkeypatch.context() as broken:
        broken.setattr(accounting._usage, "flush", flush)
        await accounting.flush()


async def test_the_work_of_a_job_is_done_for_its_caller(accounting):
    """As long as it is done; without a key it has no budget of its own."""
    job = FakeJob()
    before = caller.get(), current_budget.get()
    with suppress(ZeroDivisionError):
        async with accounting.booked(job):
            assert caller.get() == Caller("crawl-1", "acme", "", "jobs/crawl")
            assert current_budget.get() is None
            raise ZeroDivisionError
    assert (caller.get(), current_budget.get()) == before


async def test_the_budget_of_a_job_is_that_of_its_key(accounting, monkeypatch):
    """Its searches, and behind it what the operator allows; a key that ended has none."""
    await accounting.open()
    key, _ = await create_key(accounting._database, "agent", searches_per_day=3)
    asked = []
    monkeypatch.setattr(
        KeyBudgets, "of_run", lambda self, *given: asked.append((self._store, *given)) or "budget"
    )
    async with accounting.booked(FakeJob(key.id)):
        assert current_budget.get() == "budget"
        assert caller.get().key == key.id
    assert asked == [("store", key, "own")]

    await revoke_key(accounting._database, key.id)
    for id in (key.id, "unknown"):
        with pytest.raises(JobFailed, match="revoked or has expired"):
            await accounting._budget(FakeJob(id))
