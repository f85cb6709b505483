"""Tables of our own and, on PostgreSQL, the enum: for a database that has none of them.

The tables of a chat server are never migrated: `register` adds rows to them.
"""

import sqlalchemy as sa
from alembic import op

from kensaku.compat.chat_server.models import Json, ToolType

revision = "tables"
down_revision = None


def upgrade() -> None:
    if _dialect() == "postgresql":
        op.execute("CREATE TYPE agent_tool_type AS ENUM ('SearchWebTool')")
    agents = op.create_table(
        "agent_configurations",
        _id(),
        sa.Column("agent_name", sa.String(200), nullable=False, unique=True),
    )
    op.execute(sa.insert(agents).values(agent_name="assistant"))
    op.create_table(
        "tools",
        _id(),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        sa.Column("type", ToolType, nullable=False),
        sa.UniqueConstraint("name", "type"),
    )
    op.create_table(
        "agent_tools",
        _id(),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("tool_name", sa.String(64), nullable=False),
        sa.Column("type", ToolType, nullable=False),
        sa.Column("tool_config", Json, nullable=False, server_default="{}"),
        sa.Column("is_active", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("order", sa.Integer(), nullable=False),
        sa.UniqueConstraint("agent_id", "tool_name"),
        sa.ForeignKeyConstraint(["agent_id"], ["agent_configurations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["tool_name", "type"], ["tools.name", "tools.type"]),
    )


def downgrade() -> None:
    for name in ("agent_tools", "tools", "agent_configurations"):
        op.drop_table(name)
    if _dialect() == "postgresql":
        op.execute("DROP TYPE agent_tool_type")


def _dialect() -> str:
    return op.get_context().dialect.name


def _id() -> "sa.Column[object]":
    random = {
        "postgresql": "gen_random_uuid()",
        "sqlite": "(lower(hex(randomblob(16))))",
    }[_dialect()]
    return sa.Column("id", sa.Uuid(), primary_key=True, server_default=sa.text(random))
