"""The language of questions and answers on the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from kensaku.config.settings import environment


def is_japanese(env: Mapping[str, str] | None = None) -> bool:
    """Whether the terminal's language is Japanese, as its locale says."""
    env = environment() if env is None else env
    chosen = next((env[n] for n in ("LC_ALL", "LC_MESSAGES", "LANG") if env.get(n)), "")
    return chosen.lower().startswith("ja")


def words(english: dict[str, str], japanese: dict[str, str]) -> dict[str, str]:
    """Return the texts of the terminal's language."""
    return japanese if is_japanese() else english
