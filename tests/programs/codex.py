"""Codex: its own web search by the gateway, and Kensaku over MCP."""

from __future__ import annotations

import json
from typing import Any

from tests.programs.node import run
from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "codex",
    title="Codex",
    package="@openai/codex",
    way='a `model_providers` entry with `base_url = "…/v1"` and `web_search = "live"`; '
    'an `mcp_servers` entry with `url = "…/mcp"`',
    by="npm",
    gateway=True,
)
CONFIG = """
model = "{model}"
model_provider = "kensaku"
web_search = "{web_search}"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.kensaku]
name = "Kensaku"
base_url = "{url}/v1"
env_key = "KENSAKU_API_KEY"
wire_api = "responses"
"""
MCP = """
[mcp_servers.kensaku]
url = "{url}/mcp"
bearer_token_env_var = "KENSAKU_API_KEY"
required = true
"""
ASKED = "When was Python 3.14 released? Search the web."


def items(place: Place, config: str, *, web_search: str, model: str = "scripted") -> dict[str, Any]:
    """Ask Codex once; return what it shows, the last of each type."""
    file = place.home / ".codex" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(config.format(url=place.url, web_search=web_search, model=model))
    command = ["exec", "--json", "--skip-git-repo-check", ASKED]
    said = run(place, "codex", *command, env={"KENSAKU_API_KEY": place.key})
    events = [json.loads(line) for line in said.splitlines()]
    done = [event["item"] for event in events if event["type"] == "item.completed"]
    return {item["type"]: item for item in done}


@PROGRAM.check("web_search")
def native(place: Place) -> None:
    place.model.script({"when": FACT, "says": f"The schedule says {FACT} [1]."})
    shown = items(place, CONFIG, web_search="live")
    assert shown["web_search"]["query"] == QUERY
    assert FACT in shown["agent_message"]["text"]
    assert f"{place.site}/pep-0745" in shown["agent_message"]["text"]


@PROGRAM.check("MCP")
def mcp(place: Place) -> None:
    check_called(place, items(place, CONFIG + MCP, web_search="disabled"))


@PROGRAM.check("MCP with a model that it knows")
def known(place: Place) -> None:
    """Such a model looks for tools by `tool_search`, which Codex runs."""
    place.model.script(
        {"when": "can be called now", "calls": [["mcp__kensaku__web_search", {"query": QUERY}]],
         "times": 1},
        {"calls": [["tool_search", {"query": "web search"}]], "times": 1},
    )  # fmt: skip
    check_called(place, items(place, CONFIG + MCP, web_search="disabled", model="gpt-5.5"))


def check_called(place: Place, shown: dict[str, Any]) -> None:
    called = shown["mcp_tool_call"]
    assert (called["server"], called["tool"], called["status"]) == (
        "kensaku", "web_search", "completed",
    )  # fmt: skip
    assert FACT in shown["agent_message"]["text"]
    assert f"{place.site}/pep-0745" in shown["agent_message"]["text"]
