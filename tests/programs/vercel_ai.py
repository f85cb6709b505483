"""Vercel's `ai`: its providers for OpenAI, Anthropic and compatible servers, and its MCP client."""

from __future__ import annotations

from typing import Any

from tests.programs.node import script
from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "vercel-ai",
    title="Vercel's `ai`",
    package="ai",
    way='`createOpenAI({baseURL: "…/v1"})`, and so for `@ai-sdk/openai-compatible` and '
    "`@ai-sdk/anthropic`; `createMCPClient` with `…/mcp`",
    by="npm",
    scripts=True,  # Node.js itself comes by one
    gateway=True,
)


def asked(place: Place, way: str) -> Any:
    return script(place, "vercel-ai/check.mjs", way, place.url, place.key, place.site)


def check_sources(said: dict[str, Any], place: Place) -> None:
    for how in ("whole", "streamed"):
        assert FACT in said[how]["text"], said[how]
        assert f"{place.site}/pep-0745" in said[how]["sources"], said[how]


@PROGRAM.check("chat")
def chat(place: Place) -> None:
    """The assistant, whose sources are links in the text."""
    place.model.script({"says": f"{FACT} [1]."})
    for way in ("chat", "compatible"):
        for said in asked(place, way).values():
            assert FACT in said["text"], said
            assert f"{place.site}/pep-0745" in said["text"], said


@PROGRAM.check("responses with webSearch")
def responses(place: Place) -> None:
    place.model.script({"when": FACT, "says": f"The schedule says {FACT} [1]."})
    said = asked(place, "responses")
    check_sources(said, place)
    assert said["whole"]["calls"] == said["streamed"]["calls"] == ["web_search"]


@PROGRAM.check("messages with webSearch")
def messages(place: Place) -> None:
    place.model.script({"when": FACT, "says": f"The schedule says {FACT} [1]."})
    said = asked(place, "messages")
    check_sources(said, place)
    assert said["whole"]["calls"] == said["streamed"]["calls"] == ["web_search"]


@PROGRAM.check("messages with webFetch")
def fetch(place: Place) -> None:
    place.model.script(
        {"when": FACT, "says": f"The page says {FACT} [1]."},
        {"calls": [["web_fetch", {"url": f"{place.site}/pep-0745"}]]},
    )
    for said in asked(place, "fetch").values():
        assert FACT in said["text"], said
        assert said["calls"] == ["web_fetch"]


@PROGRAM.check("objects")
def objects(place: Place) -> None:
    """A schema reaches the model; what it writes is read as an object."""
    place.model.script({"when": "json_schema", "says": '{"date": "2025-10-07"}'})
    said = asked(place, "objects")
    assert set(said) == {"chat", "responses", "compatible"}
    assert all(value == {"date": "2025-10-07"} for value in said.values())


@PROGRAM.check("MCP")
def mcp(place: Place) -> None:
    for said in asked(place, "mcp").values():
        assert FACT in said["text"], said
        assert said["calls"] == ["web_search"]
