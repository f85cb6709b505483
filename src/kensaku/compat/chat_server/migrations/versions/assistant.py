"""The tool `search_web`, for the agent `assistant`."""

from alembic import op

from kensaku.compat.chat_server.rows import SEARCH_WEB, registration, removal
from kensaku.compat.chat_server.tables import OWN

revision = "assistant"
down_revision = "tables"


def upgrade() -> None:
    for statement in registration(OWN, "assistant", SEARCH_WEB):
        op.execute(statement)


def downgrade() -> None:
    for statement in removal(OWN, SEARCH_WEB):
        op.execute(statement)
