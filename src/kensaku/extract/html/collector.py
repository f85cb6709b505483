"""Pause Python's garbage collector while a page is read.

The nodes and blocks of a page live until the page is done. The collector would scan them again and
again, for a tenth of all CPU, and find nothing to free.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Disable the collector inside the block, and leave it as it was."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
