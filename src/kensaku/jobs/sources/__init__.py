"""What bulk indexing reads: one format a file, each as shards of records.

    source → shards (byte ranges, row groups, files, addresses) → records → documents

`shards(file)` splits a file; `records(shard)` yields what is in a shard, always in the same order,
so that the number of records read so far says where to go on. A record that cannot be used is a
`Rejected`, never an exception. Pure but for reading files; called from threads.
"""

from __future__ import annotations

from kensaku.jobs.sources.plan import plan_shards, records_of
from kensaku.jobs.sources.record import Address, Item, RawPage, Record, Rejected, Shard

__all__ = [
    "Address",
    "Item",
    "RawPage",
    "Record",
    "Rejected",
    "Shard",
    "plan_shards",
    "records_of",
]
