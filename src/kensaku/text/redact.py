"""Remove secrets from texts that others wrote. Pure, in linear time.

    redact(text, secrets) → the text with "…" for every secret, in whatever encoding
    mask_url(url)         → the address without its password, and without keys in its query

A secret is found by its parts: every eight characters of each of its encodings. So a beginning, an
end, and the middle of a longer base64 text (`user:key`) are found, in upper case, too. Whatever
calls itself a credential (`Bearer …`, `api_key=…`) is removed without being known.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from urllib.parse import quote, quote_plus, unquote, urlsplit

PART = 8  # characters of a secret that are removed wherever they are
MIN_SECRET = 3  # shorter ones are in every sentence, and give nothing away
MIN_ENCODED = 6
MASK = "…"

_USERINFO = re.compile(r"//[^\s/?#@\"'<>]{1,500}@")
_NAME = (
    r"(?:x[-_])?(?:api|access|auth|secret|private|subscription|client)[-_ ]?(?:key|token|secret)"
    r"|token|secret|password|passwd|pwd|signature|sig|authorization|key"
)
_ASSIGNED = re.compile(
    # The name begins a word, or stands behind an escape such as %3F.
    rf"(?:(?<![A-Za-z])|(?<=%[\dA-F][A-F]))(?P<name>{_NAME})"
    r"(?P<is>[\"']?\s{0,4}(?:=|%3D)\s{0,4}[\"']?)"
    r"[^\s\"'&,;<>]{1,2000}",
    re.IGNORECASE,
)
# After a colon, ordinary words are kept: "invalid api key: please check your account".
_NAMED = re.compile(
    rf"(?<![A-Za-z])(?P<name>{_NAME})(?P<is>[\"']?\s{{0,4}}:\s{{0,4}}[\"']?)"
    r"(?=[^\s\"'&,;<>]{0,200}[\d_])[^\s\"'&,;<>]{6,2000}",
    re.IGNORECASE,
)
_SCHEME = re.compile(
    r"\b(?P<name>bearer|basic)(?P<is>\s{1,4}|%20|\+)[A-Za-z0-9._~+/%=-]{6,2000}", re.IGNORECASE
)
# How keys of well-known services begin, and the three parts of a JSON web token.
_SHAPED = re.compile(
    r"\b(?:(?:k?sk|pk|rk|tvly|fc|jina|gh[pousr]|xox[abprs]|hf|pplx)[-_]|AIza)[\w-]{12,400}"
    r"|\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{0,2000}"
)
_COVERED = re.compile(b"\1+")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text without the secrets, and without whatever says that it is one."""
    known = tuple(s for s in secrets if len(s) >= MIN_SECRET)
    text = redact_known(text, known) if known else text
    # Most of what is logged has none of these characters; to look for them is quick.
    if "@" in text:
        text = _USERINFO.sub(f"//{MASK}@", text)
    text = _SCHEME.sub(rf"\g<name>\g<is>{MASK}", text)
    if "=" in text or "%3" in text:
        text = _ASSIGNED.sub(rf"\g<name>\g<is>{MASK}", text)
    if ":" in text:
        text = _NAMED.sub(rf"\g<name>\g<is>{MASK}", text)
    return _SHAPED.sub(MASK, text)


def redact_known(text: str, secrets: Iterable[str]) -> str:
    """Return the text with "…" for every part of the secrets, in any of their encodings."""
    parts, short = _patterns(tuple(secrets))
    lower = text.lower()
    if len(lower) != len(text):  # a few letters are longer in lower case, which moves positions
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    covered = bytearray(len(text))
    for at in range(len(text) - PART + 1):
        if lower[at : at + PART] in parts:
            covered[at : at + PART] = b"\1" * PART
    if short is not None:
        for match in short.finditer(lower):
            covered[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    return _cut_out(text, covered)


def encodings(secret: str) -> Iterator[str]:
    """Yield a secret as it is and as programs write it into addresses, JSON, HTML and headers."""
    yield secret
    data = secret.encode("utf-8", "replace")
    secret = data.decode()  # a variable of the environment may hold bytes that are no text
    yield from (quote(secret), quote(secret, safe=""), quote_plus(secret))
    yield quote(quote(secret, safe=""))
    yield "".join(f"%{byte:02x}" for byte in data)
    yield from (json.dumps(secret)[1:-1], json.dumps(secret)[1:-1].replace("/", "\\/"))
    yield from (repr(secret)[1:-1], escape(secret))
    yield data.hex()
    # The same bytes have three spellings in base64, depending on how many bytes are before them.
    # At the edges, characters also encode a neighbour: only those in between are always the same.
    for before in (0, 1, 2):
        whole = b64encode(bytes(before) + data).decode().rstrip("=")
        end = len(whole) - ((before + len(data)) % 3 > 0)
        inner = whole[before and before + 1 : end]
        if len(inner) >= MIN_ENCODED:
            yield from (inner, inner.replace("+", "-").replace("/", "_"), quote(inner, safe=""))


def mask_url(url: str) -> str:
    """Return an address that can be shown: "…" for user and password, and for keys in its query.

    The last "@" counts: a password may hold one, although it should be written as %40.
    """
    scheme, slashes, rest = url.partition("//")
    if "@" in rest:
        rest = f"{MASK}@{rest.rpartition('@')[2]}"
    return _ASSIGNED.sub(rf"\g<name>\g<is>{MASK}", scheme + slashes + rest)


def password_of(url: str) -> str:
    """Return the password of an address, or its user name when it has none; "" without both."""
    try:
        parts = urlsplit("//" + url.partition("//")[2])
        return unquote(parts.password or parts.username or "")
    except ValueError:
        return ""


@lru_cache(maxsize=64)
def _patterns(secrets: tuple[str, ...]) -> tuple[frozenset[str], re.Pattern[str] | None]:
    """Return the parts of all encodings, and a pattern for those that are shorter than a part."""
    forms = {form.lower() for secret in secrets for form in encodings(secret)}
    parts = {f[at : at + PART] for f in forms for at in range(len(f) - PART + 1)}
    # Of those that begin alike, the longest first.
    short = sorted((re.escape(f) for f in forms if len(f) < PART), reverse=True)
    return frozenset(parts), re.compile("|".join(short)) if short else None


def _cut_out(text: str, covered: bytearray) -> str:
    kept, at = [], 0
    for secret in _COVERED.finditer(covered):
        kept += [text[at : secret.start()], MASK]
        at = secret.end()
    return "".join([*kept, text[at:]])
