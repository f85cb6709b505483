"""One table of runs for the assistant and for jobs."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "runs"
down_revision = "questions"

_TABLES = ("kensaku_runs", "kensaku_run_steps", "kensaku_questions")


def upgrade() -> None:
    op.drop_index("kensaku_runs_state", "kensaku_runs")
    for name in _TABLES:
        op.rename_table(name, f"{name}_before")
    runs = op.create_table(
        "kensaku_runs",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(32)),
        sa.Column("lease", sa.DateTime(timezone=True)),
        sa.Column("starts", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        _reference("conversation", "kensaku_conversations", sa.String(32)),
        sa.Column("person", sa.String(128)),
        sa.Column("memory", sa.Text()),
        _reference("parent", "kensaku_runs", sa.String(64)),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("result", sa.Text()),
        sa.Column("error", sa.Text()),
        *(sa.Column(n, sa.BigInteger(), nullable=False) for n in ("done", "total", "documents")),
        sa.Column("stage", sa.String(200), nullable=False),
        sa.Index("kensaku_runs_state", "state", "lease"),
        sa.Index("kensaku_runs_conversation", "conversation"),
        sa.Index("kensaku_runs_parent", "parent"),
    )
    op.create_table(
        "kensaku_run_steps",
        _reference("run", "kensaku_runs", sa.String(64), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
    )
    op.create_table(
        "kensaku_questions",
        _reference("run", "kensaku_runs", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text()),
    )
    _copy(runs)
    for name in reversed(_TABLES):
        op.drop_table(f"{name}_before")


def _copy(runs: sa.Table) -> None:
    """Keep the runs of the assistant, the only ones that the tables before had."""
    connection = op.get_bind()
    before = sa.table(
        "kensaku_runs_before",
        *map(sa.column, ("id", "conversation", "person", "question", "options", "memory")),
        *map(sa.column, ("state", "owner")),
        *(sa.column(name, sa.DateTime(timezone=True)) for name in ("lease", "created")),
    )
    conversations = sa.table("kensaku_conversations", sa.column("id"), sa.column("tenant"))
    query = sa.select(before, conversations.c.tenant).join(
        conversations, conversations.c.id == before.c.conversation
    )
    none = {"part": 0, "key": "", "done": 0, "total": 0, "documents": 0, "stage": ""}
    for row in connection.execute(query).mappings().all():
        values = dict(row)
        options = json.loads(values.pop("options"))
        arguments = {"question": values.pop("question"), "earlier": options.pop("earlier", [])}
        values["arguments"] = json.dumps({**arguments, "options": options})
        values |= {"kind": "answer", "starts": 1, "updated": row["created"], **none}
        connection.execute(runs.insert().values(values))
    for name in _TABLES[1:]:
        op.execute(f"INSERT INTO {name} SELECT * FROM {name}_before")


def _reference(name: str, table: str, kind: sa.String, **more: Any) -> sa.Column[str]:
    return sa.Column(name, kind, sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), **more)
