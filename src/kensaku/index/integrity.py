"""Check a collection against its own record, and read what can be read of a damaged one.

entries → documents → is the text the one whose hash was stored? → are all of them there?
"""

from __future__ import annotations

from kensaku.errors import IndexFault
from kensaku.index.collections import Collections
from kensaku.index.engines.base import Payload
from kensaku.index.entries import document_of, revision
from kensaku.index.errors import RECOVERY, damage_fault
from kensaku.index.meta import CollectionMeta, DocumentRecord
from kensaku.index.results import CheckResult
from kensaku.models import Document

PAGE = 500  # entries that are read together
EXAMPLES = 20  # addresses of damaged documents that are listed


def check(collections: Collections, collection: str) -> CheckResult:
    """Read every document of a collection and compare it with what was stored."""
    try:
        return _check(collections, collection)
    except IndexFault as fault:
        problem = fault.message
        return {"documents": 0, "expected": None, "damaged": [], "problem": problem,
                "remedy": fault.remedy}  # fmt: skip


def _check(collections: Collections, collection: str) -> CheckResult:
    meta = collections.meta(collection)
    whole, damaged = CollectionMeta(), list[str]()
    after: str | None = ""
    while after is not None:
        documents, bad, after = read_documents(collections, collection, after or None)
        damaged += bad
        whole.count(DocumentRecord(id, rev, 1, 0, "") for _, rev, id in documents)
    expected = meta.documents if meta.counted and collections.engine.foreign is None else None
    problem = _problem(whole, meta, damaged, expected)
    return {
        "documents": whole.documents,
        "expected": expected,
        "damaged": damaged[:EXAMPLES],
        "problem": f"collection {collection!r} is damaged: {problem}" if problem else None,
        "remedy": RECOVERY if problem else "",
    }


def _problem(
    whole: CollectionMeta, meta: CollectionMeta, damaged: list[str], expected: int | None
) -> str:
    if damaged:
        return f"the text of {len(damaged):,} documents is not what was stored"
    if expected is None:
        return ""
    if whole.documents < expected:
        return f"{expected - whole.documents:,} of {expected:,} documents are missing"
    if whole.documents == expected and whole.checksum != meta.checksum:
        return "some documents are not those that were stored"
    return ""


ReadDocument = tuple[Document, str, str]  # the document, its revision and its id


def read_documents(
    collections: Collections, collection: str, after: str | None
) -> tuple[list[ReadDocument], list[str], str | None]:
    """Return a page of whole documents, the addresses of damaged ones, and the next offset.

    A passage without its document has no address; it is listed by its id.
    """
    page, after = collections.engine.scroll(collection, after, PAGE)
    models = {"", collections.meta(collection).model}
    documents: list[ReadDocument] = []
    damaged: list[str] = []
    for id, head in page:
        if not head:
            damaged.append(id)
        elif "url" in head:
            document = _document(collections, collection, id, head, models)
            if document is None:
                damaged.append(head["url"])
            else:
                documents.append((document, head["rev"], document_of(id)))
    return documents, damaged, after


def _document(
    collections: Collections, collection: str, id: str, head: Payload, models: set[str]
) -> Document | None:
    """Return the document that begins with `head`, or None if its hash does not match."""
    try:
        document = collections.document(collection, document_of(id), head)
        known = {revision(document, model) for model in models}
    except (IndexFault, LookupError, TypeError, ValueError):
        return None
    return document if head["rev"] in known else None


def export_page(
    collections: Collections, collection: str, after: str | None, salvage: bool
) -> tuple[list[Document], list[str], str | None]:
    """Return a page of documents to export. Raises `IndexFault` for damage, unless `salvage`."""
    if not salvage and (fault := _known_fault(collections, collection)) is not None:
        raise fault
    documents, damaged, after = read_documents(collections, collection, after)
    if damaged and not salvage:
        raise damage_fault(collection, f"the text of {damaged[0][:200]} cannot be read")
    return [document for document, _, _ in documents], damaged, after


def _known_fault(collections: Collections, collection: str) -> IndexFault | None:
    collections.meta(collection)
    return collections.fault(collection)
