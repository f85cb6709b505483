"""What a tool meets, the same in every framework: results, nothing, nobody, nonsense, a crash."""

from __future__ import annotations

from typing import Any

from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults
from kensaku.tools import BaseTool, ToolResult, WebSearchTool
from kensaku.tools._params import QUERY

SECRET = "tvly-never-to-be-shown"
OTTER = Hit(
    url="https://otter.example/",
    title="Sea otters",
    content="Otters sleep holding hands.",
    score=0.91,
)

# scene → (how the model behaves, what it must be shown)
SCENES = {
    "found": ("ok", "Otters sleep holding hands."),
    "empty": ("ok", "outcome: empty"),
    "unavailable": ("ok", "outcome: unavailable"),
    "bad input": ("badargs", "max_results is 999; it must be 1 to 20"),
    "crash": ("ok", "web_search failed (RuntimeError)"),
}


class Crashing(BaseTool):
    """A tool with a bug whose message must not reach a model."""

    name = "web_search"
    about = {"en": "Search the web."}
    params = (QUERY,)

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        raise RuntimeError(f"cannot use the key {SECRET}")


def staged(scene: str, upstream: FakeUpstream, make_client: Any) -> BaseTool:
    """The tool, with an upstream that behaves as the scene wants."""
    if scene == "crash":
        return Crashing()
    upstream.answers("tavily", [] if scene == "empty" else [OTTER])
    if scene == "unavailable":
        upstream.fails("tavily", faults.status(401))
    return WebSearchTool(make_client("tavily"))
