"""The type `SearchWebTool`, on PostgreSQL a label of the enum `agent_tool_type`."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        # A new label can be used only after the transaction that adds it.
        with op.get_context().autocommit_block():
            op.execute("ALTER TYPE agent_tool_type ADD VALUE IF NOT EXISTS 'SearchWebTool'")


def downgrade() -> None:
    """PostgreSQL cannot take a label away from an enum; one that is not used harms nobody."""
