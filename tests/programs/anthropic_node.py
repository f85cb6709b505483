"""Anthropic's client for Node.js: its server tools, on a model that knows none."""

from __future__ import annotations

from typing import Any

from tests.programs.node import script
from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "anthropic-node",
    title="Anthropic's client for Node.js",
    package="@anthropic-ai/sdk",
    way='`new Anthropic({baseURL: "…", apiKey: KEY})`',
    by="npm",
    scripts=True,  # Node.js itself comes by one
    gateway=True,
)


def asked(place: Place, way: str) -> Any:
    return script(place, "anthropic-node/check.mjs", place.url, place.key, place.site, way)


@PROGRAM.check("messages with web_search")
def search(place: Place) -> None:
    """Whole, as a stream, and with what was found sent back in the next turn."""
    place.model.script(
        {"when": "What did I ask?", "says": f"About this: {FACT} [1]."},
        {"when": FACT, "says": f"The schedule says {FACT} [1]."},
    )
    said = asked(place, "search")
    for how in ("whole", "streamed"):
        assert said[how]["kinds"][:3] == ["server_tool_use", "web_search_tool_result", "text"]
        assert said[how]["used"]["web_search_requests"] == 1
    for how in ("whole", "streamed", "next"):
        assert FACT in said[how]["text"], said[how]
        assert said[how]["sources"] == [f"{place.site}/pep-0745"], said[how]
        assert said[how]["stop"] == "end_turn"


@PROGRAM.check("messages with web_fetch")
def fetch(place: Place) -> None:
    place.model.script(
        {"when": FACT, "says": f"The page says {FACT} [1]."},
        {"calls": [["web_fetch", {"url": f"{place.site}/pep-0745"}]]},
    )
    said = asked(place, "fetch")["whole"]
    assert said["kinds"][:3] == ["server_tool_use", "web_fetch_tool_result", "text"]
    assert FACT in said["text"]
    assert said["sources"]


@PROGRAM.check("count_tokens")
def count(place: Place) -> None:
    assert asked(place, "count")["input_tokens"] > 5
