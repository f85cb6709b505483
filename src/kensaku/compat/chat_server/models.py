"""The tables in which an agent's tools are registered.

    agent_configurations 1 ─ n agent_tools n ─ 1 tools

A row of `agent_tools` names the tool and its type, as the document's SQL does; both together
refer to `tools`, so that they cannot say two things.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    JSON,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    String,
    UniqueConstraint,
    cast,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import UserDefinedType

__all__ = ["AgentConfiguration", "AgentTool", "Base", "Json", "Tool", "ToolType"]


class _Enum(UserDefinedType[str]):
    """The enum `agent_tool_type`, whatever labels it has: the host application adds its own."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "agent_tool_type"

    def bind_expression(self, bindvalue: Any) -> Any:
        return cast(bindvalue, self)


# SQLite has no enums; there the reference to `tools` keeps the types right.
ToolType = String(64).with_variant(_Enum(), "postgresql")
Json = JSON().with_variant(JSONB(), "postgresql")


class Base(DeclarativeBase):
    """The tables of the registration, and no others."""


class AgentConfiguration(Base):
    """An agent."""

    __tablename__ = "agent_configurations"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    agent_name: Mapped[str] = mapped_column(String(200), unique=True)


class Tool(Base):
    """A tool that there is: its name for the model, and the type that `TOOL_REGISTRY` knows."""

    __tablename__ = "tools"
    __table_args__ = (UniqueConstraint("name", "type"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    type: Mapped[str] = mapped_column(ToolType)


class AgentTool(Base):
    """A tool that an agent has."""

    __tablename__ = "agent_tools"
    __table_args__ = (
        UniqueConstraint("agent_id", "tool_name"),
        ForeignKeyConstraint(["tool_name", "type"], ["tools.name", "tools.type"]),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    agent_id: Mapped[UUID] = mapped_column(
        ForeignKey("agent_configurations.id", ondelete="CASCADE")
    )
    tool_name: Mapped[str] = mapped_column(String(64))
    type: Mapped[str] = mapped_column(ToolType)
    tool_config: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    is_active: Mapped[bool] = mapped_column(default=True)
    order: Mapped[int] = mapped_column("order", Integer)
