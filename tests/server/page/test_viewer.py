"""Who looks at the page: cookies, tokens, and whether another site sent the request."""

from __future__ import annotations

import pytest

from kensaku.server.auth import ANYONE, Principal, secret_in, secrets_in
from kensaku.server.page.viewer import (
    Forbidden,
    Viewer,
    check_change,
    cookies_of,
    is_cross_site,
)

HOST = {"host": "a.example:8080"}
OWN = {**HOST, "origin": "http://a.example:8080"}


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        (OWN, True),
        ({**OWN, "sec-fetch-site": "same-origin"}, True),
        ({**HOST, "sec-fetch-site": "same-origin", "origin": "null"}, True),
        ({**HOST, "origin": "null"}, False),
        ({**HOST, "sec-fetch-site": "cross-site", "origin": "null"}, False),
        ({**OWN, "sec-fetch-site": "same-site"}, False),
        ({**OWN, "sec-fetch-site": "none"}, False),
        ({**HOST, "sec-fetch-site": "same-origin"}, False),
        (HOST, False),
        ({**HOST, "origin": "http://a.example"}, False),
        ({**HOST, "origin": "http://[broken"}, False),
        ({"origin": "http://a.example"}, False),
    ],
)
def test_a_change_comes_from_the_page_itself(headers, allowed):
    """A browser always says who sent it."""
    viewer = Viewer("session", ANYONE)
    if allowed:
        check_change(viewer, {}, headers, viewer.token)
    else:
        with pytest.raises(Forbidden, match="did not come from the page"):
            check_change(viewer, {}, headers, viewer.token)


def test_a_change_needs_the_token_of_its_session():
    """Nobody else's, and none that is made up."""
    viewer = Viewer("session", ANYONE)

    assert len(viewer.token) == 43
    assert "=" not in viewer.token
    for wrong in ("", Viewer("other", ANYONE).token, viewer.token[:-1], "é"):
        with pytest.raises(Forbidden) as refused:
            check_change(viewer, {}, OWN, wrong)
        assert refused.value.status == 403


def test_a_program_with_a_key_needs_no_token():
    """No browser adds its header; a key that is not known helps nobody."""
    headers = {"authorization": "Bearer ksk_x"}

    check_change(Viewer("s", Principal("bob")), {}, headers, "")
    with pytest.raises(Forbidden):
        check_change(Viewer("s", None), {}, headers, "")


@pytest.mark.parametrize(
    ("site", "cross"),
    [
        ("cross-site", True),
        ("same-site", True),
        ("same-origin", False),
        ("none", False),
        ("", False),
    ],
)
def test_another_site_may_not_make_a_browser_search(site, cross):
    """Nor one of the same domain."""
    assert is_cross_site({"sec-fetch-site": site} if site else {}) is cross


@pytest.mark.parametrize(
    ("sent", "cookies"),
    [
        ("a=1; b=2", {"a": "1", "b": "2"}),
        ("", {}),
        ("a=" + "x" * 7_998, {"a": "x" * 7_998}),
        ("a=" + "x" * 7_999, {"a": "x" * 7_998}),  # 8,000 characters are read
    ],
)
def test_cookies_are_read_and_bounded(sent, cookies):
    """What cannot be read is none."""
    assert cookies_of({"cookie": sent} if sent else {}) == cookies


@pytest.mark.parametrize(
    ("headers", "body", "secret"),
    [
        ({"authorization": "Bearer  abc "}, {"api_key": "body"}, "abc"),
        ({"authorization": "bearer abc"}, {}, "abc"),
        ({"authorization": "Basic abc", "x-api-key": "own"}, {}, "own"),
        ({"authorization": "Bearer ", "x-subscription-token": "own"}, {}, "own"),
        ({"x-api-key": "first", "x-subscription-token": "second"}, {}, "first"),
        ({"x-api-key": "", "x-subscription-token": "second"}, {}, "second"),
        ({"authorization": "abc"}, {"api_key": "body"}, "body"),
        ({}, {"api_key": 5}, ""),
        ({}, {}, ""),
    ],
)
def test_a_key_is_found_wherever_a_client_puts_it(headers, body, secret):
    """In its order: a bearer, a header of a vendor, the body."""
    assert secret_in(headers, body) == secret


def test_all_that_may_be_a_key_is_kept_out_of_the_logs():
    """Known or not, and whatever scheme it came with."""
    headers = {"authorization": "Basic one", "x-api-key": "two", "x-subscription-token": "three"}

    assert set(secrets_in(headers, {"api_key": "four"})) == {"one", "two", "three", "four"}
    assert set(secrets_in({"authorization": "alone"}, {"api_key": 5})) == {"alone"}
    assert secrets_in({}, {}) == ()
