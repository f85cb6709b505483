"""Files and pages → a collection of the local index.

    folder → files (hidden ones, links and binaries are counted) → parse pool → documents → index
           → documents whose files are gone → removed

A file is called file:///… in the index, so the same file again replaces itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.cli._addresses import path_of
from kensaku.errors import FetchError, TooLarge, Unparsable
from kensaku.extract.html.markup_check import MAX_BYTES
from kensaku.extract.worker.pool import ParsePool
from kensaku.models import Document

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.index import AddResult, Index
    from kensaku.models import Page

AT_ONCE = 4  # files that are read at the same time
TOGETHER, TOGETHER_CHARS = 200, 2_000_000  # documents that are written, and acknowledged, together
PAGES = 20  # what one call of `extract` takes
# What the first bytes cannot tell. All other text is read as it stands: code is no HTML.
_TYPES = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".htm": "text/html",
    ".html": "text/html", ".xhtml": "text/html", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".json": "application/json",
}  # fmt: skip
_PROSE = ("", ".txt", ".text", ".rst")  # texts whose first line is a title

Stamp = tuple[int, int]  # when it was changed, and its size


@dataclass
class Tally:
    """What came of adding: documents by what happened to them, and what was left out and why."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[str, str]] = field(default_factory=list)  # what, and why
    wordless: list[Path] = field(default_factory=list)  # files that hold no text (any more)

    def count(self, done: AddResult) -> None:
        """Take in what the index did."""
        self.added += done.added
        self.updated += done.updated
        self.unchanged += done.unchanged

    def __iadd__(self, other: Tally) -> Tally:
        for name in ("added", "updated", "unchanged", "removed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.skipped.update(other.skipped)
        self.failed += other.failed
        return self

    @property
    def changed(self) -> bool:
        """Whether the index is another than before."""
        return bool(self.added or self.updated or self.removed)

    def to_dict(self) -> dict[str, Any]:
        """The counts, ready for JSON."""
        counts = {n: getattr(self, n) for n in ("added", "updated", "unchanged", "removed")}
        failed = [{"what": what, "error": why} for what, why in self.failed]
        return {**counts, "skipped": dict(self.skipped), "failed": failed}


class Shelf:
    """One collection that is being filled."""

    def __init__(self, k: Kensaku, collection: str) -> None:
        self._k, self._collection = k, collection

    async def put_folder(
        self, root: Path, known: dict[Path, Stamp] | None = None
    ) -> tuple[Tally, dict[Path, Stamp]]:
        """Make the collection hold what the folder holds now; and what the folder holds.

        `known` is what it held the last time: only what is new or changed is read again.
        """
        files, skipped = await asyncio.to_thread(look, root)
        before = known or {}
        tally = await self.put_files([p for p, s in files.items() if before.get(p) != s])
        tally.skipped.update(skipped)
        if known is None:
            inside = await addresses_in(self._k.index, self._collection, root.as_uri().rstrip("/"))
            earlier = [path for a in inside if (path := path_of(a)) is not None]
        else:
            earlier = list(known)
        gone = await asyncio.to_thread(_gone, (p for p in earlier if p not in files))
        tally.removed += await self._remove([*gone, *tally.wordless])
        return tally, files

    async def put_files(self, paths: Sequence[Path]) -> Tally:
        """Read files and add them, some at a time. What is not to be read is counted."""
        tally, waiting = Tally(), list[Document]()
        async with ParsePool() as pool:
            for at in range(0, len(paths), AT_ONCE):
                some = paths[at : at + AT_ONCE]
                read = await asyncio.gather(*(self._read(pool, path, tally) for path in some))
                waiting += [document for document in read if document is not None]
                self._tell("reading", at + len(some), len(paths))
                if _enough(waiting):
                    tally.count(await self._k.index.add(waiting, self._collection))
                    waiting = []
        if waiting:
            tally.count(await self._k.index.add(waiting, self._collection))
        return tally

    async def put_urls(self, urls: Sequence[str]) -> Tally:
        """Fetch pages and add them. A page that is only a shell for scripts is a failure."""
        tally = Tally()
        for at in range(0, len(urls), PAGES):
            done = await self._k.extract(urls[at : at + PAGES])
            tally.failed += [(url, str(error)) for url, error in done.failed]
            shells = [page for page in done.results if page.needs_browser or not page.text]
            tally.failed += [(p.url, "; ".join(p.notes) or "it has no text") for p in shells]
            pages = [page for page in done.results if page not in shells]
            if pages:
                tally.count(await self._k.index.add(pages, self._collection))
        return tally

    async def _read(self, pool: ParsePool, path: Path, tally: Tally) -> Document | None:
        try:
            data = await asyncio.to_thread(path.read_bytes)
            kind = _TYPES.get(path.suffix.lower(), "text/plain")
            page = await pool.extract(data, str(path), kind)
        except OSError as error:
            tally.skipped["unreadable"] += 1
            tally.failed.append((str(path), error.strerror or type(error).__name__))
            return None
        except (Unparsable, TooLarge) as error:
            tally.skipped["binary" if isinstance(error, Unparsable) else "too large"] += 1
            tally.wordless.append(path)
            return None
        except FetchError as error:
            tally.failed.append((str(path), str(error)))
            return None
        if not page.text.strip():
            tally.skipped["without text"] += 1
            tally.wordless.append(path)
            return None
        return _document(path, page)

    async def _remove(self, paths: Iterable[Path]) -> int:
        urls = [path.as_uri() for path in paths]
        if not urls or self._collection not in await self._k.index.collections():
            return 0
        return await self._k.index.delete(urls, self._collection)

    def _tell(self, what: str, done: int, total: int) -> None:
        if self._k.progress is not None and total > AT_ONCE:
            self._k.progress(what, done, total)


def look(root: Path) -> tuple[dict[Path, Stamp], Counter[str]]:
    """The files to read under a folder, each with its stamp; and what is passed over, counted."""
    found: dict[Path, Stamp] = {}
    skipped: Counter[str] = Counter()
    for place, folders, names in os.walk(root):
        skipped["hidden"] += sum(name.startswith(".") for name in (*folders, *names))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(place, name)
                stamp, why = _stamp(path)
                if stamp is None:
                    skipped[why] += 1
                else:
                    found[path] = stamp
    return found, +skipped


async def addresses_in(index: Index, collection: str, under: str = "") -> list[str]:
    """The addresses of a collection's documents: all, or those of a folder. None, when there is
    no such collection. They are read from an export, which is all that an index gives out whole."""
    if collection not in await index.collections():
        return []
    with tempfile.TemporaryDirectory(prefix="kensaku-") as place:
        file = Path(place, "documents.jsonl")
        await index.export_jsonl(file, collection)
        return await asyncio.to_thread(_addresses, file, under)


def _addresses(file: Path, under: str) -> list[str]:
    with file.open(encoding="utf-8", errors="surrogatepass") as lines:
        urls: Iterator[str] = (json.loads(line)["url"] for line in lines)
        return sorted(u for u in urls if not under or u == under or u.startswith(f"{under}/"))


def _stamp(path: Path) -> tuple[Stamp | None, str]:
    try:
        state = path.lstat()
    except OSError:
        return None, "unreadable"
    if stat.S_ISLNK(state.st_mode):
        return None, "link"  # it may lead out of the folder
    if not stat.S_ISREG(state.st_mode):
        return None, "special"  # reading a pipe would wait for ever
    if not state.st_size:
        return None, "empty"
    if state.st_size > MAX_BYTES:
        return None, "too large"
    return (state.st_mtime_ns, state.st_size), ""


def _gone(paths: Iterable[Path]) -> list[Path]:
    """Those that are no more. One that only cannot be looked at now is not among them."""
    gone = []
    for path in paths:
        try:
            if path.lstat().st_size == 0:
                gone.append(path)
        except (FileNotFoundError, NotADirectoryError):
            gone.append(path)
        except OSError:
            continue
    return gone


def _document(path: Path, page: Page) -> Document:
    title = page.title
    if page.content_type == "text/plain" and path.suffix.lower() not in _PROSE:
        title = path.name  # the first line of a program says nothing
    return Document(
        url=path.as_uri(),
        title=title or path.name,
        text=page.markdown or page.text,
        published=page.published,
        language=page.language,
    )


def _enough(documents: list[Document]) -> bool:
    return len(documents) >= TOGETHER or sum(len(d.text) for d in documents) >= TOGETHER_CHARS
