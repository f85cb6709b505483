"""What is known about a collection as a whole; it is stored as an entry of the collection."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field

from kensaku.index.engines.base import META_ID, Entry

FORMAT = 2  # version of the stored payloads; change it together with a migration
MAX_DRIFT = 1.2  # recompute the weights when the average length is off by this factor
_PRIOR = (20, 100.0)  # a new collection is taken to hold so many passages of so many terms


@dataclass(slots=True)
class CollectionMeta:
    """Counts, languages and model of a collection; stored as an entry of it."""

    average: float = 0.0  # terms in a passage, when the stored weights were computed
    passages: int = 0  # how many were ever written …
    length: int = 0  # … and how many terms they had together
    languages: list[str] = field(default_factory=list)
    model: str = ""
    dimensions: int = 0
    format: int = FORMAT

    def to_entry(self) -> Entry:
        """Return it as the entry to store."""
        return Entry(META_ID, {**asdict(self), "part": -1})

    @property
    def current_average(self) -> float:
        """Terms in a passage, on average, now."""
        count, length = _PRIOR
        return (count * length + self.length) / (count + self.passages)

    @property
    def outdated(self) -> bool:
        """Whether the stored weights must be recomputed."""
        return abs(math.log(self.current_average / self.average)) > math.log(MAX_DRIFT)
