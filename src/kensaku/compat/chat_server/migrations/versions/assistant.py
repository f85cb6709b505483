"""The tool `search_web`, for the agent `assistant`."""

from alembic import op

from kensaku.compat.chat_server.rows import add_tool, link, remove_tool

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    add_tool(op.get_bind(), "search_web", "SearchWebTool")
    link(op.get_bind(), "assistant", "search_web", "SearchWebTool")


def downgrade() -> None:
    remove_tool(op.get_bind(), "search_web")
