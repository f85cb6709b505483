"""Read the pages of a site, starting from one page.

Pages are printed on standard output, or added to the local index with --collection, in batches. If
a crawl was interrupted, --resume with the same options continues it. With --job, the crawl is a
durable job that fills a collection: a server, or the same command, continues it. Exit status: 0
when pages were read, 1 when none could be, 2 wrong usage.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from kensaku.cli._client import open_client
from kensaku.cli._crawl_options import add_crawl_options, crawl_options
from kensaku.cli._options import add_common_options, add_private_option, load_settings
from kensaku.cli._terminal import format_counts, print_json, print_message, print_result, t
from kensaku.cli.extract import add_format_option, print_failed, print_pages
from kensaku.errors import UsageError
from kensaku.messages import msg
from kensaku.text.collection_names import check_collection_name

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Page

USAGE = "[options] URL"
EXTRA = "database"  # of a job
BATCH_PAGES = 20  # added to the index at a time: a kill loses at most these


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the site, its limits, and where its pages go."""
    add_crawl_options(parser)
    parser.add_argument("--resume", action="store_true", help="continue an earlier crawl")
    parser.add_argument("--collection", metavar="NAME", help="add the pages to the local index")
    parser.add_argument("--job", action="store_true", help="crawl as a durable job")
    add_format_option(parser)
    add_private_option(parser)
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Crawl the site and print or index its pages."""
    options = crawl_options(args)
    if args.collection is not None:
        check_collection_name(args.collection)
    if args.job:
        return await _crawl_as_job(args, options)
    async with open_client(load_settings(args)) as k:
        if args.collection is not None:
            return await _crawl_into_index(k, args, options)
        result = await k.crawl(args.url, resume=args.resume, **options)
    if args.json:
        print_json(result.to_dict())
    else:
        print_pages(result.results, args.format)
    return _print_summary(len(result.results), result.failed, result.notes)


async def _crawl_as_job(args: argparse.Namespace, options: dict[str, Any]) -> int:
    from kensaku.cli._follow import run_job

    if args.resume:
        raise UsageError(msg("--job goes on by itself"), remedy=msg("leave out --resume"))
    where = {} if args.collection is None else {"collection": args.collection}
    arguments = {**options, **where, "url": args.url}
    return await run_job(load_settings(args), "crawl", arguments, json=args.json)


async def _crawl_into_index(k: Kensaku, args: argparse.Namespace, options: dict[str, Any]) -> int:
    """Add pages in batches, so that a large site fits into memory and survives a kill."""
    from kensaku.index import AddResult

    crawl = k.crawl(args.url, resume=args.resume, **options)
    total = AddResult()
    batch: list[Page] = []
    urls: list[str] = []
    async with aclosing(aiter(crawl)) as pages:
        async for page in pages:
            batch.append(page)
            urls.append(page.url)
            if len(batch) == BATCH_PAGES:
                total += await k.index.add(batch, collection=args.collection)
                batch = []
    if batch:
        total += await k.index.add(batch, collection=args.collection)
    counts = {name: getattr(total, name) for name in ("added", "updated", "unchanged")}
    if args.json:
        head = {"base_url": crawl.base_url, "collection": args.collection, **counts, "urls": urls}
        failed = [{"url": url, "error": error.to_dict()} for url, error in crawl.failed]
        print_json({**head, "failed": failed, "notes": crawl.notes})
    elif urls:
        print_result(f"{args.collection}: {format_counts(counts)}")
    return _print_summary(len(urls), crawl.failed, crawl.notes)


def _print_summary(pages: int, failed: Sequence[Any], notes: Sequence[str]) -> int:
    print_failed(failed)
    for note in notes:
        print_message(t("note: {note}", note=t(note)))
        if note.startswith("stopped after"):
            print_message(t("--resume goes on from here"))
    print_message(t("{n} page read", "{n} pages read", n=pages))
    return int(not pages and bool(failed))
