"""How the embedded engine lays out a collection: Qdrant Edge's configuration of a shard."""

from __future__ import annotations

import json
from pathlib import Path

import qdrant_edge as edge

from kensaku.index.engines.base import DENSE, WORDS

SEGMENT_KB = 32_000  # about 40,000 passages of 120 words: optimising stays linear
SEGMENTS = 1_000  # never merge for the sake of their number, unless asked to …
SEGMENT_KB_COMPACT, SEGMENTS_COMPACT = 64_000, 1  # … which takes a quarter off a search
# … but where there are vectors: a graph is searched anew in every segment. Graphs of up to 100,000
# passages are made several times while a collection grows, which is little beside embedding it.
SEGMENT_KB_DENSE, SEGMENTS_DENSE = 80_000, 2
INDEX_KB = 1_000
# Edge would start eight threads a collection. On two cores a search then takes a fifth more CPU,
# and is no faster.
SEARCH_THREADS = 2


def shard_config(dimensions: int | None, *, compact: bool = False) -> edge.EdgeConfig:
    """Return the configuration of a shard with vectors of so many numbers, or without vectors.

    `compact`: optimising merges segments, and writes every one again from which something was
    deleted. By default Edge does so where a fifth is deleted of 1,000 passages or more.
    """
    words = edge.EdgeSparseVectorParams(
        modifier=edge.Modifier.Idf,
        memory=edge.Memory.Cold,
        datatype=edge.VectorStorageDatatype.Float16,  # three digits of a weight are enough
    )
    vectors, segment_kb, segments = None, SEGMENT_KB, SEGMENTS
    if compact:
        segment_kb, segments = SEGMENT_KB_COMPACT, SEGMENTS_COMPACT
    if dimensions is not None:
        segment_kb, segments = SEGMENT_KB_DENSE, SEGMENTS_DENSE
        vectors = {
            DENSE: edge.EdgeVectorParams(
                size=dimensions,
                distance=edge.Distance.Cosine,
                datatype=edge.VectorStorageDatatype.Float16,
                memory=edge.Memory.Cold,
            )
        }
    return edge.EdgeConfig(
        vectors=vectors,
        sparse_vectors={WORDS: words},
        optimizers=edge.EdgeOptimizersConfig(
            max_segment_size=segment_kb,
            default_segment_number=segments,
            indexing_threshold=INDEX_KB,
            deleted_threshold=1e-6 if compact else None,
            vacuum_min_vector_number=1 if compact else None,
        ),
        max_search_threads=SEARCH_THREADS,
    )


def stored_dimensions(path: Path) -> int | None:
    """Return the size of the vectors of the shard at `path`, or None if it has no vectors."""
    dense = json.loads((path / "edge_config.json").read_text())["vectors"].get(DENSE)
    return dense["size"] if dense else None


def load_shard(path: Path, *, compact: bool = False) -> edge.EdgeShard:
    """Open a shard, with this configuration instead of the one it was created with."""
    return edge.EdgeShard.load(str(path), shard_config(stored_dimensions(path), compact=compact))
