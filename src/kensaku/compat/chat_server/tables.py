"""The tables in which an agent's tools are registered, as they are in a database.

    columns that are there → one name for each of their meanings → Tables

Three forms of them are known. A row of `agent_tools` names its tool, with its type; or it names
its tool by `tool_id`, and `tools` has the type. The type is text or an enum. Our own tables
(`models.py`) are of the first form, with a foreign key to `tools`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Enum, MetaData, Table, inspect
from sqlalchemy.exc import SAWarning

from kensaku.compat.chat_server.models import Base
from kensaku.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["OWN", "Tables", "describe", "read_tables"]

NAMES = ("agent_configurations", "agent_tools", "tools")
# A column of `agent_tools` → what it is called here.
MEANINGS = {
    "tool_name": "name",
    "tool_type": "type",
    "tool_config": "config",
    "config_override": "config",
}
WANTED = "tool_id, or tool_name with type or tool_type"


@dataclass(frozen=True)
class Tables:
    """The three tables. Columns have the names of this module (`links.c.type`)."""

    agents: Table
    links: Table
    tools: Table | None  # that `links` refers to

    @property
    def by_id(self) -> bool:
        """Whether a row of `links` names its tool by the id."""
        return "tool_id" in self.links.c

    @property
    def typed(self) -> Table:
        """The table that has the type of a tool."""
        return self.tools if self.by_id and self.tools is not None else self.links

    @property
    def enum(self) -> Enum | None:
        """The enum of the types; None when they are text."""
        kind = self.typed.c.type.type
        return kind if isinstance(kind, Enum) else None


def read_tables(connection: Connection) -> Tables | None:
    """Return the tables that are there; None when there are none of them.

    Raises `ConfigError` when their form is not known.
    """
    inspector = inspect(connection)
    there = [name for name in NAMES if inspector.has_table(name)]
    if not there or there == ["tools"]:  # a table of that name alone is somebody else's
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # a type that SQLAlchemy does not know
        columns = {name: inspector.get_columns(name) for name in there}
    if missing := [name for name in NAMES[:2] if name not in there]:
        raise _unknown(f"there is {' and '.join(there)}, but no {' and no '.join(missing)}")
    refers = any(
        key["referred_table"] == "tools" for key in inspector.get_foreign_keys("agent_tools")
    )
    return describe(columns, refers=refers)


def describe(columns: Mapping[str, Iterable[Any]], *, refers: bool) -> Tables:
    """Give each column its meaning. `refers`: `agent_tools` has a foreign key to `tools`."""
    found = {name: list(there) for name, there in columns.items()}
    agents = _table("agent_configurations", found["agent_configurations"], {})
    links = _table("agent_tools", found["agent_tools"], MEANINGS)
    _require(agents, "id", "agent_name")
    _require(links, "agent_id")
    if "tool_id" in links.c and "tool_name" in {c.name for c in links.c}:
        raise _unknown("agent_tools has tool_id and tool_name: it is ambiguous which one counts")
    if "tool_id" not in links.c and not {"name", "type"} <= set(links.c.keys()):
        raise _unknown(f"agent_tools has the columns {_list(links)}; it needs {WANTED}")
    tools = None
    if "tool_id" in links.c or refers:
        if "tools" not in found:
            raise _unknown("agent_tools has tool_id, but there is no table tools")
        tools = _table("tools", found["tools"], {})
        _require(tools, "id", "name", "type")
    return Tables(agents, links, tools)


def _table(name: str, columns: Iterable[Any], meanings: Mapping[str, str]) -> Table:
    table = Table(name, MetaData())
    for found in columns:
        key = meanings.get(found["name"], found["name"])
        if key in table.c:
            both = f"{table.c[key].name} and {found['name']}"
            raise _unknown(f"{name} has {both}: it is ambiguous which one counts")
        # The database fills it in: by a default, a sequence, an expression, or with nothing.
        filled = found.get("nullable", True) or any(
            found.get(by) is not None for by in ("default", "identity", "computed")
        )
        table.append_column(
            Column(found["name"], found["type"], key=key, info={"required": not filled})
        )
    return table


def _require(table: Table, *names: str) -> None:
    if missing := [name for name in names if name not in table.c]:
        raise _unknown(
            f"{table.name} has the columns {_list(table)}; it needs {', '.join(missing)}, too"
        )


def _list(table: Table) -> str:
    return ", ".join(column.name for column in table.c)


def _unknown(fault: str) -> ConfigError:
    return ConfigError(
        f"the tables of this database are of no known form: {fault}",
        remedy="nothing was changed; see kensaku.compat.chat_server.tables for the known forms",
    )


def _own() -> Tables:
    columns = {
        name: [{"name": c.name, "type": c.type} for c in table.columns]
        for name, table in Base.metadata.tables.items()
    }
    return describe(columns, refers=True)


OWN = _own()
