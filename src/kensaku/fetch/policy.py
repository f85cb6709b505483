"""How the fetcher behaves towards sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kensaku.errors import ConfigError
from kensaku.messages import msg

Robots = Literal["always", "crawl", "never"]
Optouts = Literal["note", "refuse", "ignore"]
MAX_DELAY = 30.0


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """How the fetcher behaves towards sites."""

    robots: Robots = "always"  # obey robots.txt: for every page, only when crawling, or never
    optouts: Optouts = "note"  # `noai` and the like: note them, refuse the page, or ignore them
    at_once: int = 2  # requests to one host at a time
    max_delay: float = MAX_DELAY  # a longer Crawl-delay is cut to this

    def __post_init__(self) -> None:
        if self.robots not in ("always", "crawl", "never"):
            raise ConfigError(
                msg(
                    "fetch.robots is {robots!r}; expected always, crawl or never",
                    robots=self.robots,
                )
            )
        if self.optouts not in ("note", "refuse", "ignore"):
            raise ConfigError(
                msg(
                    "fetch.optouts is {optouts!r}; expected note, refuse, ignore",
                    optouts=self.optouts,
                )
            )
