"""The database of the server: keys, usage, jobs. SQLite in home, or PostgreSQL by its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.config.settings import Settings


def url_of(settings: Settings) -> str:
    """Return the URL of the database: the setting's, or that of a file in home."""
    return settings.database_url or f"sqlite:///{settings.home / 'kensaku.db'}"
