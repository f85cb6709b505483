"""The error behind an unavailable response, and redaction of keys in its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.errors import KensakuError, Outage
from kensaku.text.redact import redact_known

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.models import Response

__all__ = ["error_of", "keys_of", "redact"]


def error_of(response: Response, provider: str) -> KensakuError:
    """Return the error to report: an upstream's own comes before one of an attempt not sent."""
    errors = [(a.sent, a.error) for a in response.attempts if a.error]
    sent = [error for was_sent, error in errors if was_sent]
    if sent or errors:
        return sent[-1] if sent else errors[-1][1]
    return Outage(provider, "it did not answer in time")


def redact(text: str, *secrets: str) -> str:
    """Replace every secret in the text by an ellipsis, in whatever encoding it is repeated."""
    return redact_known(text, filter(None, secrets))


def keys_of(settings: Settings) -> list[str]:
    """Return every key that is configured."""
    return [key.reveal() for provider in settings.providers.values() for key in provider.keys]
