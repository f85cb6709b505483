"""WARC and WET: responses as pages to extract, conversions as documents (warcio)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kensaku.errors import MissingExtra
from kensaku.jobs.sources._files import File, open_file
from kensaku.jobs.sources.record import (
    MAX_RECORD,
    MIB,
    Item,
    RawPage,
    Record,
    Rejected,
    Shard,
    to_record,
)

_PAGES = ("text/", "application/xhtml", "application/pdf", "application/xml", "application/json")


def shards(file: File) -> Iterator[Shard]:
    """Return one shard: where a record begins is known only to who has read the one before."""
    yield Shard("warc", (file.url,), file.size)


def records(shard: Shard) -> Iterator[Item]:
    """Yield responses, resources and conversions; requests and metadata are passed over."""
    (url,) = shard.files
    done = 0
    try:
        with open_file(url) as raw:
            for record in _iterate(raw):
                if record.rec_type in ("response", "resource", "conversion"):
                    done = min(shard.size, raw.tell())
                    yield Item(_record(record, f"{url} before byte {done}"), done)
    except MissingExtra:
        raise
    except Exception as error:  # cut off, or no WARC: what follows in the file is lost
        reason = f"unreadable ({type(error).__name__})"
        yield Item(Rejected(reason, f"{url} after byte {done}"), shard.size)


def _record(record: Any, where: str) -> Record:
    url = record.rec_headers.get_header("WARC-Target-URI") or ""
    url = url.strip().removeprefix("<").removesuffix(">")
    if not url.startswith(("http://", "https://")):
        return Rejected("without url", where)
    headers = record.http_headers
    if headers is not None and headers.get_statuscode() != "200":
        return Rejected("not a page (status)", where)
    content_type = _content_type(record)
    if record.rec_type != "conversion" and not content_type.startswith(_PAGES):
        return Rejected("not a page (type)", where)
    data = record.content_stream().read(MAX_RECORD + 1)  # a bomb is not unpacked further
    if len(data) > MAX_RECORD:
        return Rejected("record too long", where)
    if _is_cut_off(record):
        return Rejected("cut off", where)
    if record.rec_type != "conversion":
        return RawPage(url, data, content_type)
    published = record.rec_headers.get_header("WARC-Date")
    text = data.decode("utf-8", "replace")
    title = text.partition("\n")[0].strip()[:200]
    return to_record({"url": url, "title": title, "text": text, "published": published}, where)


def _is_cut_off(record: Any) -> bool:
    """Whether the file ends inside of a record; warcio takes that for the record's end."""
    if not hasattr(record.raw_stream, "limit"):
        return False  # its header does not say how long it is
    while record.raw_stream.read(MIB):  # the end of the last chunk
        pass
    return bool(record.raw_stream.limit > 0)  # bytes that are missing


def _content_type(record: Any) -> str:
    headers = record.http_headers or record.rec_headers
    return (headers.get_header("Content-Type") or "").strip().lower()


def _iterate(raw: Any) -> Any:
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ImportError as error:
        raise MissingExtra("warcio", "bulk") from error
    return ArchiveIterator(raw)
