"""Arguments that several tools take."""

from __future__ import annotations

from kensaku.tools.base import Param

QUERY = Param(
    "query",
    "string",
    {"en": "What to search for, in a few words.", "ja": "検索クエリ"},
    required=True,
    minimum=1,
    maximum=2_000,
)
URL = Param(
    "url",
    "string",
    {"en": "Where to start, as in https://docs.python.org/3/.", "ja": "開始する URL"},
    required=True,
    minimum=1,
    maximum=2_000,
)
INSTRUCTIONS = Param(
    "instructions",
    "string",
    {"en": "What the pages should be about, in a few words.", "ja": "探す内容"},
    maximum=400,
)
DEPTH = Param(
    "max_depth",
    "integer",
    {"en": "How many links away from the start.", "ja": "開始ページからの深さ"},
    default=1,
    minimum=1,
    maximum=5,
)


def page_limit(default: int, maximum: int) -> Param:
    """How many pages a crawl or a map may read."""
    about = {"en": "How many pages at most.", "ja": "ページ数の上限"}
    return Param("limit", "integer", about, default=default, minimum=1, maximum=maximum)
