"""Recompute the stored term weights of a collection with its current average length.

entries → terms → weights → engine      (and counts, for collections that have none yet)
"""

from __future__ import annotations

from collections.abc import Sequence

from kensaku.index.engines.base import Engine, Entry, Payload
from kensaku.index.entries import bm25_weights, document_of, entry_id, passage_terms
from kensaku.index.meta import FORMAT, CollectionMeta, DocumentRecord
from kensaku.text.tokens import Terms

PAGE = 1_000  # entries that are read and written together


def reweigh(engine: Engine, collection: str, meta: CollectionMeta) -> None:
    """Recompute all weights; update `meta` and store it."""
    if not meta.counted:
        _count(engine, collection, meta)
    average = meta.current_average
    after: str | None = ""
    while after is not None:
        page, after = engine.scroll(collection, after or None, PAGE)
        batch = [
            Entry(id, {}, terms.ids, bm25_weights(terms, average, payload["language"]))
            for id, payload, terms in _read(engine, collection, page)
        ]
        if batch:
            engine.update_weights(collection, batch)
    meta.average, meta.weighed = average, meta.passages
    engine.write(collection, [meta.to_entry()])


def _count(engine: Engine, collection: str, meta: CollectionMeta) -> None:
    found: dict[str, DocumentRecord] = {}
    after: str | None = ""
    while after is not None:
        page, after = engine.scroll(collection, after or None, PAGE)
        for id, payload, terms in _read(engine, collection, page):
            document, language = document_of(id), payload["language"]
            new = DocumentRecord(document, payload["rev"], 1, terms.length, language)
            known = found.get(document)
            if known is not None:
                passages, length = known.passages + 1, known.terms + terms.length
                new = known._replace(passages=passages, terms=length)
            found[document] = new
    meta.format, meta.languages, meta.checksum = FORMAT, {}, "0"
    meta.documents = meta.passages = meta.length = 0
    meta.count(found.values())


def _read(
    engine: Engine, collection: str, page: Sequence[tuple[str, Payload]]
) -> list[tuple[str, Payload, Terms]]:
    titles = _titles(engine, collection, page)
    read = []
    for id, payload in page:
        if payload:
            title, heading = titles[document_of(id)], payload.get("heading", "")
            terms = passage_terms(title, heading, payload["text"], payload["language"])
            read.append((id, payload, terms))
    return read


def _titles(engine: Engine, collection: str, page: Sequence[tuple[str, Payload]]) -> dict[str, str]:
    on_page = {document_of(id): p["title"] for id, p in page if "title" in p}
    missing = {document_of(id) for id, _ in page} - on_page.keys()
    heads = engine.get(collection, [entry_id(d, 0) for d in missing], ["title"])
    loaded = {document_of(id): p.get("title", "") for id, p in heads.items()}
    return dict.fromkeys(missing, "") | loaded | on_page
