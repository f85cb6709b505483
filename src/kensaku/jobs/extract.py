"""Take values out of pages by the model: a schema, a prompt or both.

urls → read → pages → the model → values, checked against the schema
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku.answers.scrape import Wanted, take_values
from kensaku.errors import JobFailed
from kensaku.jobs.scrape import check_urls, read
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.jobs.run import JobRun

MAX_URLS = 20
PAGES = Wanted(("markdown",))


def check(arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
    """Take `urls`, and `wanted` as `Wanted.to_dict` writes it."""
    wanted = Wanted.from_dict(arguments["wanted"])
    return {"urls": check_urls(arguments["urls"], MAX_URLS), "wanted": wanted.to_dict()}


async def run(job: JobRun, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Read the pages, then ask the model once. Raises `JobFailed` when none can be read."""
    urls, wanted = arguments["urls"], Wanted.from_dict(arguments["wanted"])
    done = await job.step("read", partial(read, job, urls, PAGES))
    await job.report("write", len(urls), len(urls), len(done["documents"]))
    if not done["documents"]:
        raise JobFailed(
            msg("none of the pages could be read: {done}", done=done["failures"][0]["error"])
        )
    pages = [(d["page"]["title"], d["page"]["url"], d["markdown"]) for d in done["documents"]]
    data = await job.step("ask", partial(take_values, job.client, pages, wanted))
    sources = [d["page"]["url"] for d in done["documents"]]
    return {"data": data, "sources": sources, "failures": done["failures"]}
