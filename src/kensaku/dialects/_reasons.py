"""Why a search failed, what to do next, and the notes on a response: sentences of every dialect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kensaku.errors import NotConfigured, ProviderError, UnknownName
from kensaku.locale import languages, translator
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.locale import Translator
    from kensaku.models import Response


RESULTS = msg('Results for "{query}" ({n})')
EMPTY = msg('Nothing was found for "{query}".')
UNAVAILABLE = msg('Nobody could search for "{query}". This does not mean that there is nothing.')
SEARCHED = msg("Searched by {names}.")
REPHRASE = msg("Try other words, fewer filters, or a wider range of dates.")
NEAREST = msg("Nearest in the local index, though not about this:")
LOCAL_ONLY = msg("these results are from the local index, not from the web")


def translator_for(language: str) -> Translator:
    """Return the translator of a language that there is. Raises `UnknownName`."""
    t = translator(language)
    if t.language == "en" and language != "en":
        raise UnknownName(msg("language of a dialect"), language, languages())
    return t


def reason(error: KensakuError, t: Translator) -> str:
    """Return the cause and the remedy in one line, without the provider's name."""
    cause = t(error.message) if " " in error.message else error.message
    # With a status come words of the upstream, which a model must not take for ours.
    from_reply = getattr(error, "status", None) is not None
    if t.language != "en" and (from_reply or cause == error.message):
        return summary(error, t)
    if not error.remedy:
        return flatten(cause)
    return t("{message}; {remedy}", message=flatten(cause), remedy=flatten(t(error.remedy)))


def reasons(response: Response, t: Translator) -> list[str]:
    """Return one line for each reason, with the providers that failed for it."""
    providers: dict[str, list[str]] = {}
    for a in response.attempts:
        if a.error:
            names = providers.setdefault(reason(a.error, t), [])
            names += [a.provider] if a.provider not in names else []
    rows = providers.items()
    return [t("{name}: {text}", name=enumerated(names, t), text=why) for why, names in rows]


def enumerated(names: list[str], t: Translator) -> str:
    """Return names as a list."""
    return t(", ", context="between the names of a list").join(names)


def next_step(response: Response, t: Translator) -> str:
    """Say what to do when no provider could search."""
    waits = [
        a.error.retry_after
        for a in response.attempts
        if isinstance(a.error, ProviderError) and a.error.retry_after
    ]
    if waits:
        seconds = max(1.0, min(waits))
        return t("try again in {seconds:.0f} s, or ask another provider.", seconds=seconds)
    if unconfigured_providers(response):
        return t("set a key or an address as said above, or add documents to the local index.")
    return t("try again later, or say that the search did not work; do not answer as if it had.")


def unconfigured_providers(response: Response) -> list[str]:
    """Return the providers if each of them lacks a key or an address, and nothing else failed."""
    if not all(isinstance(a.error, NotConfigured) for a in response.attempts):
        return []
    return [a.provider for a in response.attempts]


def local_only(response: Response) -> bool:
    """Whether all hits are from the local index."""
    return bool(response.hits) and all(h.provider == "local" for h in response.hits)


def notes_of(response: Response, t: Translator) -> list[str]:
    """Return the response's notes, and those about its source and its confidence."""
    notes = [t(LOCAL_ONLY)] if local_only(response) else []
    notes += [flatten(t(note)) for note in response.notes]
    if response.hits and response.confidence.level == "low":
        notes.append(t("confidence is low: search again in other words, or ask the person"))
    return notes


def answering_providers(response: Response) -> list[str]:
    """Return the providers that answered, with or without hits."""
    names = [a.provider for a in response.attempts if a.outcome is not Outcome.UNAVAILABLE]
    return list(dict.fromkeys(names))


def summary(error: KensakuError, t: Translator) -> str:
    """Return what the class means, with the status, the variable or the command of the remedy."""
    text = t(error.summary)
    if status := getattr(error, "status", None):
        text = t("{reason} (HTTP {status})", reason=text, status=status)
    if not isinstance(error, ProviderError):
        return text
    if error.retry_after:
        seconds = max(1.0, error.retry_after)
        return t("{reason}; try again in {seconds:.0f} s", reason=text, seconds=seconds)
    if names := _VARIABLE.findall(error.remedy):
        return t("{reason}; check the variable {name}", reason=text, name=names[0])
    if command := _COMMAND.search(error.remedy):
        return t("{reason}; run {command}", reason=text, command=command.group())
    return text


_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_COMMAND = re.compile(r'pip install "[^"]+"')
