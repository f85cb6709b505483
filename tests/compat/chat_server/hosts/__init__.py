"""The tables of the document's own application, as its migrations have left them over time.

Columns, types, defaults, constraints, indexes, triggers, row-level security and rights are those
of github.com/tim-o-private/llm-agent, `supabase/migrations/` (read in November 2026). The
statements are written here.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent
# by_name_text    20240701_agent_tools: `tool_type` is text
# by_name_enum    the document's §3: `type` is the enum
# by_name_enum_bare  no more than the columns that the document's §3 names
# by_name_short   what 20250129000000_normalize_tool_schema found: `name`, `type`, `config`
# link_enum       20250604204909_remote_schema: `tool_id`, `tools.type` is the enum
# link_varchar    20260223000002_register_memory_tools: VARCHAR(100), the enum is dropped
# link_text       20260427000001_tool_extensibility: TEXT, `approval_tier` and `status`
BY_NAME = ("by_name_text", "by_name_enum", "by_name_enum_bare", "by_name_short")
LINKED = ("link_enum", "link_varchar", "link_text")
SHAPES = BY_NAME + LINKED

_STEPS = {
    "by_name_text": ("agents", "by_name_text"),
    "by_name_enum": ("agents", "by_name_enum"),
    "by_name_enum_bare": ("agents", "by_name_enum_bare"),
    "by_name_short": ("agents", "by_name_short"),
    "link_enum": ("agents", "link_enum"),
    "link_varchar": ("agents", "link_enum", "link_varchar"),
    "link_text": ("agents", "link_enum", "link_varchar", "link_text"),
}


def statements(shape: str) -> str:
    """Return the SQL that makes the tables, with agents and tools in them."""
    return "\n".join((_FOLDER / f"{step}.sql").read_text() for step in _STEPS[shape])
