"""OpenAI's client for Node.js: the assistant, and native web search by the gateway."""

from __future__ import annotations

from typing import Any

from tests.programs.node import script
from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "openai-node",
    title="OpenAI's client for Node.js",
    package="openai",
    way='`new OpenAI({baseURL: "…/v1", apiKey: KEY})`',
    by="npm",
    scripts=True,  # Node.js itself comes by one
    gateway=True,
)
CITED = {"when": FACT, "says": f"The schedule says {FACT} [1]."}


def asked(place: Place, way: str) -> Any:
    return script(place, "openai-node/check.mjs", way, place.url, place.key)


@PROGRAM.check("the assistant")
def assistant(place: Place) -> None:
    place.model.script({"says": f"{FACT} [1]."})
    for said in asked(place, "assistant").values():
        assert FACT in said["text"], said
        assert f"{place.site}/pep-0745" in said["text"], said


@PROGRAM.check("chat with web_search_options")
def chat(place: Place) -> None:
    place.model.script(CITED)
    said = asked(place, "chat")
    assert said["whole"]["sources"] == [f"{place.site}/pep-0745"]
    for how in ("whole", "streamed"):
        assert FACT in said[how]["text"], said
        assert f"{place.site}/pep-0745" in said[how]["text"], said


@PROGRAM.check("responses with web_search")
def responses(place: Place) -> None:
    place.model.script({"when": "What did I ask?", "says": "About Python."}, CITED)
    said = asked(place, "responses")
    for how in ("whole", "streamed"):
        assert said[how]["kinds"] == ["web_search_call", "message"]
        assert said[how]["sources"] == [f"{place.site}/pep-0745"]
        assert FACT in said[how]["text"], said
    assert "response.web_search_call.searching" in said["events"]
    assert said["next"] == "About Python."


@PROGRAM.check("objects")
def objects(place: Place) -> None:
    place.model.script({"when": "json_schema", "says": '{"date": "2025-10-07"}'})
    said = asked(place, "objects")
    assert said == {"chat": {"date": "2025-10-07"}, "responses": {"date": "2025-10-07"}}


@PROGRAM.check("models")
def models(place: Place) -> None:
    said = asked(place, "models")
    assert "kensaku" in said["listed"]
    assert said["one"] == "kensaku"
