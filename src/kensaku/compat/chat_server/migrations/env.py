"""Alembic runs this. The connection is given by `database.py`; each revision has a transaction of
its own, since PostgreSQL lets a new label of an enum be used only in a later one."""

from alembic import context

from kensaku.compat.chat_server.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table="kensaku_migrations",
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
