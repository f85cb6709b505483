"""What a chat server's database says about running a tool for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kensaku.errors import MissingExtra

try:
    from sqlalchemy import Connection, String, cast, column, inspect, select, table
except ImportError:
    raise MissingExtra("SQLAlchemy", "sql") from None

from kensaku.database.connection import connect

__all__ = ["Preferences", "read_preferences"]


@dataclass(frozen=True)
class Preferences:
    """The values that were found."""

    recorded: str | None = None  # the tier of the tool
    chosen: str | None = None  # the tier that the person wants
    switched_off: bool = False


def read_preferences(url: str, tool_name: str, user_id: str) -> Preferences:
    """Read the row of a tool and the choice of a person; a table may be missing."""
    with connect(url, write=False) as connection:
        tool = _row(connection, "tools", {"name": tool_name})
        choice = _row(
            connection, "user_tool_preferences", {"tool_name": tool_name, "user_id": user_id}
        )
    return Preferences(
        recorded=tool.get("approval_tier"),
        chosen=choice.get("approval_tier"),
        switched_off=tool.get("is_active") is False or tool.get("is_deleted") is True,
    )


def _row(connection: Connection, name: str, where: dict[str, str]) -> dict[str, Any]:
    inspector = inspect(connection)
    if not inspector.has_table(name):
        return {}
    columns = {c["name"]: column(c["name"], c["type"]) for c in inspector.get_columns(name)}
    if not where.keys() <= columns.keys():
        return {}
    wanted = [
        columns[n] for n in ("approval_tier", "is_active", "is_deleted") if n in columns
    ] or list(columns.values())
    # As text: an id that is no UUID is then nobody's, and not an error.
    same = [cast(columns[n], String) == value for n, value in where.items()]
    row = connection.execute(select(*wanted).select_from(table(name)).where(*same)).first()
    return dict(row._mapping) if row else {}
