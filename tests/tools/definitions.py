"""What models and MCP clients are told of each tool: `make golden` writes it.

Read the difference before you commit it: models behave by these words and bounds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kensaku.tools.registry import TOOLS, make_tool

FILE = Path(__file__).with_name("definitions.json")


def describe(name: str) -> dict[str, Any]:
    """Return the definition of a tool in each language."""
    return {language: _in(language, name) for language in ("en", "ja")}


def _in(language: str, name: str) -> dict[str, Any]:
    from kensaku.mcp.tool import wrap

    tool = make_tool(name, language=language)
    definition = wrap(tool, structured=True).definition.model_dump(mode="json", exclude_none=True)
    return definition | {"approval": tool.approval.value, "prompt": tool.prompt_section()}


def write() -> None:
    """Take the definitions of now as right."""
    known = {name: describe(name) for name in TOOLS}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
