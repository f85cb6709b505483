"""Our errors as the specification reports them: its type, and a sentence in Japanese."""

from __future__ import annotations

from collections.abc import Container

from kensaku.dialects._reasons import summary
from kensaku.errors import (
    BadQuery,
    CircuitOpen,
    Cooling,
    DoesNotFit,
    KensakuError,
    KeyRefused,
    NotConfigured,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UsageError,
)
from kensaku.locale import translator

__all__ = ["error_type", "message"]

_Kinds = tuple[type[KensakuError], ...]

# The first row that the error is an instance of holds, if the HTTP status is one of the row's.
_TYPES: tuple[tuple[_Kinds, Container[int] | None, str], ...] = (
    ((KeyRefused, NotConfigured), None, "AUTH_ERROR"),
    ((RateLimited, QuotaExhausted, Cooling), None, "RATE_LIMIT_ERROR"),
    ((UsageError, BadQuery, DoesNotFit), None, "VALIDATION_ERROR"),
    ((Outage,), (503,), "SERVICE_UNAVAILABLE"),
    ((Outage,), range(500, 600), "SERVER_ERROR"),
    ((CircuitOpen,), None, "SERVICE_UNAVAILABLE"),
    ((Timeout,), None, "TIMEOUT_ERROR"),
    ((Outage,), None, "NETWORK_ERROR"),
)

# A cooldown after one of these does not pass by waiting: it is reported as what began it.
_LASTING: dict[str, type[ProviderError]] = {
    cls.__name__: cls for cls in (KeyRefused, QuotaExhausted)
}


def error_type(error: KensakuError) -> str:
    """The word for an error: AUTH_ERROR, RATE_LIMIT_ERROR, VALIDATION_ERROR, …"""
    error = _cause(error)
    status = getattr(error, "status", None)
    for kinds, statuses, word in _TYPES:
        if isinstance(error, kinds) and (statuses is None or status in statuses):
            return word
    return "API_ERROR"


def message(error: KensakuError) -> str:
    """The reason in Japanese, with the HTTP status and the variable to look at."""
    error, t = _cause(error), translator("ja")
    if isinstance(error, UsageError):  # English: which value and which bound is worth more
        return f"{summary(error, t)}（{error}）"
    return summary(error, t)


def _cause(error: KensakuError) -> KensakuError:
    """Return what began a cooldown that waiting does not end; else the error itself."""
    if isinstance(error, Cooling) and (kind := _LASTING.get(error.cause)):
        remedy = error.remedy or f"check {error.provider.upper()}_API_KEY"
        return kind(error.provider, error.message, remedy=remedy)
    return error
