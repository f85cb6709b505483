"""Questions that runs of the assistant wait with, and the replies that other processes took."""

import sqlalchemy as sa
from alembic import op

revision = "questions"
down_revision = "conversations"


def upgrade() -> None:
    op.create_table(
        "kensaku_questions",
        sa.Column(
            "run",
            sa.String(32),
            sa.ForeignKey("kensaku_runs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text()),
    )
