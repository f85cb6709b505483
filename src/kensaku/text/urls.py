"""URLs: canonical form, host, and registrable domain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

if TYPE_CHECKING:
    from kensaku.models import Hit

_ORDINARY = re.compile(r"https?://([A-Za-z0-9.-]+)(/[^?#]*|)(?:\?([^#]*))?(?:#.*)?")
_HOST = re.compile(r"https?://([A-Za-z0-9.-]+)(?:[/?#]|\Z)")
_HOST_NAME = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+")
_USERINFO = re.compile(r"^(https?://)[^/?#\\]*@", re.IGNORECASE)
_TRACKING = re.compile(
    r"utm_\w+|gclid|dclid|fbclid|msclkid|yclid|mc_[ce]id|igshid|ref_src|spm|_ga|_gl|srsltid"
)


def canonical(url: str) -> str:
    """The same for every way of writing one address: for comparing, not for fetching."""
    if match := _ORDINARY.fullmatch(url):
        host, path, query = match.groups()
        host, port = host.lower(), None
    else:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            return url
        host, port, path, query = parts.hostname or "", parts.port, parts.path, parts.query
    host = host.removeprefix("www.").removeprefix("m.")
    if port not in (None, 80, 443):
        host = f"{host}:{port}"
    path = path.rstrip("/")
    if not query:
        return host + path
    pairs = parse_qsl(query, keep_blank_values=True)
    rest = urlencode(sorted(p for p in pairs if not _TRACKING.fullmatch(p[0].lower())))
    return f"{host}{path}?{rest}" if rest else host + path


def host_of(url: str) -> str:
    """The host name without `www.`; empty for addresses without one."""
    if match := _HOST.match(url):
        return match[1].lower().removeprefix("www.")
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def without_userinfo(url: str) -> str:
    """The address of the web without user name and password: they pass for a host, or are a secret.

    Browsers read a backslash as a slash.
    """
    return _USERINFO.sub(r"\1", url) if "@" in url else url


def host_name(text: str) -> str:
    """The text as a host name without `www.`; empty when it is anything else."""
    name = text.strip().lower().removeprefix("www.")
    return name if len(name) <= 253 and _HOST_NAME.fullmatch(name) else ""


def in_domain(host: str, domain: str) -> bool:
    """Whether `host` is `domain` or below it; `*.example.com` and `*.jp` work too."""
    domain = domain.removeprefix("*.")
    return host == domain or host.endswith("." + domain)


def site_of(hit: Hit) -> str:
    """The host of a hit's page, also behind a redirect; empty when it is not known."""
    return host_of(hit.url) if hit.site is None else hit.site
