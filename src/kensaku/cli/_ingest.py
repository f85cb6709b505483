"""Add files and web pages to a collection of the local index.

    folder → files (hidden ones, links and binaries are counted) → parse pool → documents → index
           → documents whose files are gone → deleted

The URL of a file is file:///…, so adding the same file again replaces its document.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kensaku.cli._addresses import path_from_url
from kensaku.cli._scan import (
    ALL,
    BINARY,
    NO_TEXT,
    TOO_LARGE,
    UNREADABLE,
    FileStamp,
    Patterns,
    missing_files,
    scan_folder,
)
from kensaku.errors import FetchError, TooLarge, Unparsable, system_reason
from kensaku.extract.worker.pool import ParsePool
from kensaku.index.results import to_document
from kensaku.messages import msg
from kensaku.models import Document, ProgressEvent

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.index import AddResult, Index
    from kensaku.models import Page

CONCURRENT_FILES = 4
BATCH_DOCUMENTS, BATCH_CHARS = 200, 2_000_000  # what one write to the index holds at most
BATCH_URLS = 20  # the most that one call of `extract` takes
# Types that the first bytes do not show. All other text is read as it is: code is no HTML.
_TYPES = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".htm": "text/html",
    ".html": "text/html", ".xhtml": "text/html", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".json": "application/json",
}  # fmt: skip
_PROSE = ("", ".txt", ".text", ".rst")  # suffixes of texts whose first line is a title


class Sources(NamedTuple):
    """What to add."""

    folders: list[Path]
    files: list[Path]
    urls: list[str]


@dataclass
class IngestResult:
    """The number of documents by what happened to them, and what was skipped or failed."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # by reason
    failed: list[tuple[str, str]] = field(default_factory=list)  # path or URL, reason
    without_text: list[Path] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)  # path, reason

    def count(self, added: AddResult) -> None:
        """Add the counts of one write to the index."""
        self.added += added.added
        self.updated += added.updated
        self.unchanged += added.unchanged

    def __iadd__(self, other: IngestResult) -> IngestResult:
        for name in ("added", "updated", "unchanged", "removed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.skipped.update(other.skipped)
        self.failed += other.failed
        self.passed_over += other.passed_over
        return self

    @property
    def changed(self) -> bool:
        """Whether the index has changed."""
        return bool(self.added or self.updated or self.removed)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, ready for JSON."""
        counts = {n: getattr(self, n) for n in ("added", "updated", "unchanged", "removed")}
        failed = [{"what": what, "error": why} for what, why in self.failed]
        return {**counts, "skipped": dict(self.skipped), "failed": failed}


class CollectionWriter:
    """Adds files and pages to one collection."""

    def __init__(self, k: Kensaku, collection: str, patterns: Patterns = ALL) -> None:
        self._k, self._collection, self._patterns = k, collection, patterns

    async def add(self, sources: Sources) -> IngestResult:
        """Add folders, files and web pages."""
        total = IngestResult()
        for folder in sources.folders:
            result, _ = await self.sync_folder(folder)
            total += result
        if sources.files:
            result = await self.add_files(sources.files)
            failed = {what for what, _ in result.failed}
            result.failed += [(path, why) for path, why in result.passed_over if path not in failed]
            result.passed_over = []
            total += result
        total += await self.add_urls(sources.urls)
        return total

    async def sync_folder(
        self, root: Path, before: dict[Path, FileStamp] | None = None
    ) -> tuple[IngestResult, dict[Path, FileStamp]]:
        """Make the collection hold what the folder holds now; return the folder's files, too.

        `before` has the files of the last time: only those that are new or changed are read.
        Without it the folder is compared with the index.
        """
        scan = await asyncio.to_thread(scan_folder, root, self._patterns)
        files = scan.files
        changed = [path for path, stamp in files.items() if (before or {}).get(path) != stamp]
        result = await self.add_files(changed)
        result.skipped.update(reason for _, reason in scan.skipped)
        result.passed_over += [(str(path), reason) for path, reason in scan.skipped]
        if before is None:
            urls = await document_urls(self._k.index, self._collection, root.as_uri().rstrip("/"))
            earlier = [path for url in urls if (path := path_from_url(url)) is not None]
        else:
            earlier = list(before)
        missing = await asyncio.to_thread(missing_files, [p for p in earlier if p not in files])
        if missing and not await asyncio.to_thread(root.is_dir):
            missing = []  # the folder was moved or unmounted during the scan: it may come back
        result.removed += await self._delete([*missing, *result.without_text])
        return result, files

    async def add_files(self, paths: Sequence[Path]) -> IngestResult:
        """Read files, some at a time, and add them in batches."""
        result, batch = IngestResult(), list[Document]()
        async with ParsePool() as pool:
            for start in range(0, len(paths), CONCURRENT_FILES):
                some = paths[start : start + CONCURRENT_FILES]
                documents = await asyncio.gather(*(self._read(pool, p, result) for p in some))
                batch += [document for document in documents if document is not None]
                self._report(msg("reading"), start + len(some), len(paths))
                if _is_full(batch):
                    result.count(await self._k.index.add(batch, self._collection))
                    batch = []
        if batch:
            result.count(await self._k.index.add(batch, self._collection))
        return result

    async def add_urls(self, urls: Sequence[str]) -> IngestResult:
        """Fetch pages and add them. A page that is only a shell for scripts is a failure."""
        result = IngestResult()
        for start in range(0, len(urls), BATCH_URLS):
            extraction = await self._k.extract(urls[start : start + BATCH_URLS])
            result.failed += [(url, str(error)) for url, error in extraction.failed]
            shells = [page for page in extraction.results if page.needs_browser or not page.text]
            result.failed += [
                (p.url, p.notes[0] if p.notes else msg("it has no text")) for p in shells
            ]
            pages = [page for page in extraction.results if page not in shells]
            if pages:
                result.count(await self._k.index.add(pages, self._collection))
        return result

    async def _read(self, pool: ParsePool, path: Path, result: IngestResult) -> Document | None:
        try:
            data = await asyncio.to_thread(path.read_bytes)
            content_type = _TYPES.get(path.suffix.lower(), "text/plain")
            page = await pool.extract(data, str(path), content_type)
        except OSError as error:
            result.skipped[UNREADABLE] += 1
            result.failed.append((str(path), system_reason(error)))
            return None
        except (Unparsable, TooLarge) as error:
            result.skipped[BINARY if isinstance(error, Unparsable) else TOO_LARGE] += 1
            result.without_text.append(path)
            result.passed_over.append((str(path), error.message))
            return None
        except FetchError as error:
            result.failed.append((str(path), str(error)))
            return None
        if not page.text.strip():
            result.skipped[NO_TEXT] += 1
            result.without_text.append(path)
            result.passed_over.append((str(path), page.notes[0] if page.notes else NO_TEXT))
            return None
        return _document(path, page)

    async def _delete(self, paths: Iterable[Path]) -> int:
        urls = [path.as_uri() for path in paths]
        if not urls or self._collection not in await self._k.index.collections():
            return 0
        return await self._k.index.delete(urls, self._collection)

    def _report(self, stage: str, done: int, total: int) -> None:
        if self._k.progress is not None and total > CONCURRENT_FILES:
            self._k.progress(ProgressEvent(stage, done, total))


async def document_urls(index: Index, collection: str, under: str = "") -> list[str]:
    """Return the URLs of a collection's documents: all, or those of a folder.

    An unknown collection has none. They are read from an export: an index has no other call that
    returns all documents.
    """
    if collection not in await index.collections():
        return []
    with tempfile.TemporaryDirectory(prefix="kensaku-") as folder:
        file = Path(folder, "documents.jsonl")
        await index.export_jsonl(file, collection)
        return await asyncio.to_thread(_read_urls, file, under)


def _read_urls(file: Path, under: str) -> list[str]:
    with file.open(encoding="utf-8", errors="surrogatepass") as lines:
        urls: Iterator[str] = (json.loads(line)["url"] for line in lines)
        return sorted(u for u in urls if not under or u == under or u.startswith(f"{under}/"))


def _document(path: Path, page: Page) -> Document:
    title = page.title
    if page.content_type == "text/plain" and path.suffix.lower() not in _PROSE:
        title = path.name  # the first line of a program is no title
    return replace(to_document(page), url=path.as_uri(), title=title or path.name)


def _is_full(batch: list[Document]) -> bool:
    return len(batch) >= BATCH_DOCUMENTS or sum(len(d.text) for d in batch) >= BATCH_CHARS
