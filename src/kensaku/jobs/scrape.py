"""Read a list of pages in the formats that are wanted, a few pages a step.

urls → [read some → documents and failures] × until none is left → all of them
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku.answers.scrape import Wanted, scrape
from kensaku.errors import FetchError, InvalidQuery, KensakuError, NotAllowed
from kensaku.messages import msg
from kensaku.text.short import short_repr

if TYPE_CHECKING:
    from kensaku.jobs.run import JobRun

MAX_URLS = 1_000
MAX_URL = 2_000  # characters
MAX_STORED = 50_000_000  # characters of all documents, as JSON
AT_ONCE = 10  # pages of a step, read side by side
PAGE_SECONDS = 30.0


def check(arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
    """Take `urls`, and `wanted` as `Wanted.to_dict` writes it."""
    wanted = Wanted.from_dict(arguments["wanted"])
    return {"urls": check_urls(arguments["urls"], MAX_URLS), "wanted": wanted.to_dict()}


def check_urls(urls: Any, most: int) -> list[str]:
    """Return a list of one to `most` addresses. Raises `InvalidQuery`."""
    if not isinstance(urls, Sequence) or isinstance(urls, str) or not urls:
        raise InvalidQuery(
            msg("urls are missing"), remedy=msg("give 1 to {most:,} of them", most=most)
        )
    if len(urls) > most:
        raise InvalidQuery(
            msg("there are {count:,} urls; at most {most:,} are taken", count=len(urls), most=most)
        )
    for url in urls:
        if not isinstance(url, str) or not 0 < len(url) <= MAX_URL:
            raise InvalidQuery(
                msg("{short_repr} among the urls is not a web address", short_repr=short_repr(url))
            )
    return list(dict.fromkeys(urls))


async def run(job: JobRun, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Read the pages; one that fails does not stop the others."""
    urls, wanted = arguments["urls"], Wanted.from_dict(arguments["wanted"])
    kept = Documents()
    for start in range(0, len(urls), AT_ONCE):
        some = urls[start : start + AT_ONCE]
        kept.add(await job.step("read", partial(read, job, some, wanted)))
        await job.report("read", min(start + AT_ONCE, len(urls)), len(urls), kept.count)
    return kept.result


async def read(job: JobRun, urls: Sequence[str], wanted: Wanted) -> dict[str, Any]:
    """Read some pages side by side."""
    ends = await asyncio.gather(*(_one(job, url, wanted) for url in urls))
    return {
        "documents": [end for end in ends if "page" in end],
        "failures": [end for end in ends if "page" not in end],
    }


async def _one(job: JobRun, url: str, wanted: Wanted) -> dict[str, Any]:
    try:
        return await scrape(job.client, url, wanted, timeout=PAGE_SECONDS)
    except (FetchError, InvalidQuery) as error:
        return failure(url, error)


def failure(url: str, error: KensakuError) -> dict[str, Any]:
    """Return why a page could not be read, ready for JSON."""
    return {"url": url, "error": str(error), "robots": isinstance(error, NotAllowed)}


class Documents:
    """The documents and failures of a job's steps, as many as a result may hold."""

    def __init__(self) -> None:
        self.result: dict[str, Any] = {"documents": [], "failures": [], "notes": []}
        self._size = 0

    @property
    def count(self) -> int:
        """How many documents there are."""
        return len(self.result["documents"])

    def add(self, step: Mapping[str, Any]) -> None:
        """Add what a step has read."""
        self.result["failures"] += step["failures"]
        for document in step["documents"]:
            self._size += len(json.dumps(document))
            if self._size > MAX_STORED:
                note = f"the documents over {MAX_STORED:,} characters were left out"
                self.result["notes"] = [note]
                return
            self.result["documents"].append(document)
