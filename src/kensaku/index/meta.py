"""What is known about a collection as a whole; it is stored as an entry of the collection.

The counts are exact: a document that is replaced or deleted is subtracted. So they say how many
documents must be there, and what a passage is compared with does not depend on the order in which
documents came.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

from kensaku.index.engines.base import META_ID, Entry
from kensaku.text.languages import guess_language

FORMAT = 3  # version of the stored payloads; 2 had no exact counts, and is counted on first use
READABLE = (2, FORMAT)
MAX_DRIFT = 1.03  # recompute the weights when the average length is off by this factor …
MAX_DRIFT_SMALL = 1.01  # … or by this one, where it takes less than a second …
SMALL = 5_000  # … up to so many passages
GROWTH = 0.1
RARE = 0.01  # share of passages below which a language is taken for a few wrong guesses
_MODULUS = 1 << 64
# k1 and b: how fast repetition stops counting, and how much a long text is penalised.
BM25 = (1.2, 0.75)
BM25_CJK = (0.8, 0.6)


def bm25_parameters(language: str) -> tuple[float, float]:
    """Return k1 and b for passages in a language."""
    return BM25_CJK if language in ("ja", "zh", "ko") else BM25


class DocumentRecord(NamedTuple):  # a tuple is made in a third of the time of a dataclass
    """What a document adds to the counts of its collection."""

    id: str
    rev: str
    passages: int
    terms: int
    language: str

    @property
    def checksum(self) -> int:
        """A number for this document in this revision; the sum does not depend on their order."""
        digest = hashlib.blake2b(f"{self.id}{self.rev}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big")


@dataclass(slots=True)
class CollectionMeta:
    """Counts, languages and model of a collection; stored as an entry of it."""

    average: float = 0.0  # terms in a passage, when the stored weights were computed …
    weighed: int = 0  # … and how many passages there were
    documents: int = 0
    passages: int = 0
    length: int = 0  # terms of all passages together
    checksum: str = "0"  # of ids and revisions; hexadecimal
    languages: dict[str, int] = field(default_factory=dict)  # → passages
    model: str = ""
    dimensions: int = 0
    format: int = FORMAT

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> CollectionMeta:
        """Read the stored entry. Format 2 lists its languages without counting them."""
        names = {f.name for f in fields(cls)}
        values = {n: v for n, v in payload.items() if n in names}
        if not isinstance(values.get("languages", {}), Mapping):
            values["languages"] = dict.fromkeys(values["languages"], 0)
        return cls(**values)

    def to_entry(self) -> Entry:
        """Return it as the entry to store."""
        return Entry(META_ID, {**asdict(self), "part": -1})

    @property
    def counted(self) -> bool:
        """Whether the counts are exact."""
        return self.format >= FORMAT

    def count(self, records: Iterable[DocumentRecord], sign: int = 1) -> None:
        """Add documents to the counts, or subtract them (`sign` -1)."""
        checksum = int(self.checksum, 16)
        languages = dict(self.languages)
        for record in records:
            self.documents += sign
            self.passages += sign * record.passages
            self.length += sign * record.terms
            checksum += sign * record.checksum
            here = languages.get(record.language, 0) + sign * record.passages
            languages[record.language] = max(0, here)
        self.checksum = f"{checksum % _MODULUS:x}"
        self.languages = {name: n for name, n in sorted(languages.items()) if n or not self.counted}

    def query_languages(self, text: str) -> list[str]:
        """Return the languages in which to read a query.

        Rare ones are wrong guesses more often than not, and each makes other stems of every word;
        they count when the query itself looks like one.
        """
        least = RARE * sum(self.languages.values())
        asked = guess_language(text)
        return [name for name, n in self.languages.items() if n >= least or name == asked]

    @property
    def current_average(self) -> float:
        """Terms in a passage, on average, now."""
        return max(1.0, self.length / max(1, self.passages))

    @property
    def outdated(self) -> bool:
        """Whether the stored weights must be recomputed."""
        if not self.counted or not self.average:
            return True
        most = MAX_DRIFT_SMALL if self.passages <= SMALL else MAX_DRIFT
        return abs(math.log(self.current_average / self.average)) > math.log(most)

    @property
    def reweigh_at_once(self) -> bool:
        """Whether to recompute outdated weights now, or to leave them to `optimize`.

        A large collection must have grown by a tenth, so that adding stays linear.
        """
        if self.passages <= SMALL:
            return self.outdated
        grown = abs(self.passages - self.weighed) > GROWTH * self.weighed
        return self.counted and grown and self.outdated


def length_factor(meta: CollectionMeta, average: float) -> float:
    """Return what to multiply scores by, so that they compare with those of other collections.

    Stored weights compare the length of a passage with the average of its own collection. This is
    the weight of a word that is once in a passage of that length, compared with the `average` of
    all collections that are searched, instead of 1.
    """
    if not (meta.average and average and meta.languages):
        return 1.0
    passages = sum(meta.languages.values())
    total = 0.0
    for language, n in meta.languages.items():
        k1, b = bm25_parameters(language)
        total += n * (k1 + 1) / (1 + k1 * (1 - b + b * meta.average / average))
    return total / passages if passages else 1.0
