"""The local index: add documents and search them, without a network.

Index.add → worker process → passages → terms → engine      Index.search → worker → engine → hits
"""

from kensaku.index.embed.models import EmbeddingModel
from kensaku.index.index import Index
from kensaku.index.request import SearchMode
from kensaku.index.results import AddResult, CheckResult, CollectionStats, Hits
from kensaku.models import Document, Hit, Passage, Progress, ProgressEvent

__all__ = [
    "AddResult",
    "CheckResult",
    "CollectionStats",
    "Document",
    "EmbeddingModel",
    "Hit",
    "Hits",
    "Index",
    "Passage",
    "Progress",
    "ProgressEvent",
    "SearchMode",
]
