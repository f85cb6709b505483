"""Collections of other applications on a Qdrant server: searched by vector, never written to.

name, query vector → its vector of that size → query_points → payload → rows
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from kensaku.errors import IndexFault
from kensaku.index.entries import copy_key, day_of, sites_of, text_hash
from kensaku.index.fuse import highlights
from kensaku.index.payload import PayloadFields, read_payload
from kensaku.messages import msg
from kensaku.text.clean import cut, one_line
from kensaku.text.languages import guess_language
from kensaku.text.tokens import query_pattern

if TYPE_CHECKING:
    from kensaku.index.request import Filters, SearchRequest
    from kensaku.index.results import CollectionStats, ResultRow

FILTERED_DEPTH = 5  # times as many points, where some of them are filtered out here
TITLE_CHARS = 80  # of a text that has no title
_USUAL_VECTORS = ("default", "dense", "vector")


class ForeignCollections:
    """The collections on a server whose names do not begin with our prefix."""

    def __init__(
        self,
        client: Any,
        translate_errors: Callable[[str], AbstractContextManager[None]],
        prefix: str,
        fields: PayloadFields,
    ) -> None:
        self._client = client
        self._translate_errors = translate_errors
        self._prefix = prefix
        self._fields = fields

    def names(self) -> list[str]:
        """Return their names, sorted."""
        with self._translate_errors("the Qdrant server"):
            names = [c.name for c in self._client.get_collections().collections]
        return sorted(n for n in names if not n.startswith(self._prefix))

    def stats(self, name: str) -> CollectionStats:
        """Count the points of a collection. Which model made its vectors is not known."""
        with self._translate_errors(name):
            points = self._client.count(name, exact=True).count
        return {
            "documents": points,
            "passages": points,
            "languages": [],
            "model": None,
            "average_terms": 0.0,
            "disk": None,
            "foreign": True,
            "problem": None,
        }

    def search(self, name: str, request: SearchRequest) -> list[ResultRow]:
        """Return the points nearest to the query's vector, best first; the score is the cosine."""
        if request.vector is None:
            raise IndexFault(
                msg(
                    "collection {name!r} was made by another application, and can be searched "
                    "by meaning only",
                    name=name,
                ),
                remedy=msg("leave the mode out")
                if request.model
                else msg("set index.model to the embedding model it was made with"),
            )
        using, distance = self._choose_vector(name, request)
        some_go = request.distinct or _filters(request.filters)
        depth = request.max_results * (FILTERED_DEPTH if some_go else 1)
        with self._translate_errors(name):
            reply = self._client.query_points(
                name, query=list(request.vector), using=using, limit=depth, with_payload=True
            )
        rows: dict[str, ResultRow] = {}
        for point in reply.points:
            row = self._row(name, point, _similarity(point.score, distance), request.text)
            key = str(point.id) if request.by_passage else row["url"]
            if _admits(request.filters, row):
                rows.setdefault(key, row)
        found = list(rows.values())
        return (_fold_copies(found) if request.distinct else found)[: request.max_results]

    def _choose_vector(self, name: str, request: SearchRequest) -> tuple[str | None, str]:
        """Return the name of the vector to search (None: it has none) and its distance."""
        with self._translate_errors(name):
            declared = self._client.get_collection(name).config.params.vectors
        vectors: Mapping[str, Any] = declared if isinstance(declared, Mapping) else {"": declared}
        single = {n: v for n, v in vectors.items() if v is not None and not v.multivector_config}
        size = len(request.vector or ())
        fitting = [n for n, v in single.items() if v.size == size]
        wanted = self._fields.vector
        chosen = next((n for n in (wanted, *_USUAL_VECTORS) if n in fitting), None)
        if wanted and wanted in single and chosen != wanted:
            fitting = []
        if not fitting:
            raise _wrong_size(name, single, request.model, size)
        if chosen is None:
            chosen = fitting[0]
        return chosen or None, str(single[chosen].distance)

    def _row(self, name: str, point: Any, score: float, query: str) -> ResultRow:
        payload = point.payload or {}
        read = read_payload(payload, self._fields)
        is_address = "://" in read.url
        title = read.title or ("" if is_address else read.url)
        return {
            "url": read.url if is_address else f"qdrant://{name}/{point.id}",
            "title": one_line(title or cut(read.text, TITLE_CHARS)),
            "published": read.published or None,
            "language": guess_language(read.text),
            "metadata": json.dumps(payload, ensure_ascii=False, default=str),
            "text": read.text,
            "start": 0,
            "end": len(read.text),
            "heading": "",
            "score": round(score, 4),
            "collection": name,
            "bm25": None,
            "cosine": score,
            "strength": None,
            "highlights": highlights(read.text, query_pattern(query)),
            "revision": text_hash(read.text) if read.text else "",
            "copies": [],
            "document": read.text,
        }


def _fold_copies(rows: Iterable[ResultRow]) -> list[ResultRow]:
    kept: dict[tuple[str, str], ResultRow] = {}
    for row in rows:
        first = kept.setdefault(copy_key(row["revision"], row["title"], row["text"]), row)
        if first is not row:
            first["copies"].append(row["url"])
    return list(kept.values())


def _wrong_size(name: str, vectors: Mapping[str, Any], model: str, size: int) -> IndexFault:
    if not vectors:
        return IndexFault(
            msg("collection {name!r} has no vectors that an embedding model makes", name=name)
        )
    sizes = ", ".join(f"{n or 'one'}: {v.size:,} numbers" for n, v in vectors.items())
    return IndexFault(
        msg(
            "the vectors of collection {name!r} ({sizes}) are not those of {model}, which gives "
            "{size:,} numbers",
            name=name,
            sizes=sizes,
            model=model,
            size=size,
        ),
        remedy=msg("set index.model to the embedding model it was made with"),
    )


def _similarity(score: float, distance: str) -> float:
    """Return what the server calls the score as a similarity in 0..1."""
    if distance.rpartition(".")[2].lower() in ("euclid", "manhattan"):  # small is near
        return 1 / (1 + max(0.0, score))
    return min(1.0, max(0.0, score))


def _filters(filters: Filters) -> bool:
    return filters != type(filters)()


def _admits(filters: Filters, row: ResultRow) -> bool:
    """Whether a row fits: its fields have no names that the server could filter by."""
    sites = set(sites_of(row["url"]))
    if filters.include_domains and not sites & set(filters.include_domains):
        return False
    if sites & set(filters.exclude_domains):
        return False
    if filters.language and row["language"] != filters.language:
        return False
    if not (filters.start_date or filters.end_date):
        return True
    day, first, last = map(day_of, (row["published"], filters.start_date, filters.end_date))
    return day is not None and (first is None or day >= first) and (last is None or day <= last)
