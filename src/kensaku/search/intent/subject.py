"""What of a query is looked for: without the words that only say where to look. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from kensaku.search.intent.model import MAX_CHARS, Intent
from kensaku.search.intent.shapes import IDENTIFIED

# Words that say where to look, and are not looked for.
_PLACES = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?:on |from )?(?:github|gitlab|arxiv|pubmed|stack ?overflow)"
    r"|repos?|repository|repositories|source code|code snippets?|papers?|preprints?|publications?"
    r"|(?:research|survey|academic|scientific|recent|peer[ -]reviewed) (?:papers?|articles?)"
    r"|(?:find|show|give) me|please|looking for|search for|pdf)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_PLACES_JA = re.compile(
    "(?:に関する|についての|の)?(?:最新の?|査読付き)?(?:研究論文|学術論文|サーベイ論文|論文|プレプリント)"
    "|(?:の)?(?:GitHub\\s?の?)?(?:リポジトリ|レポジトリ)|の?(?:ソースコード|サンプルコード)|GitHub|arXiv"
    "|を?(?:教えて|探して|探す|検索)|の?(?:解決方法|対処法|解決策|原因と対策|原因)"
    "|と(?:出る|表示される)|が(?:発生する|出る)",
    re.IGNORECASE,
)
_LOOSE_ENDS = re.compile(
    r"^(?:of|for|on|about|in|by|an?|the|で|の|を|が)\s+"
    r"|\s+(?:of|for|on|about|in|by|an?|the|の|を|が|と)$|の$",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def subject(query: str, intent: Intent) -> str:
    """The query without the words that say where to look: upstreams would look for them, too."""
    if len(query) > MAX_CHARS or IDENTIFIED.search(query):
        return query
    if intent not in ("papers", "code", "errors"):
        return query
    bare = " ".join(_PLACES_JA.sub(" ", _PLACES.sub(" ", query)).split())
    while (shorter := _LOOSE_ENDS.sub("", bare)) != bare:
        bare = shorter
    return bare if any(c.isalnum() for c in bare) else query
