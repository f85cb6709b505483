"""Alembic runs this. `database.py` gives the connection, which has a transaction; without one,
Alembic writes SQL for PostgreSQL."""

from alembic import context

from kensaku.compat.chat_server.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    dialect_name="postgresql",
    literal_binds=context.is_offline_mode(),
    target_metadata=Base.metadata,
    version_table="kensaku_migrations",
)
with context.begin_transaction():
    context.run_migrations()
