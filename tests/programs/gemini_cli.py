"""gemini-cli: Kensaku over MCP, in place of Google's search."""

from __future__ import annotations

import json

from tests.programs.node import run
from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "gemini-cli",
    title="gemini-cli",
    package="@google/gemini-cli",
    way="`settings.json`: `mcpServers` with the `httpUrl` `…/mcp`, and `google_web_search` in "
    "`tools.exclude`",
    by="npm",
)


@PROGRAM.check("MCP")
def mcp(place: Place) -> None:
    header = {"Authorization": f"Bearer {place.key}"}
    server = {"httpUrl": f"{place.url}/mcp", "headers": header, "trust": True}
    settings = {
        "mcpServers": {"kensaku": server},
        "tools": {"exclude": ["google_web_search"]},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    folder = place.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(settings))
    env = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": place.model_url}
    said = run(
        place, "gemini", "--skip-trust", "-m", "gemini-2.5-flash",
        "-p", "When was Python 3.14 released? Search the web.", env=env,
    )  # fmt: skip
    assert FACT in said
    assert f"{place.site}/pep-0745" in said
