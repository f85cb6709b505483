"""Quality floors: the sets are searched on every run, and a score below the floor fails.

The floors are a little under what `bench/retrieval.py` prints; hybrid is measured there, since
embedding SciFact takes ten minutes of CPU.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from kensaku.index import Index
from tests import ROOT

SHARED = ROOT.parent / "shared" / "data"
DATA = Path(os.environ.get("KENSAKU_DATA") or SHARED) / "retrieval"
BENCH = ROOT / "bench" / "retrieval.py"


def _bench():
    spec = importlib.util.spec_from_file_location("retrieval_bench", BENCH)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["retrieval_bench"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not DATA.is_dir(), reason="no retrieval sets: KENSAKU_DATA or ../shared/data")
@pytest.mark.parametrize(
    ("name", "queries", "floor"), [("scifact", None, 0.689), ("jsquad", 900, 0.945)]
)
@pytest.mark.usefixtures("volume")
async def test_ranking_by_words_stays_above_its_floor(index: Index, name, queries, floor):
    """nDCG@10 through the public API, documents and all."""
    if name == "jsquad":
        pytest.importorskip("sudachipy")
    bench = _bench()
    tested = bench.load(DATA / name, queries)
    await index.add(tested.documents, collection=name)

    score, _ = await bench.measure(index, tested)

    assert score >= floor
