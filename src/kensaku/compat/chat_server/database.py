"""Registration of `search_web` in a database: SQLite or PostgreSQL.

    register("postgresql://…") → migrations, then the row of the agent → Registration(agent, order)
    load_tools("sqlite:///agents.db", "assistant", user_id="…") → the agent's tools, in order

Our migrations keep their own book (`kensaku_migrations`), beside the host application's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from kensaku.compat.chat_server.registry import TOOL_REGISTRY, tool_name
from kensaku.errors import ConfigError, MissingExtra

try:
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import Connection, create_engine, select, text
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError
except ImportError:
    raise MissingExtra("SQLAlchemy or Alembic", "sql") from None

from kensaku.compat.chat_server.rows import AGENTS, LINKS, TOOLS, add_tool, link

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from sqlalchemy import URL

__all__ = [
    "Registration",
    "SQLAlchemyError",
    "downgrade",
    "drift",
    "load_tools",
    "register",
    "upgrade",
]

LOCK = 0x6B656E73616B75  # "kensaku": two processes that migrate at once take turns
_THREADS = Lock()


@dataclass(frozen=True)
class Registration:
    """A tool of an agent, and its place among them."""

    agent: str
    tool: str
    order: int


def register(url: str, agent: str = "assistant") -> Registration:
    """Bring the database up to date and give the agent its `search_web`. Doing it again is fine."""
    upgrade(url)
    name = tool_name(TOOL_REGISTRY["SearchWebTool"])
    with _connection(url) as connection, _migration_lock(connection), connection.begin():
        add_tool(connection, name, "SearchWebTool")
        link(connection, agent, name, "SearchWebTool")
        order = connection.scalar(
            select(LINKS.c.order)
            .join(AGENTS, AGENTS.c.id == LINKS.c.agent_id)
            .where(AGENTS.c.agent_name == agent, LINKS.c.tool_name == name)
        )
    if order is None:
        raise ConfigError(
            f"there is no agent {agent!r} in agent_configurations", remedy="add it, and try again"
        )
    return Registration(agent, name, order)


def upgrade(url: str, revision: str = "head") -> None:
    """Run the migrations up to a revision."""
    with _connection(url) as connection, _migration_lock(connection):
        command.upgrade(_config(connection), revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Undo the migrations down to a revision. What was there before them stays."""
    with _connection(url) as connection, _migration_lock(connection):
        command.downgrade(_config(connection), revision)


def load_tools(url: str, agent: str, user_id: str, **options: Any) -> list[BaseTool]:
    """Construct the active tools of an agent, in their order, for a user.

    Raises `ConfigError` for a row whose type has no class.
    """
    query = (
        select(LINKS.c.type, LINKS.c.tool_config)
        .join(AGENTS, AGENTS.c.id == LINKS.c.agent_id)
        .where(AGENTS.c.agent_name == agent, LINKS.c.is_active)
        .order_by(LINKS.c.order)
    )
    with _connection(url) as connection:
        rows = connection.execute(query).all()
    if unknown := [kind for kind, _ in rows if kind not in TOOL_REGISTRY]:
        raise ConfigError(
            f"{agent} has a tool of the type {unknown[0]!r}, which TOOL_REGISTRY does not know"
        )
    return [
        TOOL_REGISTRY[kind](user_id=user_id, agent_name=agent, **(config or {}), **options)
        for kind, config in rows
    ]


def drift(url: str) -> list[str]:
    """Describe the differences between the rows and `TOOL_REGISTRY`; an empty list is good."""
    with _connection(url) as connection:
        rows = connection.execute(select(TOOLS.c.name, TOOLS.c.type)).all()
        recorded = {row.name: row.type for row in rows}
        used = set(connection.scalars(select(LINKS.c.type)))
    ours = {tool_name(cls): kind for kind, cls in TOOL_REGISTRY.items()}
    types = sorted(used | {*recorded.values()})
    differences = [
        f"the type {t!r} has rows, but no class" for t in types if t not in TOOL_REGISTRY
    ]
    differences += [
        f"{n!r} of TOOL_REGISTRY has no row in tools" for n in sorted(ours.keys() - recorded)
    ]
    differences += [
        f"{n!r} is a {recorded[n]} in tools and a {ours[n]} in TOOL_REGISTRY"
        for n in sorted(ours.keys() & recorded)
        if ours[n] != recorded[n]
    ]
    return differences


@contextmanager
def _connection(url: str) -> Iterator[Connection]:
    engine = create_engine(_with_driver(url))
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":  # it looks at references only when asked to
                connection.exec_driver_sql("PRAGMA foreign_keys = ON")
                connection.commit()
            yield connection
    finally:
        engine.dispose()


def _with_driver(url: str) -> URL:
    parsed = make_url(url)
    if parsed.get_backend_name() not in ("sqlite", "postgresql", "postgres"):
        raise ConfigError(f"{parsed.drivername} is not supported; use SQLite or PostgreSQL")
    if parsed.drivername not in ("postgresql", "postgres"):
        return parsed
    try:
        import psycopg  # noqa: F401 - SQLAlchemy's own default is its predecessor
    except ImportError:
        raise MissingExtra("psycopg", "postgres") from None
    return parsed.set(drivername="postgresql+psycopg")


@contextmanager
def _migration_lock(connection: Connection) -> Iterator[None]:
    """Let one thread migrate at a time, since Alembic keeps its state in globals; on PostgreSQL,
    one process."""
    with _THREADS:
        if connection.dialect.name != "postgresql":
            yield
            return
        # A lock of the session: it outlives the transactions that the migrations begin and end.
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
        connection.commit()
        try:
            yield
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
            connection.commit()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
