"""The rungs: other ways to a page that is behind a check for robots, or gone.

    site     the site's own feed or API, one file for each site
    reader   a service that reads pages, which the person names
    archive  the Wayback Machine

A new site is a file here, and a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from kensaku.errors import ConfigError, UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.fetch.rungs.base import Service

SITES = {
    "arxiv": "Arxiv",
    "github": "GitHub",
    "github_issues": "GitHubIssues",
    "hackernews": "HackerNews",
    "reddit": "Reddit",
    "stackexchange": "StackExchange",
    "wikipedia": "Wikipedia",
}


def load_services(
    rungs: Sequence[str],
    *,
    urls: Mapping[str, str] | None = None,
    reader_url: str = "",
    reader_key: Callable[[], str] | None = None,
) -> list[Service]:
    """Make the services of these rungs, in this order. `urls` are other base URLs by name."""
    urls = urls or {}
    for name in urls:
        if name not in (*SITES, "archive"):
            raise UnknownName(msg("service"), name, [*SITES, "archive"])
    services: list[Service] = []
    for rung in rungs:
        if rung == "site":
            modules = ((import_module(f"{__name__}.{n}"), n, c) for n, c in SITES.items())
            services += [getattr(module, kind)(urls.get(n, "")) for module, n, kind in modules]
        elif rung == "archive":
            from kensaku.fetch.rungs.archive import Archive

            services.append(Archive(urls.get("archive", "")))
        else:
            from kensaku.fetch.rungs.reader import Reader

            if not reader_url:
                raise ConfigError(
                    msg("fetch.rungs has reader, and fetch.reader_url is not set"),
                    remedy=msg("set it, as https://r.jina.ai"),
                )
            services.append(Reader(reader_url, reader_key))
    return services
