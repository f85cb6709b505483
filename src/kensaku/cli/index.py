"""Look after the local index, which answers searches without a key and without a network.

  add PATH|URL|pydocs …  put files, folders, web pages or the documentation of this Python in;
                         a folder again takes in what changed, and takes out what is gone
  list                   the collections; with --collection the addresses in one
  stats                  documents, passages, languages and model of each collection
  rm URL|PATH …          take documents out, of one collection or of all;
                         without any, --collection is dropped whole
  export FILE            write documents to a file, one JSON object a line
  import FILE            add the documents of such a file
  optimize               make searching fast again after much was added
  watch PATH             add a folder, and keep up with what changes in it until Ctrl-C

Hidden files, links and binaries are passed over and counted. Exit status: 0 done, 1 it could not
be done, 2 wrong use.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from kensaku.cli import _terminal as terminal
from kensaku.cli._addresses import document_address, is_url, path_of, readable, writable
from kensaku.cli._client import client, counted
from kensaku.cli._options import add_common
from kensaku.errors import UnknownName, UsageError
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.cli._ingest import Tally
    from kensaku.client import Kensaku

USAGE = "[options] ACTION [WHAT …]"
DEFAULT, PYDOCS = "default", "pydocs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, with what, in which collection."""
    add = parser.add_argument
    add("action", choices=ACTIONS, metavar="ACTION", help=f"one of {', '.join(ACTIONS)}")
    add("what", nargs="*", metavar="WHAT", help="paths, URLs or a file, as the action takes them")
    add("--collection", metavar="NAME", help=f"which one; {DEFAULT} if nothing else is said")
    add("--once", action="store_true", help="watch: look once and end")
    add("--interval", type=float, default=2.0, metavar="SECONDS", help="watch: 2 if unsaid")
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """One action."""
    from kensaku.index.names import check_collection_name

    act, least, most, takes = ACTIONS[args.action]
    if len(args.what) < least or (most is not None and len(args.what) > most):
        raise UsageError(
            f"index {args.action} takes {takes}, not {counted(len(args.what), 'word')}"
        )
    if args.collection is not None:
        check_collection_name(args.collection)
    if not 0.01 <= args.interval <= 86_400:
        raise UsageError(f"interval is {args.interval:g}; it must be from 0.01 to 86,400 s")
    return await act(args)


async def _add(args: argparse.Namespace) -> int:
    from kensaku.cli._ingest import Shelf, Tally

    urls = [word for word in args.what if is_url(word)]
    paths = [readable(word) for word in args.what if word not in urls and word != PYDOCS]
    if PYDOCS in args.what and args.collection not in (None, PYDOCS):
        raise UsageError(f"{PYDOCS} has a collection of its own", remedy="leave --collection out")
    name = args.collection or DEFAULT
    total = Tally()
    async with client(args) as k:
        shelf = Shelf(k, name)
        for folder in (p for p in paths if p.is_dir()):
            total += (await shelf.put_folder(folder))[0]
        if files := [p for p in paths if not p.is_dir()]:
            done = await shelf.put_files(files)
            done.failed += [(str(p), "no text can be had from it") for p in done.wordless]
            total += done
        if urls:
            total += await shelf.put_urls(list(dict.fromkeys(urls)))
        if PYDOCS in args.what:
            name = PYDOCS if not (urls or paths) else name
            total.count(await _pydocs(k))
    show_tally(args, name, total)
    return int(bool(total.failed) and not (total.changed or total.unchanged))


async def _pydocs(k: Kensaku) -> Any:
    from kensaku.index.pydocs import build

    say = k.progress
    return await build(k.index, progress=say and (lambda e: say(e.stage, e.done, e.total or 0)))


def show_tally(args: argparse.Namespace, collection: str, tally: Tally) -> None:
    """Counts on stdout; what was left out on stderr."""
    if args.json:
        terminal.show_json({"collection": collection, **tally.to_dict()})
    else:
        counts = (f"{getattr(tally, n):,} {n}" for n in ("added", "updated", "unchanged"))
        gone = [f"{tally.removed:,} removed"] if tally.removed else []
        terminal.show(f"{collection}: {', '.join([*counts, *gone])}")
    if tally.skipped:
        said = ", ".join(f"{n:,} {why}" for why, n in sorted(tally.skipped.items()))
        terminal.tell(f"passed over: {said}")
    for what, why in tally.failed:
        terminal.tell(f"{what[:200]}: {why}")


async def _list(args: argparse.Namespace) -> int:
    from kensaku.cli._ingest import addresses_in

    async with client(args) as k:
        names = await k.index.collections()
        if args.collection is not None:
            _check_known(args.collection, names)
            names = await addresses_in(k.index, args.collection)
    if args.json:
        terminal.show_json(names)
    elif names:
        terminal.show("\n".join(map(one_line, names)))
    else:
        terminal.tell("there is nothing yet; kensaku index add PATH|URL|pydocs puts something in")
    return 0


async def _stats(args: argparse.Namespace) -> int:
    async with client(args) as k:
        found = await k.index.stats()
    if args.collection is not None:
        _check_known(args.collection, found)
        found = {args.collection: found[args.collection]}
    if args.json:
        terminal.show_json(found)
        return 0
    rows = [["collection", "documents", "passages", "languages", "model"]]
    for name, s in found.items():
        languages = ", ".join(s["languages"]) or "–"
        counts = [f"{s['documents']:,}", f"{s['passages']:,}"]
        rows.append([name, *counts, languages, s["model"] or "–"])
    terminal.show(terminal.table(rows))
    return 0


async def _rm(args: argparse.Namespace) -> int:
    async with client(args) as k:
        names = await k.index.collections()
        if args.collection is not None:
            _check_known(args.collection, names)
            names = [args.collection]
        if args.what:
            gone = sum([await _remove(k, name, args.what) for name in names])
        elif args.collection is None:
            raise UsageError("say what to remove: URLs, paths, or --collection NAME for all of one")
        else:
            gone = (await k.index.stats())[args.collection]["documents"]
            await k.index.drop(args.collection)
    if args.json:
        terminal.show_json({"removed": gone})
    else:
        terminal.show(counted(gone, "document") + " removed")
    return 0


async def _remove(k: Kensaku, collection: str, words: list[str]) -> int:
    """Addresses by themselves; a path with all that is under it."""
    from kensaku.cli._ingest import addresses_in

    urls: set[str] = set()
    for address in map(document_address, words):
        urls.add(address)
        if path_of(address) is not None:
            urls.update(await addresses_in(k.index, collection, address.rstrip("/")))
    return await k.index.delete(sorted(urls), collection)


async def _export(args: argparse.Namespace) -> int:
    file = writable(args.what[0])
    async with client(args) as k:
        if args.collection is not None:
            _check_known(args.collection, await k.index.collections())
        written = await k.index.export_jsonl(file, args.collection)
    _say(args, {"exported": written, "file": str(file)}, counted(written, "document") + " exported")
    return 0


async def _import(args: argparse.Namespace) -> int:
    from kensaku.cli._export_check import check_export

    file = readable(args.what[0])
    lines = await asyncio.to_thread(check_export, file)  # all of it, before any of it is added
    async with client(args) as k:
        say = k.progress
        added = await k.index.import_jsonl(
            file, args.collection, progress=say and (lambda e: say(e.stage, e.done, lines))
        )
    counts = {name: getattr(added, name) for name in ("added", "updated", "unchanged")}
    _say(args, counts, ", ".join(f"{n:,} {name}" for name, n in counts.items()))
    return 0


async def _optimize(args: argparse.Namespace) -> int:
    async with client(args) as k:
        names = await k.index.collections()
        if args.collection is not None:
            _check_known(args.collection, names)
            names = [args.collection]
        for done, name in enumerate(names):
            if k.progress is not None:
                k.progress(f"optimizing {name}", done, len(names))
            await k.index.optimize(name)
    _say(args, {"optimized": names}, counted(len(names), "collection") + " optimized")
    return 0


async def _watch(args: argparse.Namespace) -> int:
    from kensaku.cli._watch import watch

    root = readable(args.what[0])
    if not root.is_dir():
        raise UsageError(f"cannot watch {args.what[0][:200]}: it is no folder")
    async with client(args) as k:
        await watch(
            k,
            root,
            args.collection or DEFAULT,
            seconds=None if args.once else args.interval,
            show=lambda tally: show_tally(args, args.collection or DEFAULT, tally),
        )
    return 0


def _check_known(collection: str, names: Any) -> None:
    if collection not in names:
        raise UnknownName("collection", collection, names or ["(there is none yet)"])


def _say(args: argparse.Namespace, facts: dict[str, Any], sentence: str) -> None:
    if args.json:
        terminal.show_json(facts)
    else:
        terminal.show(sentence)


Action = Callable[[argparse.Namespace], Awaitable[int]]
# What each does, how many words it takes at least and at most (None: any number), and which.
ACTIONS: dict[str, tuple[Action, int, int | None, str]] = {
    "add": (_add, 1, None, "paths, URLs or pydocs"),
    "list": (_list, 0, 0, "no words"),
    "stats": (_stats, 0, 0, "no words"),
    "rm": (_rm, 0, None, "URLs or paths"),
    "export": (_export, 1, 1, "one file"),
    "import": (_import, 1, 1, "one file"),
    "optimize": (_optimize, 0, 0, "no words"),
    "watch": (_watch, 1, 1, "one folder"),
}
