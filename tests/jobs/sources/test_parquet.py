"""Parquet: every row once, wherever its row groups are divided."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kensaku.jobs.sources import Shard, plan_shards, records_of
from kensaku.models import Document


@pytest.fixture
def write(tmp_path):
    import pyarrow
    import pyarrow.parquet

    def write(rows, **options):
        path = tmp_path / "d.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, **options)
        return path.as_uri()

    return write


def test_rows_are_documents_whichever_groups_are_read_together(write):
    """A column that is no part of a document is left out; what is done grows up to the whole."""
    rows = [{"url": f"u:{n}", "text": f"text {n}", "language": "en", "x": n} for n in range(200)]
    url = write(rows, row_group_size=30)  # seven groups
    whole = [Document(f"u:{n}", "", f"text {n}", language="en") for n in range(200)]

    for cuts in ((0, 7), (0, 1, 7), (0, 3, 4, 6, 7), tuple(range(8))):
        shards = [Shard("parquet", (url,), 90, start, end) for start, end in pairwise(cuts)]
        items = [list(records_of(shard)) for shard in shards]
        assert [item.record for some in items for item in some] == whole
        for some in items:
            done = [item.done for item in some]
            assert done == sorted(done)
            assert done[-1] == 90


@pytest.mark.usefixtures("volume")
def test_large_groups_are_shards_of_their_own_and_small_ones_are_not(write):
    """A shard is some minutes of work; a group is never divided."""
    small = [{"url": f"u:{n}", "text": "otters"} for n in range(10)]
    (one,) = plan_shards([write(small, row_group_size=2)])
    large = [{"url": f"u:{n}", "text": "x" * (33 << 20)} for n in range(3)]
    shards = plan_shards([write(large, row_group_size=1, use_dictionary=False, compression="zstd")])

    assert (one.start, one.end) == (0, 5)
    assert [(shard.start, shard.end) for shard in shards] == [(0, 2), (2, 3)]


def test_a_row_that_cannot_be_used_is_named(write):
    """By its number."""
    url = write([{"url": "u:0", "text": "x"}, {"url": "", "text": "x"}])
    _, (bad, _) = records_of(Shard("parquet", (url,), 10, 0, 1))

    assert bad.reason == "without url"
    assert bad.where.startswith(f"{url} row 2 ")
