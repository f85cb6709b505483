"""Make searches fast again, and give back the disk of what was deleted or replaced.

    merge    small segments become large ones, without the passages that were deleted
    rewrite  a collection that is smaller than its log is copied to a new one, which takes its place

Edge purges a segment when a fifth of it is deleted, and keeps 32 to 64 MB of its log for good.
(The log cannot be removed: Edge numbers its operations by it, and ignores those with old numbers.)
A rewritten collection is `.ready-<name>` until it has taken its place, so that a process that
opens the index after a crash can finish the job.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import qdrant_edge as edge

from kensaku.index.engines.shard_config import load_shard, shard_config, stored_dimensions
from kensaku.index.sparse_copy import allocated_bytes

PAGE = 500  # passages that are copied together
MIN_LOG = 1_000_000  # bytes; a smaller log is not worth a copy
_READY = ".ready-"


def merge(path: Path) -> None:
    """Write segments of a closed shard again: the small ones, and those with deleted passages."""
    for also in (True, False):  # the configuration of the last time stays
        shard = load_shard(path, compact=also)
        shard.optimize()
        shard.flush()
        shard.close()  # this removes the old segments


def rewrite(path: Path) -> None:
    """Copy a closed shard without its log, when the log takes more than all else."""
    log = allocated_bytes(path / "wal")
    if log < MIN_LOG or 2 * log < allocated_bytes(path):
        return
    building = path.with_name(f".trash-{uuid4().hex}")
    building.mkdir(mode=0o700)
    old = load_shard(path)
    new = edge.EdgeShard.create(str(building), shard_config(stored_dimensions(path)))
    offset: Any = None
    while True:
        page = edge.ScrollRequest(offset=offset, limit=PAGE, with_payload=True, with_vector=True)
        records, offset = old.scroll(page)
        points = [edge.Point(r.id, r.vector or {}, r.payload) for r in records]
        new.update(edge.UpdateOperation.upsert_points(points))
        if offset is None:
            break
    new.optimize()
    for shard in (old, new):
        shard.flush()
        shard.close()
    building.rename(path.with_name(_READY + path.name))
    finish_rewrites(path.parent)


def finish_rewrites(home: Path) -> None:
    """Put collections that were rewritten in their places."""
    for ready in home.glob(f"{_READY}*"):
        path = home / ready.name.removeprefix(_READY)
        trash = home / f".trash-{uuid4().hex}"
        if path.exists():
            path.rename(trash)
        ready.rename(path)
        shutil.rmtree(trash, ignore_errors=True)
