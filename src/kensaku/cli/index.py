"""Manage the local index, which needs no key and no network.

  add PATH|URL|pydocs …  add files, folders, web pages or this Python's documentation; adding a
                         folder again updates it and deletes the documents of missing files
  build SOURCE …         index JSONL, Parquet, WARC, sitemaps, folders and object stores (s3://…)
                         as a durable job; run the same command again to resume it
  collections            list the collections
  documents              list the URLs of a collection's documents
  stats                  print documents, passages, languages and model of each collection
  check                  verify every document against its stored hash
  delete URL|PATH …      delete documents, from one collection or from all
  drop                   delete a whole collection
  export FILE            write documents to a file, one JSON object per line; --salvage skips
                         and lists damaged ones
  import FILE            add the documents of such a file
  optimize               make searches fast again after many additions
  watch PATH             add a folder and follow its changes until Ctrl-C

`list` is short for `collections`, or with --collection for `documents`; `rm` for `delete`, or
with --collection alone for `drop`. Hidden files, links and binaries are skipped and counted. Exit
status: 0 done, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kensaku.cli._addresses import document_url, input_path, is_url, output_path, path_from_url
from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, add_private_option, load_settings
from kensaku.cli._terminal import (
    format_counts,
    format_table,
    print_json,
    print_message,
    print_result,
    t,
)
from kensaku.errors import UnknownName, UsageError
from kensaku.messages import msg
from kensaku.models import ProgressEvent
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.cli._ingest import IngestResult
    from kensaku.cli._scan import Patterns
    from kensaku.client import Kensaku

USAGE = "[options] ACTION [WHAT …]"
EXTRA = "bulk"  # of `build`; the others need none
DEFAULT, PYDOCS = "default", "pydocs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, its arguments and the collection."""
    add = parser.add_argument
    names = ", ".join(name for name in ACTIONS if name not in ALIASES)
    add("action", choices=list(ACTIONS), metavar="ACTION", help=msg("one of {names}", names=names))
    add("what", nargs="*", metavar="WHAT", help="paths, URLs or a file, depending on the action")
    add("--collection", metavar="NAME", help=msg("collection (default: {name})", name=DEFAULT))
    add("--include", action="append", default=[], metavar="PATTERN",
        help="add, watch: only files like this, as in '*.md'; repeatable")  # fmt: skip
    add("--exclude", action="append", default=[], metavar="PATTERN",
        help="add, watch: no file or folder like this, as in 'drafts/*'; repeatable")  # fmt: skip
    add("-v", "--verbose", action="store_true", help="add: list skipped files, and why")
    add("--workers", type=int, metavar="N", help="build: parsing processes (default: the cores)")
    add("--salvage", action="store_true", help="export: skip damaged documents, and list them")
    add("--once", action="store_true", help="watch: scan once and exit")
    add("--interval", type=float, default=2.0, metavar="SECONDS",
        help="watch: time between scans (default 2)")  # fmt: skip
    add_private_option(parser)
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Check the arguments of an action and run it."""
    from kensaku.text.collection_names import check_collection_name

    action, n = ACTIONS[args.action], len(args.what)
    if n < action.min_words or (action.max_words is not None and n > action.max_words):
        raise UsageError(
            msg(
                "index {action} takes {takes}, not {words}",
                action=args.action,
                takes=action.takes,
                words=msg("{n} word", "{n} words", n=n),
            ),
            remedy=msg("`kensaku index --help` explains the actions"),
        )
    if args.collection is not None:
        check_collection_name(args.collection)
    if not 0.01 <= args.interval <= 86_400:
        raise UsageError(
            msg(
                "interval is {interval:g}; it must be from 0.01 to 86,400 s", interval=args.interval
            )
        )
    return await action.run(args)


async def _add(args: argparse.Namespace) -> int:
    from kensaku.cli._ingest import CollectionWriter, Sources

    urls = [word for word in args.what if is_url(word)]
    paths = [input_path(word) for word in args.what if word not in urls and word != PYDOCS]
    with_pydocs = PYDOCS in args.what
    if with_pydocs and args.collection not in (None, PYDOCS):
        raise UsageError(
            msg("{pydocs} has a collection of its own", pydocs=PYDOCS),
            remedy=msg("leave --collection out"),
        )
    only_pydocs = with_pydocs and not urls and not paths
    collection = PYDOCS if only_pydocs else args.collection or DEFAULT
    sources = Sources(
        folders=[path for path in paths if path.is_dir()],
        files=[path for path in paths if not path.is_dir()],
        urls=list(dict.fromkeys(urls)),
    )
    async with open_client(load_settings(args)) as k:
        result = await CollectionWriter(k, collection, _patterns(args)).add(sources)
        if with_pydocs:
            result.count(await _build_pydocs(k))
    print_ingest_result(args, collection, result)
    return int(bool(result.failed) and not (result.changed or result.unchanged))


def _patterns(args: argparse.Namespace) -> Patterns:
    from kensaku.cli._scan import Patterns

    return Patterns(tuple(args.include), tuple(args.exclude))


async def _build(args: argparse.Namespace) -> int:
    from kensaku.cli._follow import run_job
    from kensaku.cli.jobs import check_workers

    check_workers(args.workers)
    arguments = {"sources": args.what, "collection": args.collection or DEFAULT}
    return await run_job(
        load_settings(args), "bulk", arguments, workers=args.workers, json=args.json
    )


async def _build_pydocs(k: Kensaku) -> Any:
    from kensaku.index.pydocs import build

    return await build(k.index, progress=k.progress)


def print_ingest_result(args: argparse.Namespace, collection: str, result: IngestResult) -> None:
    """Print counts on stdout, and what was skipped or failed on stderr."""
    if args.json:
        print_json({"collection": collection, **result.to_dict()})
    else:
        counts = {n: getattr(result, n) for n in ("added", "updated", "unchanged")}
        counts |= {"removed": result.removed} if result.removed else {}
        print_result(f"{collection}: {format_counts(counts)}")
    if result.skipped:
        skipped = ", ".join(
            t("{count:,} {why}", count=n, why=t(why)) for why, n in sorted(result.skipped.items())
        )
        print_message(t("passed over: {skipped}", skipped=skipped))
    if args.verbose:
        for path, why in result.passed_over:
            print_message(f"  {t(why)}: {path}")
    for what, why in result.failed:
        print_message(f"{what[:200]}: {t(why)}")


async def _collections(args: argparse.Namespace) -> int:
    async with open_client(load_settings(args)) as k:
        names, foreign = await k.index.collections(), await k.index.foreign_collections()
    _print_names(args, names + [n if args.json else t("{name} (foreign)", name=n) for n in foreign])
    return 0


async def _documents(args: argparse.Namespace) -> int:
    from kensaku.cli._ingest import document_urls

    collection = args.collection or DEFAULT
    async with open_client(load_settings(args)) as k:
        _check_collection(collection, await k.index.collections())
        _print_names(args, await document_urls(k.index, collection))
    return 0


async def _list(args: argparse.Namespace) -> int:
    return await (_collections if args.collection is None else _documents)(args)


async def _stats(args: argparse.Namespace) -> int:
    async with open_client(load_settings(args)) as k:
        stats = await k.index.stats()
    if args.collection is not None:
        _check_collection(args.collection, stats)
        stats = {args.collection: stats[args.collection]}
    if args.json:
        print_json(stats)
        return 0
    head = [
        msg("collection"),
        msg("documents"),
        msg("passages"),
        msg("disk"),
        msg("languages"),
        msg("model"),
    ]
    rows: list[list[str]] = [head]
    for name, s in stats.items():
        languages = ", ".join(s["languages"]) or "–"
        disk = "–" if s["disk"] is None else f"{s['disk'] / 1e6:,.1f} MB"
        counts = [f"{s['documents']:,}", f"{s['passages']:,}", disk]
        model = t("(foreign)") if s["foreign"] else s["model"] or "–"
        rows.append([name, *counts, languages, model])
    print_result(format_table(rows))
    for s in stats.values():
        if s["problem"]:
            print_message(t(s["problem"]))
    return 0


async def _check(args: argparse.Namespace) -> int:
    async with open_client(load_settings(args)) as k:
        if args.collection is not None:
            _check_collection(args.collection, await k.index.collections())
        checked = await k.index.check(args.collection)
    bad = [result for result in checked.values() if result["problem"]]
    if args.json:
        print_json(checked)
        return int(bool(bad))
    for name, result in checked.items():
        state = t("damaged") if result["problem"] else t("good")
        print_result(
            t(
                "{name}: {n} document read, {state}",
                "{name}: {n} documents read, {state}",
                name=name,
                n=result["documents"],
                state=state,
            )
        )
    for result in bad:
        remedy = t(result["remedy"])
        print_message(t("{message}; {remedy}", message=t(result["problem"] or ""), remedy=remedy))
        for url in result["damaged"]:
            print_message(f"  {one_line(url)[:200]}")
    return int(bool(bad))


async def _delete(args: argparse.Namespace) -> int:
    async with open_client(load_settings(args)) as k:
        collections = await _selected_collections(k, args)
        deleted = sum([await _delete_from(k, name, args.what) for name in collections])
    _print(
        args, {"removed": deleted}, t("{n} document removed", "{n} documents removed", n=deleted)
    )
    return 0


async def _drop(args: argparse.Namespace) -> int:
    if args.collection is None:
        raise UsageError(
            msg("say what to remove: URLs, paths, or --collection NAME for all of one")
        )
    async with open_client(load_settings(args)) as k:
        _check_collection(args.collection, await k.index.collections())
        deleted = (await k.index.stats())[args.collection]["documents"]  # 0 when it is damaged
        await k.index.drop(args.collection)
    _print(
        args, {"removed": deleted}, t("{n} document removed", "{n} documents removed", n=deleted)
    )
    return 0


async def _rm(args: argparse.Namespace) -> int:
    return await (_delete if args.what else _drop)(args)


async def _delete_from(k: Kensaku, collection: str, words: list[str]) -> int:
    """Delete documents by URL, and a path with everything under it."""
    from kensaku.cli._ingest import document_urls

    urls: set[str] = set()
    for url in map(document_url, words):
        urls.add(url)
        if path_from_url(url) is not None:
            urls.update(await document_urls(k.index, collection, url.rstrip("/")))
    return await k.index.delete(sorted(urls), collection)


async def _export(args: argparse.Namespace) -> int:
    file = output_path(args.what[0])
    async with open_client(load_settings(args)) as k:
        if args.collection is not None:
            _check_collection(args.collection, await k.index.collections())
        lost: list[str] = []
        salvage = lost.append if args.salvage else None
        n = await k.index.export_jsonl(file, args.collection, salvage=salvage)
    for what in lost:
        print_message(t("damaged: {what}", what=one_line(what)[:200]))
    _print(
        args,
        {"exported": n, "file": str(file)},
        t("{n} document exported", "{n} documents exported", n=n),
    )
    return 0


async def _import(args: argparse.Namespace) -> int:
    from kensaku.cli._export_check import check_export

    file = input_path(args.what[0])
    total = await asyncio.to_thread(check_export, file)  # all of it, before any of it is added
    async with open_client(load_settings(args)) as k:
        report = k.progress
        added = await k.index.import_jsonl(
            file,
            args.collection,
            progress=report and (lambda event: report(replace(event, total=total))),
        )
    counts = {name: getattr(added, name) for name in ("added", "updated", "unchanged")}
    _print(args, counts, format_counts(counts))
    return 0


async def _optimize(args: argparse.Namespace) -> int:
    async with open_client(load_settings(args)) as k:
        collections = await _selected_collections(k, args)
        for n, name in enumerate(collections):
            if k.progress is not None:
                k.progress(ProgressEvent(msg("optimizing {name}", name=name), n, len(collections)))
            await k.index.optimize(name)
    text = t("{n} collection optimized", "{n} collections optimized", n=len(collections))
    _print(args, {"optimized": collections}, text)
    return 0


async def _watch(args: argparse.Namespace) -> int:
    from kensaku.cli._watch import watch

    root = input_path(args.what[0])
    if not root.is_dir():
        raise UsageError(msg("cannot watch {what}: it is no folder", what=args.what[0][:200]))
    collection = args.collection or DEFAULT
    async with open_client(load_settings(args)) as k:
        await watch(
            k,
            root,
            collection,
            patterns=_patterns(args),
            interval=None if args.once else args.interval,
            report=lambda result: print_ingest_result(args, collection, result),
        )
    return 0


async def _selected_collections(k: Kensaku, args: argparse.Namespace) -> list[str]:
    """Return the collection of `--collection`, or all. Raises `UnknownName`."""
    collections = await k.index.collections()
    if args.collection is None:
        return collections
    _check_collection(args.collection, collections)
    return [args.collection]


def _check_collection(name: str, collections: Iterable[str]) -> None:
    if name not in collections:
        raise UnknownName(msg("collection"), name, list(collections))


def _print_names(args: argparse.Namespace, names: list[str]) -> None:
    if args.json:
        print_json(names)
    elif names:
        print_result("\n".join(map(one_line, names)))
    else:
        print_message(
            t("there is nothing yet; kensaku index add PATH|URL|pydocs puts something in")
        )


def _print(args: argparse.Namespace, values: dict[str, Any], text: str) -> None:
    if args.json:
        print_json(values)
    else:
        print_result(text)


class Action(NamedTuple):
    """A row of the table of actions."""

    run: Callable[[argparse.Namespace], Awaitable[int]]
    min_words: int
    max_words: int | None  # None: any number
    takes: str


ACTIONS = {
    "add": Action(_add, 1, None, msg("paths, URLs or pydocs")),
    "build": Action(_build, 1, None, msg("files, folders or URLs")),
    "collections": Action(_collections, 0, 0, msg("no words")),
    "documents": Action(_documents, 0, 0, msg("no words")),
    "stats": Action(_stats, 0, 0, msg("no words")),
    "check": Action(_check, 0, 0, msg("no words")),
    "delete": Action(_delete, 1, None, msg("URLs or paths")),
    "drop": Action(_drop, 0, 0, msg("no words")),
    "export": Action(_export, 1, 1, msg("one file")),
    "import": Action(_import, 1, 1, msg("one file")),
    "optimize": Action(_optimize, 0, 0, msg("no words")),
    "watch": Action(_watch, 1, 1, msg("one folder")),
    "list": Action(_list, 0, 0, msg("no words")),
    "rm": Action(_rm, 0, None, msg("URLs or paths")),
}
ALIASES = ("list", "rm")
