"""Index many documents: sources → shards → batches, each batch a stored step.

    plan → shards on the queue of all processes → [records → extract or fetch → index] × batches

Exactly once: a step that is repeated after a kill adds the same documents again, and the index
leaves alone what it holds word for word. A record that cannot be used is counted, never fatal.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.errors import FetchError, InvalidQuery, UnknownName
from kensaku.jobs.batch import BatchReader, Ingest
from kensaku.jobs.sources import Shard, plan_shards
from kensaku.jobs.sources._files import check_source
from kensaku.messages import msg
from kensaku.text.collection_names import check_collection_name

if TYPE_CHECKING:
    from kensaku.jobs.run import JobRun

MAX_SOURCES = 1_000
MAX_SITEMAPS = 1_000  # files that the sitemaps of one source may name
EXAMPLES = 20  # of records that could not be used
_COUNTS = ("documents", "added", "updated", "unchanged", "rejected")


def check(arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
    """Take `sources` and `collection`. Files are for who operates the machine, not for tenants."""
    if unknown := set(arguments) - {"sources", "collection"}:
        raise UnknownName(msg("option"), min(unknown), {"sources", "collection"})
    sources, collection = arguments.get("sources"), arguments.get("collection", "default")
    check_collection_name(collection)
    if isinstance(sources, str) or not isinstance(sources, Sequence) or not sources:
        raise InvalidQuery(msg("sources must be a list of paths and URLs, at least one"))
    if len(sources) > MAX_SOURCES:
        raise InvalidQuery(
            msg("there are {count:,} sources; at most 1,000 are taken", count=len(sources))
        )
    for source in sources:
        check_source(str(source))
        if not operator and not _is_web(str(source)):
            raise InvalidQuery(
                msg("only sitemaps can be indexed over the network"),
                remedy=msg("run `kensaku index build` on the machine that holds the files"),
            )
    return {"sources": [_absolute(str(s)) for s in sources], "collection": collection}


async def run(job: JobRun, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Split the sources and index their shards, on all processes of the database."""
    sources, collection = arguments["sources"], arguments["collection"]
    await job.report("looking at the sources")
    shards = await job.step("plan", lambda: _plan(job, sources))
    size = sum(shard["size"] for shard in shards)
    await job.report("indexing", total=size)
    total: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    examples: list[dict[str, str]] = []
    parts = [{"shard": shard, "collection": collection} for shard in shards]
    async for result in job.run_parts(parts):
        total.update({name: result[name] for name in _COUNTS})
        reasons.update(result["reasons"])
        examples += result["examples"][: EXAMPLES - len(examples)]
    await job.report("optimizing", total=size)
    if total["documents"]:
        await job.step("optimize", lambda: _optimize(job, collection))
    return {
        "collection": collection,
        "shards": len(shards),
        **{name: total[name] for name in _COUNTS},
        "reasons": dict(reasons.most_common()),
        "examples": examples,
    }


async def run_part(job: JobRun, part: Mapping[str, Any]) -> dict[str, Any]:
    """Index one shard, batch by batch."""
    shard, collection = Shard.from_dict(part["shard"]), part["collection"]
    ingest = Ingest(job.client, job.executor.parser, collection)
    reader = BatchReader(shard)
    position, total = 0, Counter[str]()
    reasons: Counter[str] = Counter()
    examples: list[dict[str, str]] = []
    try:
        while True:
            result = await job.step("batch", partial(ingest.batch, reader, position))
            position = result["position"]
            total.update({name: result[name] for name in _COUNTS})
            reasons.update(result["reasons"])
            examples += result["examples"][: EXAMPLES - len(examples)]
            # The job's own row has the total; parts report what they have done of it.
            await job.report(done=result["done"], documents=total["documents"])
            if result["end"]:
                break
    finally:
        reader.close()
    counts = {name: total[name] for name in _COUNTS}
    return {**counts, "reasons": dict(reasons), "examples": examples}


async def _plan(job: JobRun, sources: Sequence[str]) -> list[dict[str, Any]]:
    files = [source for source in sources if not _is_web(source)]
    shards = await asyncio.to_thread(plan_shards, files)
    for source in sources:
        if _is_web(source):
            shards += await _sitemap_shards(job, source)
    return [shard.to_dict() for shard in shards]


async def _sitemap_shards(job: JobRun, url: str) -> list[Shard]:
    """Fetch a sitemap and those that it names; return its pages in groups."""
    from kensaku.fetch.crawl.sitemap import read_sitemap
    from kensaku.jobs.sources.sitemap import shards

    fetcher = job.client.resources.reader().fetcher
    queue, pages = [url], list[str]()
    for n in range(MAX_SITEMAPS):
        if n >= len(queue):
            break
        try:
            fetched = await fetcher.fetch(queue[n], crawling=True)
        except FetchError:
            if n == 0:
                raise
            continue
        sitemap = await asyncio.to_thread(read_sitemap, fetched.body)
        queue += [a for a in dict.fromkeys(sitemap.sitemaps) if a not in queue]
        pages += sitemap.pages
    if not pages:
        raise InvalidQuery(
            msg("{url} lists no pages", url=url[:200]), remedy=msg("give the URL of a sitemap")
        )
    return list(shards(pages))


async def _optimize(job: JobRun, collection: str) -> bool:
    await job.client.index.optimize(collection)
    return True


def _is_web(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _absolute(source: str) -> str:
    return source if "://" in source else str(Path(source).expanduser().absolute())
