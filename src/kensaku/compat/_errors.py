"""What a search that did not work came to, and how to say it without a key in the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.errors import KensakuError, Outage

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.models import Response

__all__ = ["discreet", "keys_of", "why"]


def why(response: Response, provider: str) -> KensakuError:
    """Why nobody could search: what an upstream said comes before why it was not asked again."""
    errors = [(a.sent, a.error) for a in response.attempts if a.error]
    sent = [error for was_sent, error in errors if was_sent]
    if sent or errors:
        return sent[-1] if sent else errors[-1][1]
    return Outage(provider, "it did not answer in time")


def discreet(text: str, *secrets: str) -> str:
    """The text without any of the secrets."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return text


def keys_of(settings: Settings) -> list[str]:
    """Every key that is configured."""
    return [key.reveal() for has in settings.providers.values() for key in has.keys]
