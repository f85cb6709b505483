"""Challenge pages are recognised by their marks."""

from __future__ import annotations

import pytest

from kensaku.fetch.browser.challenge import challenge_service


def test_a_challenge_is_a_small_page():
    """128 KiB and no byte more: long pages are pages, and may be about challenges."""
    page = b"_cf_chl_opt".ljust(128 * 1024)

    assert challenge_service(403, {}, page) == "Cloudflare"
    assert challenge_service(403, {}, page + b" ") is None
    assert challenge_service(404, {}, page) is None


def test_a_header_tells_of_a_challenge_whatever_the_body():
    """Cloudflare and AWS say so themselves."""
    assert challenge_service(404, {"cf-mitigated": "Challenge"}, b"") == "Cloudflare"
    assert challenge_service(404, {"x-amzn-waf-action": "captcha"}, b"") == "AWS WAF"
    assert challenge_service(404, {"x-amzn-waf-action": "allow"}, b"") is None


@pytest.mark.parametrize("status", [200, 202, 401, 403, 405, 429, 503])
def test_services_answer_with_many_statuses(status):
    """Each of these was seen."""
    assert challenge_service(status, {}, b"px-captcha") == "PerimeterX"
    assert challenge_service(status, {}, b"a page") is None
