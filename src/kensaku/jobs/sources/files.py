"""Single files: HTML, PDF, Office, Markdown and plain text, each a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import quote, urlsplit

from kensaku.extract.html.markup_check import MAX_BYTES
from kensaku.jobs.sources._files import open_file
from kensaku.jobs.sources.record import Item, RawPage, Record, Rejected, Shard

# Types that the first bytes do not show. All other text is read as it is: code is no HTML.
TYPES = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".htm": "text/html",
    ".html": "text/html", ".xhtml": "text/html", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".json": "application/json",
}  # fmt: skip


def records(shard: Shard) -> Iterator[Item]:
    """Yield each file of the shard as a page to extract."""
    done = 0
    for url in shard.files:
        record = _read(url)
        done += len(record.data) if isinstance(record, RawPage) else 0
        yield Item(record, min(shard.size, done))


def _read(url: str) -> Record:
    try:
        with open_file(url) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return Rejected(f"unreadable ({type(error).__name__})", url)
    if len(data) > MAX_BYTES:
        return Rejected("file too large", url)
    suffix = PurePosixPath(url).suffix.lower()
    return RawPage(_document_url(url), data, TYPES.get(suffix, "text/plain"))


def _document_url(url: str) -> str:
    """Return the address as `index add` writes it, so that both replace each other's."""
    parts = urlsplit(url)
    return f"file://{quote(parts.path)}" if parts.scheme == "file" else url
