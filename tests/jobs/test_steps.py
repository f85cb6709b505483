"""Steps that run side by side: what is done stays done when another of them fails."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from kensaku.errors import BudgetExceeded

NAMES = ("first", "second", "third")
DONE = {"results": [{"did": name} for name in NAMES]}  # in the order of the names


class Errands:
    """A kind of job with three steps. `refused` are those of each job that fail, and how often."""

    def __init__(self) -> None:
        self.refused: dict[str, Counter[str]] = {}
        self.done: Counter[tuple[str, str]] = Counter()

    async def run(self, job, arguments):
        case = arguments["case"]

        def errand(name: str):
            async def work() -> dict[str, str]:
                if self.refused[case][name] > 0:
                    self.refused[case][name] -= 1
                    raise BudgetExceeded(f"no money for the {name}")
                self.done[case, name] += 1
                return {"did": name}

            return work

        return {"results": await job.steps({name: errand(name) for name in NAMES})}


@pytest.fixture
def errands(add_kind) -> Errands:
    made = Errands()
    add_kind("errands", made.run)
    return made


async def test_nothing_is_done_twice_after_a_failure(running, errands):
    """Whichever of them failed: the others were paid for (a search of research is)."""
    cases = ["first", "second", "third", "first third", "first second third"]

    async def fail_and_resume(case: str) -> None:
        errands.refused[case] = Counter(dict.fromkeys(case.split(), 99))
        id = await running.submit("errands", {"case": case})
        job = await running.wait(id)
        assert (job.status, job.error) == ("failed", f"no money for the {case.split()[0]}")
        while errands.refused[case]:  # a budget that suffices for one more
            errands.refused[case].popitem()
            await running.resume(id)
            job = await running.wait(id)
        assert (job.status, job.error, job.result) == ("done", None, DONE)

    await asyncio.gather(*map(fail_and_resume, cases))
    assert errands.done == {(case, name): 1 for case in cases for name in NAMES}
