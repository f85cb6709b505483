"""The rows that give an agent a tool, as SQL that a database runs or a file holds.

    tools: update the row that differs, insert a missing one → agent_tools: the same, or a link

Running the statements again changes nothing. A row that is marked as deleted is not a link; a
link that somebody has switched off stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Executable,
    FromClause,
    Select,
    Table,
    and_,
    delete,
    exists,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    update,
)

from kensaku.compat.chat_server.dialect import DESCRIPTION, NAME
from kensaku.compat.chat_server.tables import Tables
from kensaku.errors import ConfigError

__all__ = ["SEARCH_WEB", "ToolRow", "agent_links", "live", "registration", "removal"]


@dataclass(frozen=True)
class ToolRow:
    """What is registered."""

    name: str
    kind: str
    description: str
    tier: str = "auto"


SEARCH_WEB = ToolRow(NAME, "SearchWebTool", DESCRIPTION)


def registration(tables: Tables, agent: str, tool: ToolRow) -> list[Executable]:
    """Return the statements that give the agent its tool."""
    statements: list[Executable] = []
    if tables.tools is not None:
        statements += _in_tools(tables.tools, tool)
    return statements + (_by_id if tables.by_id else _by_name)(tables, agent, tool)


def removal(tables: Tables, tool: ToolRow) -> list[Executable]:
    """Return the statements that delete the tool's rows, of all agents."""
    links, tools = tables.links, tables.tools
    if tools is None:
        return [delete(links).where(links.c.name == _text(tool.name))]
    same = tools.c.name == _text(tool.name)
    linked = (
        links.c.tool_id.in_(select(tools.c.id).where(same))
        if tables.by_id
        else links.c.name == _text(tool.name)
    )
    return [delete(links).where(linked), delete(tools).where(same)]


def agent_links(tables: Tables, agent: str) -> Select[Any]:
    """Select from the links of an agent that are live, joined with their tools."""
    agents, links, tools = tables.agents, tables.links, tables.tools
    source = links.join(agents, agents.c.id == links.c.agent_id)
    if tables.by_id and tools is not None:
        source = source.join(tools, tools.c.id == links.c.tool_id)
    return select().select_from(source).where(agents.c.agent_name == agent, live(links))


def live(table: FromClause) -> ColumnElement[bool]:
    """Return the condition that a row is not marked as deleted."""
    return table.c.is_deleted == false() if "is_deleted" in table.c else true()


def _in_tools(tools: Table, tool: ToolRow) -> list[Executable]:
    same = tools.c.name == _text(tool.name)
    values = {**_values(tool), "is_deleted": false()}
    new = {"name": _text(tool.name), "config": _text("{}"), **values}
    # The name is unique, so a row that is marked as deleted is used again.
    statements = [
        _update(tools, same, values),
        _insert(tools, new, select(), ~exists().where(same)),
    ]
    if "approval_tier" in tools.c:
        unset = tools.c.approval_tier.is_(None)
        statements.append(update(tools).where(same, unset).values(approval_tier=_text(tool.tier)))
    return statements


def _by_id(tables: Tables, agent: str, tool: ToolRow) -> list[Executable]:
    agents, links, tools = tables.agents, tables.links, tables.tools
    assert tools is not None
    linked = links.alias()
    new = {
        "agent_id": agents.c.id,
        "tool_id": tools.c.id,
        "config": _text("{}"),
        "is_active": true(),
        "is_deleted": false(),
    }
    theirs = and_(linked.c.agent_id == agents.c.id, linked.c.tool_id == tools.c.id, live(linked))
    chosen = agents.join(tools, tools.c.name == _text(tool.name))
    source = select().select_from(chosen).where(agents.c.agent_name == agent)
    return [_insert(links, {**new, **_order(tables)}, source, ~exists().where(theirs))]


def _by_name(tables: Tables, agent: str, tool: ToolRow) -> list[Executable]:
    agents, links = tables.agents, tables.links
    linked = links.alias()
    new = {
        "agent_id": agents.c.id,
        "name": _text(tool.name),
        "config": _text("{}"),
        "is_deleted": false(),
        **_values(tool),
        **_order(tables),
    }
    chosen = agents.c.agent_name == agent
    same = and_(
        links.c.agent_id == select(agents.c.id).where(chosen).scalar_subquery(),
        links.c.name == _text(tool.name),
        live(links),
    )
    theirs = and_(linked.c.agent_id == agents.c.id, linked.c.name == _text(tool.name), live(linked))
    return [
        _update(links, same, _values(tool)),
        _insert(links, new, select().where(chosen), ~exists().where(theirs)),
    ]


def _values(tool: ToolRow) -> dict[str, ColumnElement[Any]]:
    return {
        "type": _text(tool.kind),
        "description": _text(tool.description),
        "is_active": true(),
    }


def _order(tables: Tables) -> dict[str, ColumnElement[Any]]:
    if "order" not in tables.links.c:
        return {}
    others = tables.links.alias()
    last = select(func.coalesce(func.max(others.c.order), 0) + 1).where(
        others.c.agent_id == tables.agents.c.id
    )
    return {"order": last.scalar_subquery()}


def _update(table: Table, same: ColumnElement[bool], values: Mapping[str, Any]) -> Executable:
    """Update the row only if it differs, so that `updated_at` tells when it last did."""
    values = {name: value for name, value in values.items() if name in table.c}
    differs = or_(*(table.c[name].is_distinct_from(value) for name, value in values.items()))
    touched = {"updated_at": func.now()} if "updated_at" in table.c else {}
    return update(table).where(same, differs).values({**values, **touched})


def _insert(
    table: Table, values: Mapping[str, Any], source: Select[Any], missing: ColumnElement[bool]
) -> Executable:
    values = {name: value for name, value in values.items() if name in table.c}
    unknown = [c.name for c in table.c if c.info["required"] and c.key not in values]
    if unknown:
        raise ConfigError(
            f"{table.name} needs a value for {', '.join(unknown)}, and has no default for it",
            remedy="nothing was changed; give the column a default, and try again",
        )
    new = source.add_columns(*(value.label(name) for name, value in values.items())).where(missing)
    return insert(table).from_select(list(values), new, include_defaults=False)


def _text(value: str) -> ColumnElement[str]:
    # Part of the statement and no parameter: PostgreSQL then takes it for whatever type the column
    # has, an enum or jsonb.
    return literal(value, literal_execute=True)
