"""opencode: Kensaku over MCP, and as the provider of its models."""

from __future__ import annotations

import json

from tests.programs.node import run
from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "opencode",
    title="opencode",
    package="opencode-ai",
    way="`opencode.json`: `mcp` with the type `remote` and the URL `…/mcp`; a provider by "
    "`@ai-sdk/openai-compatible` with the base URL `…/v1`",
    by="npm",
    scripts=True,  # one puts the program of this machine in its place
    gateway=True,
)
# Its catalogue of models, its plugins and its updates come from the internet.
OFFLINE = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}
ASKED = "When was Python 3.14 released? Search the web."


def opencode(place: Place, model: str, *, with_mcp: bool) -> str:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Kensaku",
        "options": {"baseURL": f"{place.url}/v1", "apiKey": "{env:KENSAKU_API_KEY}"},
        "models": {"scripted": {}, "kensaku": {}},
    }
    server = {
        "type": "remote",
        "url": f"{place.url}/mcp",
        "headers": {"Authorization": "Bearer {env:KENSAKU_API_KEY}"},
        "oauth": False,
        "enabled": with_mcp,
    }
    config = {
        "autoupdate": False, "share": "disabled",
        "model": f"kensaku/{model}", "small_model": f"kensaku/{model}",
        "provider": {"kensaku": provider}, "mcp": {"kensaku": server},
    }  # fmt: skip
    (place.home / "opencode.json").write_text(json.dumps(config))
    return run(place, "opencode", "run", ASKED, env=OFFLINE | {"KENSAKU_API_KEY": place.key})


@PROGRAM.check("MCP")
def mcp(place: Place) -> None:
    said = opencode(place, "scripted", with_mcp=True)
    assert FACT in said
    assert f"{place.site}/pep-0745" in said


@PROGRAM.check("the assistant as a model")
def assistant(place: Place) -> None:
    place.model.script({"says": f"{FACT} [1]."})
    said = opencode(place, "kensaku", with_mcp=False)
    assert "2025-10-07" in said
    assert f"{place.site}/pep-0745" in said
