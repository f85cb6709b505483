"""Recognise challenge pages: a check for robots instead of the page. Pure."""

from __future__ import annotations

from collections.abc import Mapping

SMALL = 128 * 1024  # a challenge is a small page; an article that quotes one is not
_STATUSES = frozenset({200, 202, 401, 403, 405, 429, 503})

# Seen in the wild, November 2026. Any one of the marks of a service is enough.
_MARKS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("Cloudflare", (b"_cf_chl_opt", b"/cdn-cgi/challenge-platform/h/", b"cf-challenge-running")),
    ("DataDome", (b"captcha-delivery.com", b"geo.captcha-delivery")),
    ("PerimeterX", (b"px-captcha", b"_pxAppId")),
    ("AWS WAF", (b"awsWafCookieDomainList", b"AwsWafIntegration")),
    ("Imperva", (b"_Incapsula_Resource", b"Request unsuccessful. Incapsula")),
    ("Anubis", (b"anubis_challenge", b"/.within.website/x/cmd/anubis")),
    ("Akamai", (b"sec-if-cpt-container", b"bm-verify=")),
)


def challenge_service(status: int, headers: Mapping[str, str], body: bytes) -> str | None:
    """Return the service whose challenge this is; None for an ordinary page."""
    if headers.get("cf-mitigated", "").lower() == "challenge":
        return "Cloudflare"
    if headers.get("x-amzn-waf-action", "").lower() in ("challenge", "captcha"):
        return "AWS WAF"
    if status not in _STATUSES or len(body) > SMALL:
        return None
    return next((name for name, marks in _MARKS if any(mark in body for mark in marks)), None)
