"""What should not leave in a query: keys, e-mail addresses, internal host names. Pure.

    scrub("why does sk-ab12… fail on build.corp", kinds) → Scrubbed("why does fail on", found)

Keys are on by default; the setting `scrub` says what else. `scrub.action` says what happens:
`redact` removes them from what is sent, `block` asks no provider on the web, `ask` raises
`QueryWithheld`, so that a person can decide. The local index gets the query as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import pairwise
from typing import Literal, get_args

from kensaku.errors import UsageError
from kensaku.messages import msg
from kensaku.text.redact import MASK

Kind = Literal["keys", "emails", "hosts"]
Action = Literal["redact", "block", "ask"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MIN_SECRET = 8  # characters of a known key: shorter ones are words
NAMES = {
    "keys": msg("a key"),
    "emails": msg("an e-mail address"),
    "hosts": msg("an internal host name"),
}
SUFFIXES = "internal|local|lan|corp|intra|intranet|private|localdomain|home\\.arpa"

# By how they begin; a digit and a long run tell `sk-4f…` from `sk-learn-contrib`.
_SHAPED = re.compile(
    r"\b(?:(?:k?sk|pk|rk|tvly|fc|jina|gh[pousr]|xox[abeprs]|hf|pplx|glpat|github_pat)[-_]|AIza)"
    r"(?=[\w-]{0,300}\d)(?=[\w-]{0,100}[A-Za-z0-9]{10})[\w-]{16,400}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{0,2000}"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}"
    r"|(?i:\bbearer\s{1,4})[A-Za-z0-9._~+/=-]{20,2000}"
)
_PASSWORD = re.compile(r"(?<=//)[^\s/?#@\"'<>:]{1,200}:[^\s/?#@\"'<>]{1,200}@")
_TOKEN = re.compile(r"[A-Za-z0-9+/_]{32,512}={0,2}")
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_HOST = re.compile(rf"\b(?:[a-z0-9][a-z0-9-]{{0,62}}\.){{1,8}}(?:{SUFFIXES})\b", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?<=://)[a-z0-9][a-z0-9-]{0,62}(?=[:/\s]|$)", re.IGNORECASE)
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")


class QueryWithheld(UsageError):
    """The query contains a secret, and nobody has approved sending it."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A query that may be sent, and what was removed from it."""

    text: str
    found: tuple[Kind, ...] = ()

    @property
    def what(self) -> str:
        """Describe the match in words."""
        first, *others = (NAMES[kind] for kind in self.found)
        for other in others:
            first = msg("{first} and {other}", first=first, other=other)
        return first


def scrub(text: str, kinds: Iterable[str], secrets: Iterable[str] = ()) -> Scrubbed:
    """Return the query without what these kinds name; `secrets` are keys that are known."""
    wanted, known, found = set(kinds), tuple(secrets), list[Kind]()
    for kind in KINDS:
        less = _REMOVERS[kind](text, known) if kind in wanted else text
        if less != text:
            found.append(kind)
            text = less
    if not found:
        return Scrubbed(text)
    return Scrubbed(" ".join(text.replace(MASK, " ").split()), tuple(found))


def _without_keys(text: str, secrets: tuple[str, ...]) -> str:
    for known in secrets:
        if len(known) >= MIN_SECRET:
            text = text.replace(known, MASK)
    text = _PASSWORD.sub(MASK, _SHAPED.sub(MASK, text))
    return _TOKEN.sub(lambda match: MASK if _is_random(match[0]) else match[0], text)


def _is_random(token: str) -> bool:
    """Whether letters and digits are mixed as in a random string, not a name."""
    classes = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in token]
    changes = sum(a != b for a, b in pairwise(classes))
    return classes.count("0") >= 3 and "A" in classes and changes >= len(token) // 3


def _without_emails(text: str, _: tuple[str, ...]) -> str:
    return _EMAIL.sub(MASK, text)


def _without_hosts(text: str, _: tuple[str, ...]) -> str:
    text = _BARE_HOST.sub(MASK, _HOST.sub(MASK, text))
    return _ADDRESS.sub(lambda match: MASK if _is_private(match[0]) else match[0], text)


def _is_private(text: str) -> bool:
    try:
        return ip_address(text).is_private
    except ValueError:
        return False


_REMOVERS: dict[Kind, Callable[[str, tuple[str, ...]], str]] = {
    "keys": _without_keys,
    "emails": _without_emails,
    "hosts": _without_hosts,
}
