"""The rows that give an agent a tool. Adding them again changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, insert, literal, select

from kensaku.compat.chat_server.models import Base

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Core tables, not the mapped classes: the database gives the ids, a host's may be of any type.
AGENTS, TOOLS, LINKS = (
    Base.metadata.tables[name] for name in ("agent_configurations", "tools", "agent_tools")
)


def add_tool(connection: Connection, name: str, kind: str) -> None:
    """Add the tool's row to `tools`."""
    new = select(literal(name), literal(kind, TOOLS.c.type.type)).where(
        ~exists().where(TOOLS.c.name == name)
    )
    connection.execute(insert(TOOLS).from_select(["name", "type"], new, include_defaults=False))


def link(connection: Connection, agent: str, name: str, kind: str) -> None:
    """Append the agent's row to `agent_tools`; nothing happens without such an agent."""
    theirs = LINKS.alias("theirs")
    last = (
        select(func.coalesce(func.max(theirs.c.order), 0) + 1)
        .where(theirs.c.agent_id == AGENTS.c.id)
        .scalar_subquery()
    )
    new = select(
        AGENTS.c.id,
        literal(name),
        literal(kind, LINKS.c.type.type),
        literal({}, LINKS.c.tool_config.type),
        literal(True),
        last,
    ).where(
        AGENTS.c.agent_name == agent,
        ~exists().where(theirs.c.agent_id == AGENTS.c.id, theirs.c.tool_name == name),
    )
    columns = ["agent_id", "tool_name", "type", "tool_config", "is_active", "order"]
    connection.execute(insert(LINKS).from_select(columns, new, include_defaults=False))


def remove_tool(connection: Connection, name: str) -> None:
    """Delete the tool's rows, of all agents."""
    connection.execute(delete(LINKS).where(LINKS.c.tool_name == name))
    connection.execute(delete(TOOLS).where(TOOLS.c.name == name))
