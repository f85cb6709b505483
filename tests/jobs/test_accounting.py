"""The searches of a job are booked on the key that started it, whichever process runs it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import update

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.keys import create_key, revoke_key
from kensaku.database.tables import API_KEYS
from kensaku.database.usage import summarise
from kensaku.errors import InvalidQuery
from kensaku.jobs import Jobs
from kensaku.testing import faults
from tests.answers.conftest import FOOD, SLEEP, Web
from tests.answers.conftest import web as web
from tests.jobs.conftest import BEAT, DEAD
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
    """It waited in the queue while the key was taken away; nobody pays for an unknown one."""
    key, _ = await create_key(database, "lost")
    async with Jobs(settings) as jobs:
        ids = [await jobs.submit("research", ASKED, key_id=id) for id in (key.id, "unknown")]
        await revoke_key(database, key.id)
        await jobs.start()
        ended = [await jobs.wait(id) for id in ids]

    assert [job.status for job in ended] == ["failed", "failed"]
    assert all("revoked" in job.error for job in ended)
    assert web.queries == []


async def test_what_a_failed_step_and_a_part_used_is_booked_too(
    settings, database, web: Web, add_kind
):
    """A search that was made is paid for, whatever became of the work that asked for it."""

    async def run(job, arguments):
        return {"results": [result async for result in job.run_parts([{"n": 1}, {"n": 2}])]}

    async def run_part(job, part):
        async def work():
            await job.client.search(f"otters {part['n']}")
            raise InvalidQuery("and then it failed")

        return await job.step("search", work)

    add_kind("parted", run, run_part)
    key, _ = await create_key(database, "agent", tenant="acme")
    async with Jobs(settings) as jobs:
        await jobs.start()
        id = await jobs.submit("parted", {}, tenant="acme", key_id=key.id)
        assert (await jobs.wait(id)).status == "failed"

        (used,) = await summarise(database, "key", tenant="acme")
        (by_endpoint,) = await summarise(database, "endpoint", tenant="acme")
    assert (used.group, used.searches) == (key.id, 2)
    assert by_endpoint.group == "jobs/parted"


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
        more = await jobs.wait(await jobs.submit("research", ASKED, tenant="acme", key_id=key.id))

    assert (job.status, job.error) == ("done", None)
    assert more.status == "failed"
    assert "budget" in more.error
    assert len(upstream.asked("tavily")) == 4
    (used,) = await summarise(database, "key", tenant="acme")
    await database.close()
    assert (used.group, used.searches) == (key.id, 2)  # those that came back
