"""The fault mixes of `bench/faults.py` on a small scale: real sockets, a fixed seed."""

from __future__ import annotations

import asyncio
import importlib.util
import sys

import pytest

from kensaku.search import pipeline
from tests import ROOT

BENCH = ROOT / "bench" / "faults.py"

pytestmark = pytest.mark.usefixtures("volume")


@pytest.fixture(scope="module")
def bench():
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("bench_faults", BENCH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


async def test_the_loss_of_one_provider_is_not_noticed_and_cheap(bench):
    """G8: A down, B healthy. The breaker's ten calls weigh more in 800 than in 10,000."""
    figures = await bench.mix("A down", 1.0, 0.0, 800)

    assert figures.success == 1
    assert figures.calls <= 1.15


async def test_two_bad_providers_are_one_good_one(bench):
    """G8: both fail with three of ten requests, in nine different ways.

    In some orders of 800 requests a circuit breaker takes bad luck for an outage, and one provider
    is left for the rest: four attempts at it then fail for 8 of 1,000. `bench/faults.py` asks
    10,000 times, and has the bound of 0.999.
    """
    figures = await bench.mix("both 30 %", 0.3, 0.3, 800)

    assert figures.success >= 0.98
    assert figures.calls <= 1.6
    assert {"Outage", "Unreachable", "Unreadable"} <= set(figures.errors)


async def test_when_all_are_down_they_are_left_in_peace(bench):
    """G8: retries must not make a bad day worse."""
    figures = await bench.mix("both down", 1.0, 1.0, 800)

    assert figures.success == 0
    assert figures.calls <= 0.5


async def test_when_all_are_down_the_old_answers_are_served(bench, monkeypatch):
    """G8: every search that was answered before is answered again, marked."""
    monkeypatch.setattr(pipeline, "STALE_SECONDS", 60)  # a busy disk is slow, and not broken
    figures = await bench.both_down(800)

    assert figures.stale == figures.requests
    assert figures.calls <= 0.5


async def test_no_deadline_is_missed(bench):
    """G9: hanging, late and broken answers, in all modes, from the cache and past it.

    Every search ends, and leaves no work behind; by how much it may be late is for the benchmark,
    which has a machine to itself.
    """
    async with asyncio.timeout(120):
        figures = await bench.deadlines(250, shortest=0.1, longest=0.5)

    assert figures.errors["Timeout"] > 10  # on a busy machine fewer attempts begin in time
