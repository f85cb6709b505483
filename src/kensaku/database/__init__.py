"""The database of the server: keys, usage, jobs. SQLite in home, or PostgreSQL by its URL.

url_of(settings)         → its URL
Database.open(settings)  → connected, with every table: keys.py and usage.py take it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku._lazy import attach

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.database.engine import Database as Database
else:
    __getattr__, __dir__, __all__ = attach(__name__, engine=("Database",))
    __all__.append("url_of")


def url_of(settings: Settings) -> str:
    """Return the URL of the database: the setting's, or that of a file in home."""
    return settings.database_url or f"sqlite:///{settings.home / 'kensaku.db'}"
