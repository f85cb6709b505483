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

from kensaku.dialects._strings import reason, strings_for
from kensaku.errors import (
    BudgetExceeded,
    CalledOff,
    KensakuError,
    NotAsked,
    Outage,
    ProviderError,
    UsageError,
)
from kensaku.providers._classify import MEANING
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.models import Attempt

Fence = Callable[[str, str], str]  # text, origin → fenced text

_SENTENCES: dict[str, str] = {cls.__name__: sentence for cls, sentence in MEANING.items()} | {
    "AddressRefused": "the address may not be fetched, or nothing answers there",
    "NotAllowed": "the site asks not to be read",
    "TooLarge": "it is larger than a page may be",
    "PageUnavailable": "the server did not give the page",
    "Unparsable": "no text can be had from it",
    "FetchError": "it could not be fetched",
    "IndexFault": "the local index cannot do this now",
    "KensakuError": "it failed",
}
COULD_NOT = {"en": "{n} of the pages could not be had", "ja": "{n} ページを取得できませんでした"}
WEB_FAILED = {
    "en": "The web could not be searched; this is from the local index:",
    "ja": "ウェブは検索できず、ローカル索引だけの結果です：",
}


def describe(error: KensakuError, language: str = "en") -> str:
    """Return cause and remedy in our own words."""
    if language == "ja" or _is_ours(error):
        return reason(error, language)
    names = (cls.__name__ for cls in type(error).__mro__)
    sentence = next(_SENTENCES[name] for name in names if name in _SENTENCES)
    status = getattr(error, "status", None)
    sentence += f" (HTTP {status})" if status else ""
    return f"{sentence}; {flatten(error.remedy)}" if error.remedy else sentence


def quote(error: KensakuError) -> str:
    """Return the message on one line when others may have written it; else ""."""
    return "" if _is_ours(error) else flatten(error.message)


def describe_attempts(attempts: Iterable[Attempt], language: str = "en") -> list[str]:
    """Return one line in our words for each provider that failed; equal lines once."""
    colon = strings_for(language).colon
    failed = [(a.provider, a.error) for a in attempts if a.error]
    return list(dict.fromkeys(f"- {name}{colon}{describe(e, language)}" for name, e in failed))


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
    reasons = Counter(describe(error, language) for _, error in failed)
    colon = strings_for(language).colon
    counts = [f"{COULD_NOT[language].format(n=n)}{colon}{why}" for why, n in reasons.items()]
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
