"""The kinds of jobs: a kind is one module with `check` and `run`, and a row in this table.

    check(arguments) → arguments    raise `UsageError` before anything is stored
    run(job, arguments) → result    asynchronous; whatever must not be repeated is in `job.step`
    run_part(job, part) → result    of a kind that calls `job.run_parts`

What `run` does between steps is repeated after a kill, so it must depend on its arguments and on
the results of its steps alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from kensaku.errors import UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.jobs.run import JobRun

KINDS = {
    "bulk": "kensaku.jobs.bulk",
    "crawl": "kensaku.jobs.crawl",
    "extract": "kensaku.jobs.extract",
    "research": "kensaku.jobs.research",
    "scrape": "kensaku.jobs.scrape",
}


class Kind(Protocol):
    """What a module of a kind has."""

    def check(self, arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
        """Return the arguments as they are stored. `operator`: files may be named."""
        ...

    async def run(self, job: JobRun, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do the work and return a summary."""
        ...


class KindWithParts(Kind, Protocol):
    """What a module of a kind that calls `job.run_parts` has, too."""

    async def run_part(self, job: JobRun, part: Mapping[str, Any]) -> dict[str, Any]:
        """Do one part of the work."""
        ...


def kind_of(name: str) -> Kind:
    """Return the kind of that name. Raises `UnknownName`."""
    if name not in KINDS:
        raise UnknownName(msg("kind of job"), name, KINDS)
    return cast("Kind", import_module(KINDS[name]))
