"""Describe failures to the model: our sentences in our name, the words of others in a fence.

    error → describe() → "it does not take this key (HTTP 401); check TAVILY_API_KEY"
          → quote()    → what the upstream itself said, for inside the fence; "" when it is ours

An error's message may repeat what a server wrote. Which class it has, its status and its remedy
are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from kensaku.dialects._reasons import reason
from kensaku.errors import (
    BudgetExceeded,
    CalledOff,
    KensakuError,
    NotAsked,
    Outage,
    ProviderError,
    UsageError,
)
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.models import Attempt

Fence = Callable[[str, str], str]  # text, origin → fenced text

WEB_FAILED = msg("The web could not be searched; this is from the local index:")


def describe(error: KensakuError, language: str = "en") -> str:
    """Return cause and remedy in our own words."""
    t = translator(language)
    if t.language != "en" or _is_ours(error):
        return reason(error, t)
    status = getattr(error, "status", None)
    sentence = f"{error.summary} (HTTP {status})" if status else error.summary
    return f"{sentence}; {flatten(error.remedy)}" if error.remedy else sentence


def quote(error: KensakuError) -> str:
    """Return the message on one line when others may have written it; else ""."""
    return "" if _is_ours(error) else flatten(error.message)


def describe_attempts(attempts: Iterable[Attempt], language: str = "en") -> list[str]:
    """Return one line in our words for each provider that failed; equal lines once."""
    t = translator(language)
    failed = [(a.provider, describe(a.error, language)) for a in attempts if a.error]
    lines = (t("- {name}: {text}", name=name, text=why) for name, why in failed)
    return list(dict.fromkeys(lines))


def quote_attempts(attempts: Iterable[Attempt]) -> str:
    """Return the upstreams' own error messages, one per line."""
    said = [(a.provider, quote(a.error)) for a in attempts if a.error]
    return "\n".join(dict.fromkeys(f"{name}: {words}" for name, words in said if words))


def describe_failed_pages(
    failed: Sequence[tuple[str, KensakuError]], fence: Fence, language: str = "en"
) -> str:
    """Count the pages that failed by their reason, in our words; list their addresses fenced."""
    if not failed:
        return ""
    t, reasons = translator(language), Counter(describe(error, language) for _, error in failed)
    counts = [t("{n} of the pages could not be had: {why}", n=n, why=w) for w, n in reasons.items()]
    listed = [f"could not be had: {flatten(u)}: {flatten(str(error))}" for u, error in failed]
    return "\n".join([*counts, fence("\n".join(listed), "failures")])


def origin_of(providers: Iterable[str]) -> str:
    """Return the origin that a fence names: web, local, or both."""
    names = set(providers)
    if "local" not in names:
        return "web"
    return "local" if names == {"local"} else "both"


def answered_by(attempts: Sequence[Attempt]) -> list[str]:
    """Return the providers that had hits."""
    return [a.provider for a in attempts if a.error is None and a.hits]


def _is_ours(error: KensakuError) -> bool:
    """Whether the message was written here: nothing was sent, or no reply came."""
    if isinstance(error, ProviderError) and error.status is None:
        return isinstance(error, NotAsked | CalledOff | Outage)
    return isinstance(error, UsageError | BudgetExceeded)
