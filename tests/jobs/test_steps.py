"""Steps that run side by side: what is done stays done when another of them fails."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pytest

from kensaku.errors import BudgetExceeded
from kensaku.jobs import Jobs, kinds

NAMES = ("first", "second", "third")


class Errands:
    """A kind of job with three steps, some of which are refused; `calls` are those done."""

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.refused_once: set[str] = set()
        self.calls: list[str] = []

    def check(self, arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
        return dict(arguments)

    async def run(self, job: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
        def errand(name: str) -> Any:
            async def work() -> dict[str, str]:
                if name in self.refused | self.refused_once:
                    self.refused_once.discard(name)
                    raise BudgetExceeded(f"no money for the {name}")
                self.calls.append(name)
                return {"did": name}

            return work

        return {"results": await job.steps({name: errand(name) for name in NAMES})}


@pytest.fixture
def errands(monkeypatch: pytest.MonkeyPatch) -> Errands:
    kind: Any = Errands()
    monkeypatch.setitem(sys.modules, "errands", kind)
    monkeypatch.setitem(kinds.KINDS, "errands", "errands")
    return kind


@pytest.fixture
async def jobs(settings):
    async with Jobs(settings) as jobs:
        await jobs.start()
        yield jobs


async def test_results_are_in_the_order_of_the_names(jobs: Jobs, errands: Errands) -> None:
    """Whichever ended first."""
    job = await jobs.wait(await jobs.submit("errands", {}))
    assert job.result == {"results": [{"did": name} for name in NAMES]}
    assert sorted(errands.calls) == sorted(NAMES)


@pytest.mark.parametrize(
    "refused", ["first", "second", "third", "first third", "first second third"]
)
async def test_nothing_is_done_twice_after_a_failure(
    jobs: Jobs, errands: Errands, refused: str
) -> None:
    """Whichever of them failed: the others were paid for (a search of research is)."""
    errands.refused = set(refused.split())
    id = await jobs.submit("errands", {})
    job = await jobs.wait(id)
    first = refused.split()[0]
    assert (job.status, job.error) == ("failed", f"no money for the {first}")

    errands.refused.clear()
    await jobs.resume(id)
    job = await jobs.wait(id)
    assert (job.status, job.error) == ("done", None)
    assert job.result == {"results": [{"did": name} for name in NAMES]}
    assert sorted(errands.calls) == sorted(NAMES)


async def test_some_may_still_fail_when_the_job_is_resumed(jobs: Jobs, errands: Errands) -> None:
    """A budget that suffices for one of two: that one is done once."""
    errands.refused = {"first", "second"}
    id = await jobs.submit("errands", {})
    await jobs.wait(id)
    errands.refused = {"second"}
    await jobs.resume(id)
    assert (await jobs.wait(id)).status == "failed"
    errands.refused = set()
    await jobs.resume(id)
    assert (await jobs.wait(id)).status == "done"
    assert sorted(errands.calls) == sorted(NAMES)


async def test_what_fails_once_is_done_again(jobs: Jobs, errands: Errands) -> None:
    """Nobody has to resume the job for it."""
    errands.refused_once = {"second"}
    job = await jobs.wait(await jobs.submit("errands", {}))
    assert (job.status, errands.refused_once) == ("done", set())
    assert sorted(errands.calls) == sorted(NAMES)
