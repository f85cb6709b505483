"""Arguments that several tools take."""

from __future__ import annotations

from kensaku.messages import msg
from kensaku.tools.base import Param

QUERY = Param(
    "query",
    "string",
    msg("What to search for, in a few words."),
    required=True,
    minimum=1,
    maximum=2_000,
)
URL = Param(
    "url",
    "string",
    msg("Where to start, as in https://docs.python.org/3/."),
    required=True,
    minimum=1,
    maximum=2_000,
)
INSTRUCTIONS = Param(
    "instructions",
    "string",
    msg("What the pages should be about, in a few words."),
    maximum=400,
)
DEPTH = Param(
    "max_depth",
    "integer",
    msg("How many links away from the start."),
    default=1,
    minimum=1,
    maximum=5,
)


def page_limit(default: int, maximum: int) -> Param:
    """How many pages a crawl or a map may read."""
    about = msg("How many pages at most.")
    return Param("limit", "integer", about, default=default, minimum=1, maximum=maximum)
