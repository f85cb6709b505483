"""Classify a reply that is not a result as one of our errors, without key or query in its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from kensaku.errors import (
    BadQuery,
    Blocked,
    KeyRefused,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreadable,
)
from kensaku.messages import Translatable, msg
from kensaku.text.clean import plain
from kensaku.text.redact import redact as redact_text

if TYPE_CHECKING:
    from kensaku.transport.reply import Reply

_MAX_SENTENCE = 200  # characters; a longer text is a page or a dump

# A status → what it means. Anything that is not listed: 4xx is a wrong query, 5xx is an outage.
_STATUS: dict[int, type[ProviderError]] = {
    202: RateLimited,  # how DuckDuckGo says it
    401: KeyRefused,
    402: QuotaExhausted,
    403: KeyRefused,
    404: Unreadable,  # the endpoint is not there: not the query's fault, and trying again is idle
    407: Unreadable,
    408: Timeout,
    410: Unreadable,
    425: RateLimited,
    429: RateLimited,
    430: RateLimited,  # Web IQ: too many at once
    432: QuotaExhausted,  # Tavily: the plan's limit
    433: QuotaExhausted,  # Tavily: the pay-as-you-go limit
}

MAX_REDACTED = 4_000  # characters of an upstream's text that are looked at; 300 are shown

_MEANING_WITHOUT_KEY: dict[type[ProviderError], str] = {
    KeyRefused: msg("it does not answer without a key"),
    QuotaExhausted: msg("its quota for searches without a key is used up"),
    RateLimited: msg("too many requests without a key"),
}


def meaning(kind: type[ProviderError], reply: Reply) -> str:
    """What an error of this class says, for people."""
    without_key = _MEANING_WITHOUT_KEY if reply.keyless else {}
    return without_key.get(kind) or kind.summary


def error_class_for(reply: Reply) -> type[ProviderError]:
    """The error that a status means, with what is known of gateways."""
    if reply.status == 403 and reply.is_html:
        return Blocked  # a gateway's page; a refused key is said in JSON
    if reply.status in _STATUS:
        return _STATUS[reply.status]
    if 400 <= reply.status < 500:
        return BadQuery
    return Outage if reply.status >= 500 else Unreadable


def request_id(reply: Reply) -> str | None:
    """The id under which the upstream can find this request."""
    for name in ("x-request-id", "request-id", "x-traceid", "x-amzn-requestid", "cf-ray"):
        if value := reply.headers.get(name):
            return value[:100]
    with suppress(ValueError):
        body = reply.json()
        found = [body.get(n) for n in ("request_id", "requestId")] if isinstance(body, dict) else []
        return next((value[:100] for value in found if isinstance(value, str)), None)
    return None


def redact(error: ProviderError, secrets: Iterable[str], query: str = "") -> ProviderError:
    """Remove keys and the query from an error: upstreams like to repeat them."""
    known = tuple(secrets)
    repeated = _query_pattern(query)

    def without(text: str) -> str:
        if isinstance(text, Translatable):
            return text.with_values(without) if text.values else text
        text = redact_text(text[:MAX_REDACTED], known)
        text = repeated.sub("…", text) if repeated else text
        return text if len(text) <= 300 else text[:299] + "…"

    error.message, error.remedy = without(error.message), without(error.remedy)
    error.body = without(error.body)
    error.request_id = error.request_id and without(error.request_id)
    error.args = (error.message,)
    # The frames behind it hold the request, with the key, and the whole reply.
    error.__traceback__ = error.__context__ = None
    return error


def _query_pattern(query: str) -> re.Pattern[str] | None:
    """Return a pattern for the whole query; its words alone are in any sentence."""
    # Two Latin letters are in every sentence, and give nothing away.
    if len(query) <= 2 and query.isascii():
        return None
    quoted = (quote(query), quote(query, safe=""), quote_plus(query))
    forms = {query, *quoted, json.dumps(query)[1:-1]}
    longest_first = sorted(forms, reverse=True)  # of those that begin alike
    return re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)


def error_text(
    body: Any,
    names: Sequence[str] = ("message", "msg", "userMessage", "error", "detail", "errors"),
) -> str:
    """The sentence inside any of the error bodies that upstreams send; "" when there is none.

    Beside a `message`, an `error` is a code in most of them.
    """
    for name in names:
        value = body.get(name) if isinstance(body, dict) else None
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            found = (value.get(name) for name in _SENTENCES)
            value = next((text for text in found if text and isinstance(text, str)), None)
        if isinstance(value, str) and value.strip():
            return " ".join(value[:MAX_REDACTED].split())  # cut further once the query is out of it
    return ""


_SENTENCES = ("message", "error", "detail", "msg", "info", "code")  # in an object, the best first


def body_text(reply: Reply) -> str:
    """The text of a refusal on one line, without markup: cut further once the key is out of it."""
    return plain(reply.body[:MAX_REDACTED].decode("utf-8", "replace"))


def reason_in(reply: Reply) -> str:
    """The sentence with which a refusal explains itself; "" when there is none."""
    if reply.is_html:
        return ""
    try:
        return error_text(reply.json())
    except ValueError:
        return _plain_text(reply)


def _plain_text(reply: Reply) -> str:
    """A short body that is nothing but a sentence; Marginalia and gateways send them."""
    words = reply.body.decode("utf-8", "replace").strip()
    is_sentence = words.isprintable() and "\ufffd" not in words and words[:1] not in ("{", "[")
    return words if len(words) <= _MAX_SENTENCE and is_sentence else ""
