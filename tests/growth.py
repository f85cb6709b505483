"""How the cost of work grows with its size: a ratio, which no busy machine changes."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from math import inf


def growth(work: Callable[[int], object], size: int, factor: int = 4, tries: int = 20) -> float:
    """Return how many times more CPU `work(factor * size)` takes than `work(size)`.

    Linear work takes about `factor` times as much, quadratic work its square. The best of some
    tries counts: what other processes and the machine's host do only adds to the others, for tenths
    of a second at a time. The first that looks linear ends them.
    """
    work(size)  # what is imported or compiled for the first time is no part of the growth
    small = large = inf
    for _ in range(tries):
        small = min(small, _cpu(work, size))
        large = min(large, _cpu(work, factor * size))
        if large < 1.5 * factor * small:
            break
    return large / small


def _cpu(work: Callable[[int], object], size: int) -> float:
    """Seconds of this thread: neither other threads count, nor garbage of the tests before."""
    gc.disable()
    try:
        began = time.thread_time()
        work(size)
        return time.thread_time() - began
    finally:
        gc.enable()
