"""Read the pages of a site, from one page on.

They go to standard output, or with --collection into the local index, some at a time. A crawl that
was stopped or killed goes on with --resume and the same options. Exit status: 0 when pages were
read, 1 when none could be, 2 wrong use.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from kensaku.cli import _terminal as terminal
from kensaku.cli._client import client, counted
from kensaku.cli._crawl_options import add_site, plan_of
from kensaku.cli._options import add_common
from kensaku.cli.extract import add_format, show_pages, tell_failed

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Page

USAGE = "[options] URL"
TOGETHER = 20  # pages that go into the index at a time: what a kill can lose


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which site, and where its pages go."""
    add_site(parser)
    parser.add_argument("--resume", action="store_true", help="go on where an earlier run ended")
    parser.add_argument("--collection", metavar="NAME", help="put the pages into the local index")
    add_format(parser)
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """One crawl."""
    from kensaku.index.names import check_collection_name

    options = plan_of(args)
    if args.collection is not None:
        check_collection_name(args.collection)
    async with client(args) as k:
        if args.collection is not None:
            return await _into_index(k, args, options)
        done = await k.crawl(args.url, resume=args.resume, **options)
    if args.json:
        terminal.show_json(done.to_dict())
    else:
        show_pages(done.results, args.format)
    return _told(len(done.results), done.failed, done.notes)


async def _into_index(k: Kensaku, args: argparse.Namespace, options: dict[str, Any]) -> int:
    """Page by page: neither memory nor a kill matters to a large site."""
    from kensaku.index import AddResult

    crawl = k.reader().crawl(args.url, resume=args.resume, progress=k.report, **options)
    total = AddResult()
    waiting: list[Page] = []
    urls: list[str] = []
    async with aclosing(aiter(crawl)) as pages:
        async for page in pages:
            waiting.append(page)
            urls.append(page.url)
            if len(waiting) == TOGETHER:
                total += await k.index.add(waiting, collection=args.collection)
                waiting = []
    if waiting:
        total += await k.index.add(waiting, collection=args.collection)
    counts = {name: getattr(total, name) for name in ("added", "updated", "unchanged")}
    if args.json:
        told = {"base_url": crawl.base_url, "collection": args.collection, **counts, "urls": urls}
        failed = [{"url": url, "error": error.to_dict()} for url, error in crawl.failed]
        terminal.show_json({**told, "failed": failed, "notes": crawl.notes})
    elif urls:
        said = ", ".join(f"{n:,} {word}" for word, n in counts.items())
        terminal.show(f"{args.collection}: {said}")
    return _told(len(urls), crawl.failed, crawl.notes)


def _told(pages: int, failed: Sequence[Any], notes: Sequence[str]) -> int:
    tell_failed(failed)
    for note in notes:
        hint = "; --resume goes on from here" if note.startswith("stopped after") else ""
        terminal.tell(f"note: {note}{hint}")
    terminal.tell(counted(pages, "page") + " read")
    return int(not pages and bool(failed))
