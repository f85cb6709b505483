"""Challenge pages are recognised by their marks."""

from __future__ import annotations

from kensaku.fetch.browser.challenge import challenge_service


def test_an_article_about_challenges_is_not_one():
    """Long pages are pages."""
    assert challenge_service(200, {}, b"_cf_chl_opt") == "Cloudflare"
    assert challenge_service(200, {}, b"_cf_chl_opt" + b" word" * 50_000) is None
    assert challenge_service(404, {}, b"_cf_chl_opt") is None
