"""What a kind of job gets to work with: steps that are tried again, and parts."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

import pytest

from kensaku.errors import BudgetExceeded, InvalidQuery, TooLarge
from kensaku.jobs import Jobs

SECRET = "postgresql://me:hunter2@host"
ERRORS = {
    "system": lambda: OSError(SECRET),
    "usage": lambda: InvalidQuery("lists no pages"),
    "fetch": lambda: TooLarge("over 20 MB"),
    "budget": lambda: BudgetExceeded("nothing is left"),
}


async def test_a_step_is_tried_again_when_that_may_help(running, add_kind, caplog):
    """Up to three times. Fetching has retries of its own; a budget is spent for hours."""
    calls: Counter[str] = Counter()

    async def run(job, arguments):
        async def work():
            calls[job.id] += 1
            if calls[job.id] <= arguments["times"]:
                raise ERRORS[arguments["error"]]()
            return {"tries": calls[job.id]}

        return await job.step("try", work)

    add_kind("tries", run)

    async def tried(error, times):
        job = await running.wait(await running.submit("tries", {"error": error, "times": times}))
        return job, calls[job.id]

    wanted = [("system", 2), ("system", 9), ("usage", 1), ("fetch", 1), ("budget", 1)]
    (mended, n), (broken, m), *refused = await asyncio.gather(*(tried(*one) for one in wanted))

    assert (mended.status, mended.result, n) == ("done", {"tries": 3}, 3)
    assert (broken.status, m) == ("failed", 3)
    assert "OSError" in broken.error
    assert "hunter2" not in broken.error  # the log has it: that is the operator's
    assert SECRET in caplog.text
    for (job, count), said in zip(refused, ("no pages", "20 MB", "nothing is left"), strict=True):
        assert (job.status, count) == ("failed", 1)
        assert said in job.error


@pytest.fixture
async def many(settings):
    """Jobs that run a hundred parts at a time."""
    async with Jobs(settings, workers=100) as jobs:
        await jobs.start()
        yield jobs


async def test_parts_are_told_in_order_and_those_that_failed_are_done_again(many, add_kind):
    """The others do not stop for them, and what is done is never done twice."""
    parts, broken = 70, {3, 41}
    done: Counter[int] = Counter()

    async def run(job, arguments):
        results = job.run_parts([{"n": n} for n in range(parts)])
        return {"results": [result["n"] async for result in results]}

    async def run_part(job, part):
        if part["n"] in broken:
            raise InvalidQuery(f"part {part['n']} is wrong")
        done[part["n"]] += 1
        return dict(part)

    add_kind("parted", run, run_part)
    id = await many.submit("parted", {})
    job = await many.wait(id)
    assert job.status == "failed"
    assert f"2 of {parts}" in job.error
    assert "part 3 is wrong" in job.error
    assert id in job.error  # how to resume it

    broken.clear()
    await many.resume(id)
    job = await many.wait(id)
    assert (job.status, job.result) == ("done", {"results": list(range(parts))})
    assert done == dict.fromkeys(range(parts), 1)


async def test_a_job_is_cancelled_with_its_parts_and_goes_on_with_them(many, add_kind):
    """What ran is stopped at once; what was reported of each part is counted together."""
    began, free, ended = threading.Event(), threading.Event(), threading.Event()

    async def run(job, arguments):
        await job.report("indexing", total=10)
        results = job.run_parts([{"n": n} for n in range(2)])
        return {"results": [result["n"] async for result in results]}

    async def run_part(job, part):
        async def work():
            if part["n"] == 1 and not free.is_set():
                began.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.set()
            return dict(part)

        result = await job.step("work", work)
        await job.report(done=part["n"] + 1, documents=3)
        return result

    add_kind("parted", run, run_part)
    id = await many.submit("parted", {})
    assert await asyncio.to_thread(began.wait, 120)
    assert (await many.cancel(id)).status == "cancelled"
    assert await asyncio.to_thread(ended.wait, 120)

    free.set()
    await many.resume(id)
    job = await many.wait(id)
    progress = job.progress
    assert (job.status, job.result) == ("done", {"results": [0, 1]})
    assert (progress.done, progress.total, progress.documents) == (3, 10, 6)
    assert progress.stage == "indexing"
