"""Exa without a key, by its MCP server. With a key, `exa` is its API."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from kensaku.providers._mcp import McpProvider, tool_text
from kensaku.providers._rows import MAX_ROWS

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

NOTHING = "No search results found"
# The results are one text. A page can write the same words into its highlights: then a result more
# is listed, under the page's own words.
RESULT = re.compile(
    r"^Title: (?P<title>.*)\nURL: (?P<url>.*)\n(?:Published: (?P<published>.*)\n?)?"
    r"(?:Author: (?P<author>.*)\n?)?(?P<rest>(?:.*\n?)*?)(?=^---\n\nTitle: |\Z)",
    re.MULTILINE,
)
LABEL = re.compile(r"\A(?:Highlights:\n|Text: )")


class ExaMcp(McpProvider):
    name = "exa_mcp"
    label = "Exa (MCP)"
    docs = "https://github.com/exa-labs/exa-mcp-server"
    known_by = "sdk"
    known_source = "exa-labs/exa-mcp-server/src/tools/webSearch.ts, 2026-08-20"
    url = "https://mcp.exa.ai"
    keyless = True
    pooled = True
    max_results = 25
    family = "exa"
    markup = False
    keyless_rate = "50/d"  # the server's default for one address; 2 a second, too

    tool = "web_search_exa"

    def arguments(self, query: Query) -> dict[str, Any]:
        # A newer schema demands `objective` beside the query.
        count = min(query.limit, self.max_results)
        return {"query": query.text, "objective": query.text, "numResults": count}

    def hits(self, body: Any) -> list[Hit]:
        text = tool_text(body)
        found = list(islice(RESULT.finditer(text), MAX_ROWS))
        if not found and not text.startswith(NOTHING):
            raise ValueError("not a list of results")
        return [
            self.hit(
                r["url"],
                _known(r["title"]),
                LABEL.sub("", r["rest"].strip()),
                published=_known(r["published"]),
                author=_known(r["author"]),
            )
            for r in found
        ]


def _known(value: str | None) -> str:
    return "" if value is None or value.strip() == "N/A" else value.strip()
