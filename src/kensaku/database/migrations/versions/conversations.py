"""The assistant: conversations, messages, people, runs with their steps, approvals."""

import sqlalchemy as sa
from alembic import op

revision = "conversations"
down_revision = "keys_and_usage"


def upgrade() -> None:
    op.create_table(
        "kensaku_conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("thread", sa.String(200), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("tenant", "channel", "thread"),
    )
    op.create_table(
        "kensaku_messages",
        sa.Column("id", sa.String(32), primary_key=True),
        _conversation(),
        sa.Column("person", sa.String(128), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Index("kensaku_messages_order", "conversation", "created"),
    )
    op.create_table(
        "kensaku_updates",
        sa.Column("channel", sa.String(32), primary_key=True),
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "kensaku_people",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("channel", sa.String(32), primary_key=True),
        sa.Column("person", sa.String(128), primary_key=True),
        sa.Column("options", sa.Text(), nullable=False),
    )
    op.create_table(
        "kensaku_runs",
        sa.Column("id", sa.String(32), primary_key=True),
        _conversation(),
        sa.Column("person", sa.String(128), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("lease", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Index("kensaku_runs_state", "state", "lease"),
    )
    op.create_table(
        "kensaku_run_steps",
        sa.Column(
            "run",
            sa.String(32),
            sa.ForeignKey("kensaku_runs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
    )
    op.create_table(
        "kensaku_approvals",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("person", sa.String(128), nullable=False),
        sa.Column("run", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("decision", sa.String(16), nullable=False),
        sa.Index("kensaku_approvals_person", "tenant", "channel", "person"),
    )


def _conversation() -> sa.Column[str]:
    return sa.Column(
        "conversation",
        sa.String(32),
        sa.ForeignKey("kensaku_conversations.id", ondelete="CASCADE"),
        nullable=False,
    )
