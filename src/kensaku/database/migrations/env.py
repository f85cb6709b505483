"""Alembic runs this. `migrate.py` gives the connection, which has a transaction."""

from alembic import context

from kensaku.database.migrate import VERSION_TABLE
from kensaku.database.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
