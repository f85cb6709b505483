"""The language of a page, and its texts with numbers, lists and dates in them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kensaku.locale import translator
from kensaku.server.page.language import age_of, join_names, language_of

EN, JA = translator("en"), translator("ja")
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("published", "english", "japanese"),
    [
        ("2026-03-11", "2026-03-11", "2026-03-11"),  # not yet
        ("2026-03-10T23:59:00Z", "today", "今日"),
        ("2026-03-09", "1 day ago", "1日前"),
        ("2026-02-24", "2 weeks ago", "2週間前"),
        ("2026-01-09", "2 months ago", "2か月前"),  # 60
        ("2025-03-10", "2025-03-10", "2025-03-10"),  # 365
        ("2025-02", "2025-02", "2025-02"),
        ("2024-13-45 and more", "2024-13", "2024-13"),
        (None, "", ""),
    ],
)
def test_an_age_is_told_as_people_tell_it(published, english, japanese):
    """In days for a fortnight, in weeks for two months, in months for a year."""
    assert age_of(published, EN, NOON) == english
    assert age_of(published, JA, NOON) == japanese


def test_names_are_joined_as_in_a_sentence():
    """Whatever their number."""
    assert [join_names(list("abc")[:n], EN) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert join_names(["a", "b", "c"], JA) == "a、b、c"


@pytest.mark.parametrize(
    ("asked", "cookie", "header", "language"),
    [
        ("", "", "", "en"),
        ("ja", "en", "en", "ja"),
        ("xx", "ja", "en", "ja"),
        ("", "", "ja-JP", "ja"),
        ("", "", "ja;q=0.5, en;q=0.6", "en"),
        ("", "", "en;q=0.9,ja", "ja"),  # without a weight it is 1
        ("", "", "ja,en", "ja"),  # the first of equals
        ("", "", "en;q=much, ja;q=0.1", "ja"),
        ("", "", "xx," * 166 + "ja", "ja"),  # 500 characters
        ("", "", "xx," * 166 + " ja", "en"),
    ],
)
def test_the_language_is_that_of_the_address_then_the_cookie_then_the_browser(
    asked, cookie, header, language
):
    """A language that the page is not in does not count."""
    cookies = {"kensaku_language": cookie} if cookie else {}
    headers = {"accept-language": header} if header else {}

    assert language_of(cookies, headers, asked) == language
