"""The local index: documents in, hits out, without a network. `index.py` has what can be asked.

Index.add → worker process → passages → terms → engine      Index.search → worker → engine → hits
"""

from kensaku.index.index import Index
from kensaku.index.results import Added

__all__ = ["Added", "Index"]
