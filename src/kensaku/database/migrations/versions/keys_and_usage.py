"""API keys, and what was used with them."""

import sqlalchemy as sa
from alembic import op

revision = "keys_and_usage"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "kensaku_api_keys",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("hash", sa.LargeBinary(), nullable=False, unique=True),
        sa.Column("hint", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("rate", sa.String(20)),
        sa.Column("searches_per_day", sa.BigInteger()),
        sa.Column("money_per_month", sa.Double()),
        sa.Column("admin", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True)),
        sa.Column("revoked", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "kensaku_usage",
        sa.Column("day", sa.Date(), primary_key=True),
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("key", sa.String(16), primary_key=True),
        sa.Column("endpoint", sa.String(64), primary_key=True),
        sa.Column("provider", sa.String(64), primary_key=True),
        sa.Column("outcome", sa.String(32), primary_key=True),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("requests", "searches", "cached")
        ),
        *(sa.Column(name, sa.Double(), nullable=False) for name in ("cost", "credits", "total_ms")),
        *(sa.Column(f"latency_{n}", sa.BigInteger(), nullable=False) for n in range(16)),
    )
