"""The tables and the enum, where they are not there yet.

A chat server has them already; then they stay as they are, and a downgrade leaves them alone.
What is made here is written down in `kensaku_made`.
"""

import sqlalchemy as sa
from alembic import op

from kensaku.compat.chat_server.models import Json, ToolType

revision = "0001"
down_revision = None

MADE = sa.table("kensaku_made", sa.column("name"))


def upgrade() -> None:
    bind = op.get_bind()
    there = set(sa.inspect(bind).get_table_names())
    op.create_table("kensaku_made", sa.Column("name", sa.String(64), primary_key=True))
    if bind.dialect.name == "postgresql" and not bind.scalar(
        sa.text("SELECT to_regtype('agent_tool_type')::text")
    ):
        op.execute("CREATE TYPE agent_tool_type AS ENUM ()")
        op.execute(sa.insert(MADE).values(name="agent_tool_type"))
    for name, make in _TABLES.items():
        if name not in there:
            make()
            op.execute(sa.insert(MADE).values(name=name))


def downgrade() -> None:
    made = set(op.get_bind().scalars(sa.select(MADE.c.name)))
    for name in reversed(_TABLES):
        if name in made:
            op.drop_table(name)
    if "agent_tool_type" in made:
        op.execute("DROP TYPE agent_tool_type")
    op.drop_table("kensaku_made")


def _id() -> "sa.Column[object]":
    random = {
        "postgresql": "gen_random_uuid()",
        "sqlite": "(lower(hex(randomblob(16))))",
    }[op.get_bind().dialect.name]
    return sa.Column("id", sa.Uuid(), primary_key=True, server_default=sa.text(random))


def _agent_configurations() -> None:
    agents = op.create_table(
        "agent_configurations",
        _id(),
        sa.Column("agent_name", sa.String(200), nullable=False, unique=True),
    )
    op.execute(sa.insert(agents).values(agent_name="assistant"))


def _tools() -> None:
    op.create_table(
        "tools",
        _id(),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        sa.Column("type", ToolType, nullable=False),
        sa.UniqueConstraint("name", "type"),
    )


def _agent_tools() -> None:
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


_TABLES = {
    "agent_configurations": _agent_configurations,
    "tools": _tools,
    "agent_tools": _agent_tools,
}
