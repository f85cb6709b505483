"""Registration of `search_web` in a database: SQLite or PostgreSQL.

    register("postgresql://…") → the tables that are there, or our own → rows → Registration
    load_tools("sqlite:///agents.db", "assistant", user_id="…") → the agent's tools, in order

A chat server's tables get rows, and nothing else. A database without them gets our own tables,
whose migrations are recorded in `kensaku_migrations`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from kensaku.errors import ConfigError, MissingExtra

try:
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import Connection, Enum, func, inspect, select, text
    from sqlalchemy.exc import SQLAlchemyError
except ImportError:
    raise MissingExtra("SQLAlchemy or Alembic", "sql") from None

from kensaku.compat.chat_server.rows import (
    SEARCH_WEB,
    ToolRow,
    agent_links,
    live,
    registration,
    removal,
)
from kensaku.compat.chat_server.tables import Tables, read_tables
from kensaku.database.connection import connect, refusal, transaction

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = [
    "Registration",
    "SQLAlchemyError",
    "alembic_config",
    "downgrade",
    "drift",
    "load_tools",
    "refusal",
    "register",
    "upgrade",
]


@dataclass(frozen=True)
class Registration:
    """A tool of an agent."""

    agent: str
    tool: str
    order: int | None  # among the agent's tools, where the tables have an order
    active: bool = True  # False when somebody has switched the link off


def register(url: str, agent: str = "assistant") -> Registration:
    """Give the agent its `search_web`. Doing it again changes nothing; a failure does neither.

    Raises `ConfigError` when the tables are of no known form, or when there is no such agent.
    """
    with connect(url) as connection:
        with transaction(connection):
            tables = _tables_for_writing(connection)
            _require_agent(connection, tables, agent)
            enum = tables.enum
            if enum is None or SEARCH_WEB.kind in enum.enums:
                return _write(connection, tables, agent, SEARCH_WEB)
            _rehearse(connection, tables, agent, enum)
            _add_label(connection, enum)
        # PostgreSQL lets a new label be used only after the transaction that adds it.
        try:
            with transaction(connection):
                return _write(connection, tables, agent, SEARCH_WEB)
        except SQLAlchemyError as error:
            raise ConfigError(
                f"the database refused the rows: {refusal(error)}",
                remedy=f"the label {SEARCH_WEB.kind!r} of {enum.name} stays, since PostgreSQL "
                "cannot take it away; nothing else was changed",
            ) from error


def upgrade(url: str, revision: str = "head") -> None:
    """Run the migrations of our own tables up to a revision."""
    with connect(url) as connection, transaction(connection):
        if not _are_ours(connection):
            raise ConfigError(
                "the tables of this database are the application's own, and are not migrated",
                remedy="use register, which adds rows to them",
            )
        command.upgrade(alembic_config(connection), revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Undo the migrations down to a revision. From a chat server's tables, delete our rows."""
    with connect(url) as connection, transaction(connection):
        if _are_ours(connection):
            command.downgrade(alembic_config(connection), revision)
            return
        for statement in removal(_tables(connection), SEARCH_WEB):
            connection.execute(statement)


def load_tools(url: str, agent: str, user_id: str, **options: Any) -> list[BaseTool]:
    """Construct the active tools of an agent, in their order, for a user.

    Raises `ConfigError` for a row whose type has no class.
    """
    from kensaku.compat.chat_server.registry import TOOL_REGISTRY  # LangChain: the rest needs none

    with connect(url, write=False) as connection:
        rows = _tool_rows(connection, _tables(connection), agent)
    if unknown := [kind for kind, _ in rows if kind not in TOOL_REGISTRY]:
        raise ConfigError(
            f"{agent} has a tool of the type {unknown[0]!r}, which TOOL_REGISTRY does not know"
        )
    return [
        TOOL_REGISTRY[kind](user_id=user_id, agent_name=agent, **config, **options)
        for kind, config in rows
    ]


def active_types(url: str, agent: str) -> list[str] | None:
    """Return the types of an agent's active tools; None when nothing is registered here."""
    with connect(url, write=False) as connection:
        tables = read_tables(connection)
        if tables is None:
            return None
        return [kind for kind, _ in _tool_rows(connection, tables, agent)]


def drift(url: str) -> list[str]:
    """Describe the differences between the rows and `TOOL_REGISTRY`; an empty list is good.

    A chat server's tables may have types that only its own registry knows.
    """
    from kensaku.compat.chat_server.registry import TOOL_REGISTRY, tool_name

    with connect(url, write=False) as connection:
        tables, ours = _tables(connection), _are_ours(connection)
        table = tables.links if tables.tools is None else tables.tools
        rows = connection.execute(select(table.c.name, table.c.type).where(live(table))).all()
    recorded = {row.name: row.type for row in rows}
    known = {tool_name(cls): kind for kind, cls in TOOL_REGISTRY.items()}
    used = sorted({*recorded.values()} - {*TOOL_REGISTRY}) if ours else []
    differences = [f"the type {kind!r} has rows, but no class" for kind in used]
    differences += [
        f"{n!r} of TOOL_REGISTRY has no row in {table.name}"
        for n in sorted(known.keys() - recorded)
    ]
    differences += [
        f"{n!r} is a {recorded[n]} in {table.name} and a {known[n]} in TOOL_REGISTRY"
        for n in sorted(known.keys() & recorded)
        if known[n] != recorded[n]
    ]
    return differences


def _are_ours(connection: Connection) -> bool:
    """Whether the tables are those of our migrations, or there are none yet."""
    if inspect(connection).has_table("kensaku_migrations"):
        return True
    return read_tables(connection) is None


def _tables(connection: Connection) -> Tables:
    tables = read_tables(connection)
    if tables is None:
        raise ConfigError("no tool is registered in this database", remedy="use register")
    return tables


def _tables_for_writing(connection: Connection) -> Tables:
    if _are_ours(connection):
        command.upgrade(alembic_config(connection), "head")
    return _tables(connection)


def _require_agent(connection: Connection, tables: Tables, agent: str) -> None:
    agents = tables.agents
    found = select(func.count()).select_from(agents).where(agents.c.agent_name == agent)
    if (count := connection.scalar(found)) == 1:
        return
    if count:
        raise ConfigError(
            f"there are {count} agents {agent!r} in agent_configurations",
            remedy="nothing was changed; the name has to be unique",
        )
    remedy = "nothing was changed; add it, and try again"
    if connection.dialect.name == "postgresql" and connection.scalar(
        text("SELECT row_security_active('agent_configurations')")
    ):
        remedy = (
            "nothing was changed; row-level security hides rows from this role: connect as the "
            "owner of the tables or as the service role, or add the agent"
        )
    raise ConfigError(f"there is no agent {agent!r} in agent_configurations", remedy=remedy)


def _write(connection: Connection, tables: Tables, agent: str, tool: ToolRow) -> Registration:
    for statement in registration(tables, agent, tool):
        connection.execute(statement)
    links = tables.links
    name = tables.tools.c.name if tables.by_id and tables.tools is not None else links.c.name
    columns = {key: links.c[key] for key in ("order", "is_active") if key in links.c}
    row = connection.execute(
        agent_links(tables, agent).where(name == tool.name).add_columns(name, *columns.values())
    ).first()
    if row is None:
        raise ConfigError(
            f"the database keeps no row of {tool.name} for {agent}",
            remedy="nothing was changed; see the triggers and rules of agent_tools",
        )
    found = dict(zip(columns, row[1:], strict=True))
    return Registration(agent, tool.name, found.get("order"), found.get("is_active") is not False)


def _rehearse(connection: Connection, tables: Tables, agent: str, enum: Enum) -> None:
    """Write the rows with a label that exists, and take them back: a label cannot be taken back."""
    if enum.enums:
        with connection.begin_nested() as savepoint:
            _write(connection, tables, agent, replace(SEARCH_WEB, kind=enum.enums[0]))
            savepoint.rollback()


def _add_label(connection: Connection, enum: Enum) -> None:
    name = enum.compile(dialect=connection.dialect)
    connection.execute(text(f"ALTER TYPE {name} ADD VALUE IF NOT EXISTS '{SEARCH_WEB.kind}'"))


def _tool_rows(
    connection: Connection, tables: Tables, agent: str
) -> list[tuple[str, dict[str, Any]]]:
    """Return type and settings of each active tool; those of the agent come before the tool's."""
    links, typed = tables.links, tables.typed
    both = [typed] if typed is links else [typed, links]
    query = agent_links(tables, agent).add_columns(
        typed.c.type, *(table.c.config for table in both if "config" in table.c)
    )
    for table in both:
        query = query.where(live(table))
        if "is_active" in table.c:
            query = query.where(table.c.is_active)
    rows = connection.execute(query.order_by(links.c.get("order", typed.c.name))).all()
    return [
        (kind, {k: v for c in configs for k, v in _object(c).items()}) for kind, *configs in rows
    ]


def _object(value: Any) -> dict[str, Any]:
    # SQLite gives JSON as text when the column's type does not say what it is.
    return dict((json.loads(value) if isinstance(value, str) else value) or {})


def alembic_config(connection: Connection | None = None, output: TextIO = sys.stdout) -> Config:
    """Configure Alembic for our migrations: to run in a connection, or to write SQL."""
    config = Config(output_buffer=output)
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
